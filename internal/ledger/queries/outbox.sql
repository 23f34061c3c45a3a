-- name: PutPage :exec
INSERT INTO outbox (page_id, notifier, ordinal, incident_id, at, page, attempts, next_attempt, last_reason, delivered, given_up)
VALUES (@page_id, @notifier, (SELECT COALESCE(MAX(ordinal), 0) + 1 FROM outbox),
    @incident_id, @at, @page, 0, @at, '', 0, 0)
ON CONFLICT (page_id, notifier) DO NOTHING;

-- name: ListDue :many
SELECT o.page_id, o.notifier, o.page, o.attempts FROM outbox o
WHERE o.delivered = 0 AND o.given_up = 0 AND o.next_attempt <= @now
  AND NOT EXISTS (
    SELECT 1 FROM outbox e
    WHERE e.notifier = o.notifier AND e.incident_id = o.incident_id AND e.ordinal < o.ordinal
      AND e.delivered = 0 AND e.given_up = 0)
ORDER BY o.ordinal LIMIT @most;

-- name: DeliverPage :execrows
UPDATE outbox SET delivered = @at, attempts = attempts + 1
WHERE page_id = @page_id AND notifier = @notifier AND delivered = 0;

-- name: FailPage :execrows
UPDATE outbox SET attempts = attempts + 1, last_reason = @reason, next_attempt = @next, given_up = @given_up
WHERE page_id = @page_id AND notifier = @notifier AND delivered = 0;

-- name: ListPages :many
SELECT * FROM outbox WHERE incident_id = @incident_id ORDER BY ordinal;

-- name: CountOutbox :one
SELECT COUNT(*) AS waiting, CAST(COALESCE(MIN(at), 0) AS BIGINT) AS oldest FROM outbox
WHERE delivered = 0 AND given_up = 0;

-- name: CountGivenUp :one
SELECT COUNT(*) FROM outbox WHERE given_up <> 0;

-- name: PrunePages :execrows
DELETE FROM outbox WHERE ordinal IN (
    SELECT o.ordinal FROM outbox o
    WHERE o.at < @before AND (o.delivered <> 0 OR o.given_up <> 0) LIMIT @most);
