/**
 * The storage format. What is written here is read by every later version and by people with the `sqlite3` shell, so it
 * changes only together with `schemaVersion` and a step that lifts an older file.
 */

export const schemaVersion = 1;

/** The format of a ledger with an archive: programs that would not look into the archive must not open it. */
export const archivedVersion = 2;

/** "Stkl", in the header of the file: tells a ledger from any other SQLite database. */
export const applicationId = 0x53746b6c;

/** "StkA": tells an archive from a ledger. It has the tables of one, but not all that belongs into them. */
export const archiveApplicationId = 0x53746b41;

/**
 * Every index but the streams' names begins with the stream or grows at its end. An append then touches pages that the
 * resource's own recent events have touched, whatever the size of the ledger.
 */
export const schema = `
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE streams (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  stream   INTEGER NOT NULL REFERENCES streams (id),
  revision INTEGER NOT NULL,
  id       TEXT    NOT NULL,
  type     TEXT    NOT NULL,
  v        INTEGER NOT NULL,
  time     TEXT    NOT NULL,
  data     TEXT    NOT NULL,
  metadata TEXT    NOT NULL
) STRICT;

CREATE INDEX events_by_stream ON events (stream, revision, id);

CREATE TABLE receipts (
  stream        INTEGER NOT NULL REFERENCES streams (id),
  command_id    TEXT    NOT NULL,
  body_hash     TEXT    NOT NULL,
  event_count   INTEGER NOT NULL,
  last_revision INTEGER NOT NULL,
  position      INTEGER NOT NULL,
  PRIMARY KEY (stream, command_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX receipts_by_position ON receipts (position);

CREATE TABLE snapshots (
  stream       INTEGER PRIMARY KEY REFERENCES streams (id),
  revision     INTEGER NOT NULL,
  fold_version INTEGER NOT NULL,
  state        TEXT    NOT NULL
) STRICT;

CREATE TABLE checkpoints (
  name     TEXT PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIEW ledger AS
  SELECT e.position, s.name AS stream, e.revision, e.type, e.time, e.v, e.id, e.data, e.metadata
  FROM events e JOIN streams s ON s.id = e.stream;
`;

/**
 * What format 2 adds to format 1: up to where the older part of a stream lies in the archive, with the event that stands
 * there, so that an append need not look into the archive to know what it follows.
 */
export const archivedSchema = `
CREATE TABLE archived (
  stream   INTEGER PRIMARY KEY REFERENCES streams (id),
  revision INTEGER NOT NULL,
  position INTEGER NOT NULL,
  event_id TEXT    NOT NULL
) STRICT;
`;
