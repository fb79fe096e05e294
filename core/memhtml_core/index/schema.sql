-- Our projection of a store: integer keys inside, paths at the edges (DESIGN 4).
-- Narrow `files` holds what scopes and arms read; texts and vectors stand in tables of their own.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE files (
    id           INTEGER PRIMARY KEY,
    path         TEXT NOT NULL UNIQUE,
    ordinal      INTEGER NOT NULL,          -- settles lexical ties, before the path: 0 (tree) or the peer's rowid (peer)
    memory_type  TEXT NOT NULL,
    archived     INTEGER NOT NULL,
    workspace    TEXT,
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL,
    event_at     TEXT,
    valid_from   TEXT,
    valid_until  TEXT,
    task_status  TEXT,
    due_at       TEXT
);

CREATE TABLE file_details (
    file_id        INTEGER PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
    blob_sha       TEXT NOT NULL,
    content_hash   TEXT NOT NULL,
    para           TEXT NOT NULL,
    confidence     REAL NOT NULL,
    importance     INTEGER NOT NULL,
    origin_path    TEXT,
    word_count     INTEGER NOT NULL,
    archived_at    TEXT,
    reprieves      INTEGER NOT NULL,
    needs_revision INTEGER NOT NULL,
    author         TEXT NOT NULL,
    session_id     TEXT,
    prompt_id      TEXT,
    turn_uuid      TEXT,
    indexed_at     TEXT NOT NULL,
    frame_key      TEXT
);

CREATE TABLE file_texts (
    file_id         INTEGER PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
    title           TEXT NOT NULL,
    gist            TEXT NOT NULL,
    body_text       TEXT NOT NULL,
    fts_text        TEXT NOT NULL,
    disclosure_text TEXT NOT NULL
);

-- rowid = files.id
CREATE VIRTUAL TABLE files_fts USING fts5(fts_text, content='file_texts', content_rowid='file_id');

-- The text index follows the texts, whatever writes or cascades into them.
CREATE TRIGGER file_texts_insert AFTER INSERT ON file_texts BEGIN
    INSERT INTO files_fts(rowid, fts_text) VALUES (new.file_id, new.fts_text);
END;
CREATE TRIGGER file_texts_delete AFTER DELETE ON file_texts BEGIN
    INSERT INTO files_fts(files_fts, rowid, fts_text) VALUES ('delete', old.file_id, old.fts_text);
END;
CREATE TRIGGER file_texts_update AFTER UPDATE OF fts_text ON file_texts BEGIN
    INSERT INTO files_fts(files_fts, rowid, fts_text) VALUES ('delete', old.file_id, old.fts_text);
    INSERT INTO files_fts(rowid, fts_text) VALUES (new.file_id, new.fts_text);
END;

CREATE TABLE file_tags (
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    tag     TEXT NOT NULL,
    PRIMARY KEY (tag, file_id)
) WITHOUT ROWID;

CREATE TABLE file_entities (
    file_id     INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    entity_type TEXT NOT NULL,
    entity_name TEXT NOT NULL,
    folded      TEXT NOT NULL,              -- lower(type || ':' || name), ASCII only
    PRIMARY KEY (folded, entity_type, entity_name, file_id)
) WITHOUT ROWID;

CREATE TABLE file_facets (
    file_id       INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    value         TEXT NOT NULL,
    numeric_value REAL,
    PRIMARY KEY (name, value, file_id)
) WITHOUT ROWID;

CREATE TABLE file_citations (
    file_id  INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    text     TEXT NOT NULL,
    href     TEXT,
    PRIMARY KEY (file_id, text)
) WITHOUT ROWID;

CREATE INDEX file_tags_file ON file_tags(file_id);
CREATE INDEX file_entities_file ON file_entities(file_id);
CREATE INDEX file_facets_file ON file_facets(file_id);

CREATE TABLE chunks (
    id           INTEGER PRIMARY KEY,
    chunk_key    TEXT NOT NULL UNIQUE,      -- the reference's chunk_id: a function of the text
    file_id      INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    content_hash TEXT NOT NULL,
    ordinal      INTEGER NOT NULL,
    text         TEXT NOT NULL,
    char_count   INTEGER NOT NULL
);
CREATE INDEX chunks_file ON chunks(file_id, ordinal);

CREATE TABLE spaces (
    id     INTEGER PRIMARY KEY,
    name   TEXT NOT NULL,                   -- name@dim
    dim    INTEGER NOT NULL,
    digest TEXT NOT NULL DEFAULT '',        -- '' = unverified (taken from a peer's index)
    UNIQUE (name, digest)
);

CREATE TABLE vectors (
    space_id   INTEGER NOT NULL REFERENCES spaces(id),
    chunk_id   INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
    vec        BLOB NOT NULL,               -- little-endian float32
    created_at TEXT NOT NULL,
    PRIMARY KEY (space_id, chunk_id)
);
CREATE INDEX vectors_chunk ON vectors(chunk_id);

CREATE TABLE edges (
    src_path   TEXT NOT NULL,
    rel        TEXT NOT NULL,
    dst_path   TEXT NOT NULL,
    edge_class TEXT NOT NULL,
    derived    INTEGER NOT NULL,
    strength   REAL NOT NULL,
    provenance TEXT NOT NULL,
    sleep_run  TEXT,
    src_hash   TEXT,
    dst_hash   TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (src_path, rel, dst_path)
) WITHOUT ROWID;
CREATE INDEX edges_dst ON edges(dst_path, edge_class);

CREATE INDEX file_details_hash ON file_details(content_hash);

-- Files that are in the tree and not in `files`, each with its reason.
CREATE TABLE problems (
    path       TEXT PRIMARY KEY,
    blob_sha   TEXT NOT NULL,               -- '' where nothing was read
    reason     TEXT NOT NULL,               -- refused | duplicate | too-large | too-deep | link | special | unreadable | name | nested
    violations TEXT NOT NULL,               -- JSON list of codes (STORE_FORMAT 2.3), or of the path it doubles
    detail     TEXT NOT NULL DEFAULT '',
    content_hash TEXT NOT NULL DEFAULT ''   -- of a duplicate: the hash it shares
) WITHOUT ROWID;
CREATE INDEX problems_hash ON problems(content_hash) WHERE content_hash <> '';

-- What the last pass over the tree saw of each file, so that the next one reads only what changed.
CREATE TABLE seen (
    path      TEXT PRIMARY KEY,
    signature TEXT NOT NULL,                -- size, times and inode; '' where it has to be read again
    blob_sha  TEXT NOT NULL                 -- '' where nothing could be read
) WITHOUT ROWID;

CREATE INDEX files_recency ON files(coalesce(event_at, updated_at) DESC, path) WHERE archived = 0;
CREATE INDEX files_updated ON files(updated_at DESC, path) WHERE archived = 0;
CREATE INDEX files_workspace ON files(workspace, memory_type, archived) WHERE workspace IS NOT NULL;
CREATE INDEX files_type ON files(memory_type, archived);
