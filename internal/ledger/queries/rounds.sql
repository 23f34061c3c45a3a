-- name: InsertRound :execrows
INSERT INTO rounds (id, target, probe, confirms, root, seed, tokens, usd, begun, started, ended, lost, class, severity)
VALUES (@id, @target, @probe, @confirms, @root, @seed, @tokens, @usd, @begun, 0, 0, 0, '', -1)
ON CONFLICT (id) DO NOTHING;

-- name: FinishRound :execrows
UPDATE rounds SET started = @started, ended = @ended, lost = 0, class = @class, severity = @severity
WHERE id = @id AND ended = 0;

-- name: ReclassRound :exec
UPDATE rounds SET class = @class, severity = @severity WHERE id = @id;

-- name: GetRound :one
SELECT * FROM rounds WHERE id = @id;

-- name: ListRounds :many
SELECT * FROM rounds
WHERE begun >= @since AND severity >= @severity
  AND (target = @target OR @target = '') AND (probe = @probe OR @probe = '')
ORDER BY begun DESC, id DESC LIMIT @most;

-- name: ListRoundsOf :many
SELECT * FROM rounds
WHERE target = @target AND begun >= @since AND severity >= @severity
  AND (probe = @probe OR @probe = '')
ORDER BY begun DESC, id DESC LIMIT @most;

-- name: ListUnsavedRounds :many
SELECT * FROM rounds WHERE ended = 0 AND lost = 0 AND begun < @before ORDER BY begun, id;

-- name: LoseRound :exec
UPDATE rounds SET lost = @at WHERE id = @id AND ended = 0;

-- name: SumRoot :one
SELECT CAST(COALESCE(SUM(tokens), 0) AS BIGINT) AS tokens, CAST(COALESCE(SUM(usd), 0) AS DOUBLE PRECISION) AS usd
FROM rounds WHERE root = @root;

-- name: PruneRounds :execrows
DELETE FROM rounds WHERE id IN (
    SELECT r.id FROM rounds r
    WHERE r.begun < @before AND NOT EXISTS (
        SELECT 1 FROM incidents i
        JOIN sightings s ON s.incident_id = i.id
        WHERE i.state = 'open' AND i.target = r.target AND s.round_id = r.id)
    ORDER BY r.begun LIMIT @most);
