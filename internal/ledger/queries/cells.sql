-- name: AddCell :exec
INSERT INTO cell_hours (target, hour, probe, length, concurrency, warm, stream,
    planned, sent, decided, sound, degraded, damaged, strange, leak, inconclusive,
    last_round, last_decided, last_sound)
VALUES (@target, @hour, @probe, @length, @concurrency, @warm, @stream,
    @planned, @sent, @decided, @sound, @degraded, @damaged, @strange, @leak, @inconclusive,
    @last_round, @last_decided, @last_sound)
ON CONFLICT (target, hour, probe, length, concurrency, warm, stream) DO UPDATE SET
    planned = cell_hours.planned + excluded.planned,
    sent = cell_hours.sent + excluded.sent,
    decided = cell_hours.decided + excluded.decided,
    sound = cell_hours.sound + excluded.sound,
    degraded = cell_hours.degraded + excluded.degraded,
    damaged = cell_hours.damaged + excluded.damaged,
    strange = cell_hours.strange + excluded.strange,
    leak = cell_hours.leak + excluded.leak,
    inconclusive = cell_hours.inconclusive + excluded.inconclusive,
    last_round = CASE WHEN excluded.last_round > cell_hours.last_round THEN excluded.last_round ELSE cell_hours.last_round END,
    last_decided = CASE WHEN excluded.last_decided > cell_hours.last_decided THEN excluded.last_decided ELSE cell_hours.last_decided END,
    last_sound = CASE WHEN excluded.last_sound > cell_hours.last_sound THEN excluded.last_sound ELSE cell_hours.last_sound END;

-- name: AddCellTenant :exec
INSERT INTO cell_tenants (target, hour, probe, length, concurrency, warm, stream, tenant)
VALUES (@target, @hour, @probe, @length, @concurrency, @warm, @stream, @tenant)
ON CONFLICT (target, hour, probe, length, concurrency, warm, stream, tenant) DO NOTHING;

-- name: SumCells :many
SELECT probe, length, concurrency, warm, stream,
    CAST(SUM(planned) AS BIGINT) AS planned, CAST(SUM(sent) AS BIGINT) AS sent,
    CAST(SUM(decided) AS BIGINT) AS decided, CAST(SUM(sound) AS BIGINT) AS sound,
    CAST(SUM(degraded) AS BIGINT) AS degraded, CAST(SUM(damaged) AS BIGINT) AS damaged,
    CAST(SUM(strange) AS BIGINT) AS strange, CAST(SUM(leak) AS BIGINT) AS leak,
    CAST(SUM(inconclusive) AS BIGINT) AS inconclusive,
    CAST(MAX(last_round) AS BIGINT) AS last_round, CAST(MAX(last_decided) AS BIGINT) AS last_decided,
    CAST(MAX(last_sound) AS BIGINT) AS last_sound
FROM cell_hours WHERE target = @target AND hour >= @since
GROUP BY probe, length, concurrency, warm, stream
ORDER BY probe, length, concurrency, warm, stream;

-- name: CountCellTenants :many
SELECT probe, length, concurrency, warm, stream, COUNT(DISTINCT tenant) AS tenants
FROM cell_tenants WHERE target = @target AND hour >= @since
GROUP BY probe, length, concurrency, warm, stream;

-- name: PruneCellHours :execrows
DELETE FROM cell_hours WHERE hour < @before;

-- name: PruneCellTenants :execrows
DELETE FROM cell_tenants WHERE hour < @before;
