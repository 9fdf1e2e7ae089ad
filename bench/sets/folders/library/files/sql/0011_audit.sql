BEGIN;

CREATE TABLE audit (
    id       INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    actor    TEXT NOT NULL,
    plan_id  TEXT,
    verb     TEXT NOT NULL CHECK (verb IN ('create','move','solve','publish','restore','delete')),
    detail   TEXT NOT NULL DEFAULT '{}'
);

CREATE INDEX audit_by_plan ON audit (plan_id, at);

-- who touched most in the last four weeks; the web "activity" page reads this
CREATE VIEW activity AS
SELECT actor, plan_id, count(*) AS n, max(at) AS last_at
FROM audit
WHERE at > CAST(strftime('%s', 'now', '-28 days') AS INTEGER)
GROUP BY actor, plan_id;

-- nobody edits history
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit is append only');
END;

-- rows of deleted plans stay for 400 days, then go
CREATE TRIGGER audit_trim AFTER INSERT ON audit
WHEN new.id % 500 = 0
BEGIN
    DELETE FROM audit WHERE at < new.at - 400 * 86400;
END;

COMMIT;
