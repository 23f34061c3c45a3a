-- The schema is kept to what SQLite and PostgreSQL read alike: times are
-- nanoseconds since 1970 in UTC (0: never), identifiers are UUIDs as text,
-- values that are only ever read whole are JSON as text.

-- +goose Up

-- A round: begun before anything is sent; ended is 0 until it is saved. root is
-- the first round of a chain of confirmations.
CREATE TABLE rounds (
    id       TEXT PRIMARY KEY,
    target   TEXT NOT NULL,
    probe    TEXT NOT NULL,
    confirms TEXT NOT NULL,
    root     TEXT NOT NULL,
    seed     BIGINT NOT NULL,
    tokens   BIGINT NOT NULL,
    usd      DOUBLE PRECISION NOT NULL,
    begun    BIGINT NOT NULL,
    started  BIGINT NOT NULL,
    ended    BIGINT NOT NULL,
    lost     BIGINT NOT NULL,
    class    TEXT NOT NULL,
    severity INTEGER NOT NULL
);
CREATE INDEX rounds_by_target ON rounds (target, begun);
CREATE INDEX rounds_by_time ON rounds (begun);
CREATE INDEX rounds_by_root ON rounds (root);
CREATE INDEX rounds_unsaved ON rounds (begun) WHERE ended = 0;

-- A prompt that was sent or was about to be: what gives its bytes, with the
-- fleet key. It outlives its round, so that a marker found a year later is
-- still attributed.
CREATE TABLE prompts (
    exchange_id TEXT PRIMARY KEY,
    round_id    TEXT NOT NULL,
    target      TEXT NOT NULL,
    minted      BIGINT NOT NULL, -- second of the payload
    draw        INTEGER NOT NULL,
    tenant      INTEGER NOT NULL, -- index
    spec        TEXT NOT NULL,
    unjournaled BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX prompts_by_payload ON prompts (minted, draw, tenant);

-- An exchange of a round, without its text.
CREATE TABLE exchanges (
    id       TEXT PRIMARY KEY,
    round_id TEXT NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
    place    INTEGER NOT NULL,
    class    TEXT NOT NULL,
    record   TEXT NOT NULL
);
CREATE INDEX exchanges_by_round ON exchanges (round_id, place);

CREATE TABLE findings (
    round_id    TEXT NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
    place       INTEGER NOT NULL,
    exchange_id TEXT NOT NULL,
    check_name  TEXT NOT NULL,
    kind        TEXT NOT NULL,
    class       TEXT NOT NULL,
    finding     TEXT NOT NULL,
    PRIMARY KEY (round_id, place)
);

-- What is known of a target, and the state of its incidents.
CREATE TABLE targets (
    target   TEXT PRIMARY KEY,
    known    TEXT NOT NULL,
    alerting TEXT NOT NULL,
    resumed  BIGINT NOT NULL -- when its stops were lifted last
);

-- The newest response ids of a target, with the exchange each was given to.
-- Exchange ids are in the order of time.
CREATE TABLE response_ids (
    target      TEXT NOT NULL,
    id          TEXT NOT NULL,
    exchange_id TEXT NOT NULL,
    PRIMARY KEY (target, id)
);
CREATE INDEX response_ids_by_time ON response_ids (target, exchange_id);

CREATE TABLE incidents (
    id        TEXT PRIMARY KEY,
    target    TEXT NOT NULL,
    kind      TEXT NOT NULL,
    state     TEXT NOT NULL,
    opened    BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    resolved  BIGINT NOT NULL,
    incident  TEXT NOT NULL
);
CREATE INDEX incidents_by_time ON incidents (opened);
CREATE INDEX incidents_open ON incidents (target, opened) WHERE state = 'open';

-- The exchanges an incident has seen.
CREATE TABLE sightings (
    incident_id TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    exchange_id TEXT NOT NULL,
    round_id    TEXT NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (incident_id, exchange_id)
);

-- A page owed to a notifier. Its ordinal is its place in the queue.
CREATE TABLE outbox (
    page_id      TEXT NOT NULL,
    notifier     TEXT NOT NULL,
    ordinal      BIGINT NOT NULL,
    incident_id  TEXT NOT NULL,
    at           BIGINT NOT NULL,
    page         TEXT NOT NULL,
    attempts     INTEGER NOT NULL,
    next_attempt BIGINT NOT NULL,
    last_reason  TEXT NOT NULL,
    delivered    BIGINT NOT NULL,
    given_up     BIGINT NOT NULL,
    PRIMARY KEY (page_id, notifier)
);
CREATE INDEX outbox_ordinal ON outbox (ordinal);
CREATE INDEX outbox_waiting ON outbox (notifier, incident_id, ordinal) WHERE delivered = 0 AND given_up = 0;

-- Counts of a cell in one hour.
CREATE TABLE cell_hours (
    target       TEXT NOT NULL,
    hour         BIGINT NOT NULL,
    probe        TEXT NOT NULL,
    length       TEXT NOT NULL,
    concurrency  TEXT NOT NULL,
    warm         BOOLEAN NOT NULL,
    stream       BOOLEAN NOT NULL,
    planned      BIGINT NOT NULL,
    sent         BIGINT NOT NULL,
    decided      BIGINT NOT NULL,
    sound        BIGINT NOT NULL,
    degraded     BIGINT NOT NULL,
    damaged      BIGINT NOT NULL,
    strange      BIGINT NOT NULL, -- class foreign
    leak         BIGINT NOT NULL,
    inconclusive BIGINT NOT NULL,
    last_round   BIGINT NOT NULL,
    last_decided BIGINT NOT NULL,
    last_sound   BIGINT NOT NULL,
    PRIMARY KEY (target, hour, probe, length, concurrency, warm, stream)
);

-- The tenants that sent in a cell in one hour.
CREATE TABLE cell_tenants (
    target      TEXT NOT NULL,
    hour        BIGINT NOT NULL,
    probe       TEXT NOT NULL,
    length      TEXT NOT NULL,
    concurrency TEXT NOT NULL,
    warm        BOOLEAN NOT NULL,
    stream      BOOLEAN NOT NULL,
    tenant      TEXT NOT NULL,
    PRIMARY KEY (target, hour, probe, length, concurrency, warm, stream, tenant)
);

-- What was reserved in a day (UTC), whatever became of it.
CREATE TABLE spends (
    target TEXT NOT NULL,
    day    BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    usd    DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (day, target)
);

CREATE TABLE schedules (
    probe     TEXT NOT NULL,
    target    TEXT NOT NULL,
    last_slot BIGINT NOT NULL,
    PRIMARY KEY (probe, target)
);

CREATE TABLE pauses (
    target    TEXT PRIMARY KEY,
    paused_by TEXT NOT NULL,
    reason    TEXT NOT NULL,
    at        BIGINT NOT NULL
);

CREATE TABLE events (
    id    TEXT PRIMARY KEY,
    at    BIGINT NOT NULL,
    kind  TEXT NOT NULL,
    event TEXT NOT NULL
);
CREATE INDEX events_by_time ON events (at);
CREATE INDEX events_by_kind ON events (kind, at);

-- +goose Down
DROP TABLE events;
DROP TABLE pauses;
DROP TABLE schedules;
DROP TABLE spends;
DROP TABLE cell_tenants;
DROP TABLE cell_hours;
DROP TABLE outbox;
DROP TABLE sightings;
DROP TABLE incidents;
DROP TABLE response_ids;
DROP TABLE targets;
DROP TABLE findings;
DROP TABLE exchanges;
DROP TABLE prompts;
DROP TABLE rounds;
