-- +goose Up

-- The fleet key that a prompt was minted under, as its id; '' for those of
-- before the ledger kept it.
ALTER TABLE prompts ADD COLUMN key_id TEXT NOT NULL DEFAULT '';

-- What happens again and again has one row an hour: tally names what it counts
-- ('' for a fact that stands alone).
ALTER TABLE events ADD COLUMN tally TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX events_by_tally ON events (tally) WHERE tally <> '';

CREATE INDEX sightings_by_round ON sightings (round_id);

-- +goose Down
DROP INDEX sightings_by_round;
DROP INDEX events_by_tally;
ALTER TABLE events DROP COLUMN tally;
ALTER TABLE prompts DROP COLUMN key_id;
