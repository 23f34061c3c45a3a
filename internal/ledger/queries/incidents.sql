-- name: PutIncident :exec
INSERT INTO incidents (id, target, kind, state, opened, last_seen, resolved, incident)
VALUES (@id, @target, @kind, @state, @opened, @last_seen, @resolved, @incident)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, last_seen = excluded.last_seen,
    resolved = excluded.resolved, incident = excluded.incident;

-- name: GetIncident :one
SELECT * FROM incidents WHERE id = @id;

-- name: ListIncidents :many
SELECT * FROM incidents
WHERE (target = @target OR @target = '') AND (kind = @kind OR @kind = '')
ORDER BY opened DESC, id DESC LIMIT @most;

-- name: ListOpenIncidents :many
SELECT * FROM incidents
WHERE state = 'open' AND (target = @target OR @target = '') AND (kind = @kind OR @kind = '')
ORDER BY opened DESC, id DESC LIMIT @most;

-- name: PutSighting :exec
INSERT INTO sightings (incident_id, exchange_id, round_id, at)
VALUES (@incident_id, @exchange_id, @round_id, @at)
ON CONFLICT (incident_id, exchange_id) DO NOTHING;

-- name: ListSightings :many
SELECT e.* FROM sightings s JOIN exchanges e ON e.id = s.exchange_id
WHERE s.incident_id = @incident_id ORDER BY s.at, e.round_id, e.place;

-- name: ListIncidentsOf :many
SELECT * FROM incidents
WHERE id IN (SELECT s.incident_id FROM sightings s WHERE s.round_id = @round_id)
ORDER BY opened, id;

-- name: PruneIncidents :execrows
DELETE FROM incidents WHERE id IN (
    SELECT i.id FROM incidents i WHERE i.state <> 'open' AND i.resolved < @before AND i.opened < @before LIMIT @most);
