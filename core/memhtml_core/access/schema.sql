-- The state plane as the reference creates it (STORE_FORMAT 8): same tables, columns, checks and indexes, and the names
-- of the two migrations that lead there, so that the reference opens a plane made here without changing it.

CREATE TABLE IF NOT EXISTS schema_migrations (
    name       TEXT PRIMARY KEY,
    applied_at TEXT NOT NULL
);

-- S0001_access.sql
CREATE TABLE IF NOT EXISTS access (
    path                TEXT PRIMARY KEY,
    access_count        INTEGER NOT NULL DEFAULT 0 CHECK (access_count >= 0),
    reinforcement_count INTEGER NOT NULL DEFAULT 0 CHECK (reinforcement_count >= 0),
    outcome_score       REAL NOT NULL DEFAULT 0.0 CHECK (outcome_score BETWEEN -1 AND 1),
    last_accessed_at    TEXT,
    last_reinforced_at  TEXT,
    updated_at          TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS access_last ON access (last_accessed_at);

CREATE TABLE IF NOT EXISTS edge_corroboration (
    src_path   TEXT NOT NULL,
    rel        TEXT NOT NULL,
    dst_path   TEXT NOT NULL,
    detections INTEGER NOT NULL DEFAULT 1 CHECK (detections >= 1),
    confirmed  INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
    promoted   INTEGER NOT NULL DEFAULT 0 CHECK (promoted IN (0, 1)),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (src_path, rel, dst_path)
);

-- S0002_entity_corroboration.sql
CREATE TABLE IF NOT EXISTS entity_corroboration (
    entity_type    TEXT NOT NULL,
    alias_name     TEXT NOT NULL,
    canonical_name TEXT NOT NULL,
    detections     INTEGER NOT NULL DEFAULT 1 CHECK (detections >= 1),
    confirmed      INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
    promoted       INTEGER NOT NULL DEFAULT 0 CHECK (promoted IN (0, 1)),
    updated_at     TEXT NOT NULL,
    PRIMARY KEY (entity_type, alias_name, canonical_name)
);
CREATE INDEX IF NOT EXISTS entity_corroboration_pending ON entity_corroboration (entity_type, promoted);
