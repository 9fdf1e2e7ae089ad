-- base schema, SQLite and Postgres both (keep to the common subset)
BEGIN;

CREATE TABLE plan (
    id        TEXT PRIMARY KEY,
    title     TEXT NOT NULL,
    revision  INTEGER NOT NULL DEFAULT 0,
    body      BLOB NOT NULL,
    saved_at  INTEGER NOT NULL,
    CHECK (length(id) BETWEEN 1 AND 64)
);

CREATE TABLE person (
    key        TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    max_minutes_week INTEGER NOT NULL DEFAULT 1500 CHECK (max_minutes_week >= 0),
    gone_since TEXT
);

CREATE TABLE room (
    key       TEXT PRIMARY KEY,
    seats     INTEGER NOT NULL DEFAULT 0,
    building  TEXT NOT NULL DEFAULT '',
    tags      TEXT NOT NULL DEFAULT ''
);

CREATE TABLE lease (
    name   TEXT PRIMARY KEY,
    owner  TEXT NOT NULL,
    until  INTEGER NOT NULL,
    epoch  INTEGER NOT NULL
);

CREATE INDEX plan_by_saved ON plan (saved_at);

COMMIT;
