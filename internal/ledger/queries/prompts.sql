-- name: InsertPrompt :exec
INSERT INTO prompts (exchange_id, round_id, target, minted, draw, tenant, key_id, spec, unjournaled)
VALUES (@exchange_id, @round_id, @target, @minted, @draw, @tenant, @key_id, @spec, @unjournaled)
ON CONFLICT (exchange_id) DO NOTHING;

-- name: ListPrompts :many
SELECT exchange_id, minted, draw, tenant, key_id, spec FROM prompts
WHERE minted >= @since
ORDER BY minted, draw, tenant;

-- name: GetPrompt :one
SELECT exchange_id, minted, draw, tenant, key_id, spec FROM prompts WHERE exchange_id = @exchange_id;

-- name: CountPayload :one
SELECT COUNT(*) FROM prompts WHERE minted = @minted AND draw = @draw AND tenant = @tenant;

-- name: PrunePrompts :execrows
DELETE FROM prompts WHERE exchange_id IN (
    SELECT p.exchange_id FROM prompts p WHERE p.minted < @before ORDER BY p.minted LIMIT @most);
