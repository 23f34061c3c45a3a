-- name: AddSpend :exec
INSERT INTO spends (target, day, tokens, usd) VALUES (@target, @day, @tokens, @usd)
ON CONFLICT (day, target) DO UPDATE SET tokens = spends.tokens + excluded.tokens, usd = spends.usd + excluded.usd;

-- name: SumSpend :one
SELECT CAST(COALESCE(SUM(tokens), 0) AS BIGINT) AS tokens, CAST(COALESCE(SUM(usd), 0) AS DOUBLE PRECISION) AS usd
FROM spends WHERE day = @day AND (target = @target OR @target = '');

-- name: PruneSpends :execrows
DELETE FROM spends WHERE day < @before;

-- name: GetSlot :one
SELECT last_slot FROM schedules WHERE probe = @probe AND target = @target;

-- name: PutSlot :exec
INSERT INTO schedules (probe, target, last_slot) VALUES (@probe, @target, @last_slot)
ON CONFLICT (probe, target) DO UPDATE SET last_slot = excluded.last_slot;

-- name: PutPause :exec
INSERT INTO pauses (target, paused_by, reason, at) VALUES (@target, @paused_by, @reason, @at)
ON CONFLICT (target) DO NOTHING;

-- name: DeletePause :execrows
DELETE FROM pauses WHERE target = @target;

-- name: GetPause :one
SELECT * FROM pauses WHERE target = @target OR target = '' ORDER BY target LIMIT 1;

-- name: ListPauses :many
SELECT * FROM pauses ORDER BY target;

-- name: InsertEvent :exec
INSERT INTO events (id, at, kind, event, tally) VALUES (@id, @at, @kind, @event, @tally)
ON CONFLICT (id) DO NOTHING;

-- name: GetTally :one
SELECT id, event FROM events WHERE tally = @tally AND tally <> '';

-- name: PutTally :exec
UPDATE events SET at = @at, event = @event WHERE id = @id;

-- name: ListEvents :many
SELECT event FROM events WHERE at >= @since ORDER BY at DESC, id DESC;

-- name: ListEventsOf :many
SELECT event FROM events WHERE kind = @kind AND at >= @since ORDER BY at DESC, id DESC;

-- name: PruneEvents :execrows
DELETE FROM events WHERE id IN (
    SELECT e.id FROM events e WHERE e.at < @before ORDER BY e.at LIMIT @most);
