-- name: GetTarget :one
SELECT * FROM targets WHERE target = @target;

-- name: ListTargets :many
SELECT * FROM targets ORDER BY target;

-- name: PutTarget :exec
INSERT INTO targets (target, known, alerting, resumed) VALUES (@target, @known, @alerting, @resumed)
ON CONFLICT (target) DO UPDATE SET known = excluded.known, alerting = excluded.alerting, resumed = excluded.resumed;

-- name: InsertResponseID :exec
INSERT INTO response_ids (target, id, exchange_id) VALUES (@target, @id, @exchange_id)
ON CONFLICT (target, id) DO NOTHING;

-- name: ListResponseIDs :many
SELECT id, exchange_id FROM response_ids WHERE target = @target ORDER BY exchange_id DESC LIMIT @most;

-- name: PruneResponseIDs :execrows
DELETE FROM response_ids WHERE target = @target AND exchange_id < @before;
