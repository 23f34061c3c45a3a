-- name: PutExchange :exec
INSERT INTO exchanges (id, round_id, place, class, record)
VALUES (@id, @round_id, @place, @class, @record)
ON CONFLICT (id) DO UPDATE SET class = excluded.class, record = excluded.record;

-- name: ListExchanges :many
SELECT * FROM exchanges WHERE round_id = @round_id ORDER BY place;

-- name: GetExchange :one
SELECT * FROM exchanges WHERE id = @id;

-- name: PutFinding :exec
INSERT INTO findings (round_id, place, exchange_id, check_name, kind, class, finding)
VALUES (@round_id, @place, @exchange_id, @check_name, @kind, @class, @finding)
ON CONFLICT (round_id, place) DO NOTHING;

-- name: ListFindings :many
SELECT * FROM findings WHERE round_id = @round_id ORDER BY place;
