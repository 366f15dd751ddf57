/**
 * The statements that create the tables and change them, each in one transaction. A migration that was released is never edited; another one
 * follows it.
 *
 * Hashes are the 32 bytes of a sha-256. `file.fold` is the hash of the path as `foldKey` folds it, so that names which differ only in case or
 * Unicode form are one row, whatever their length. `seq` orders everything. Times serve expiry alone, except `batch.at`, which is the time on
 * the writer's clock. `json` is used because `jsonb` accepts neither U+0000 nor half of a surrogate pair.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE roux.vault (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ulid text COLLATE "C" NOT NULL UNIQUE,
    name text COLLATE "C" NOT NULL UNIQUE,
    maker text NOT NULL,
    is_filling boolean NOT NULL DEFAULT true,
    seq bigint NOT NULL DEFAULT 0,
    kept_after bigint NOT NULL DEFAULT 0,
    format integer NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    pruned_at timestamptz NOT NULL DEFAULT clock_timestamp()
  ) WITH (fillfactor = 50);
  COMMENT ON TABLE roux.vault IS 'A vault each. Its row is locked by whoever decides what is written next; seq is the number of the last commit, kept_after of the last one that the feed has no more, pruned_at when a machine last took it upon itself to end what is kept for a time.';

  CREATE TABLE roux.blob (
    vault integer NOT NULL REFERENCES roux.vault ON DELETE CASCADE,
    hash bytea NOT NULL,
    piece integer NOT NULL,
    bytes bytea NOT NULL,
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (vault, hash, piece)
  );
  COMMENT ON TABLE roux.blob IS 'Contents by hash, in pieces of at most 8 MiB.';

  CREATE TABLE roux.file (
    vault integer NOT NULL REFERENCES roux.vault ON DELETE CASCADE,
    fold bytea NOT NULL,
    path text NOT NULL,
    hash bytea NOT NULL,
    size bigint NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (vault, fold)
  );
  COMMENT ON TABLE roux.file IS 'The files of a vault as of its last commit.';

  CREATE TABLE roux.batch (
    vault integer NOT NULL REFERENCES roux.vault ON DELETE CASCADE,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    agent text NOT NULL,
    machine text NOT NULL,
    operation text NOT NULL,
    at text NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    key text COLLATE "C",
    payload_hash text,
    answer json,
    expires timestamptz,
    PRIMARY KEY (vault, seq),
    UNIQUE (vault, id),
    UNIQUE (vault, key)
  );
  COMMENT ON TABLE roux.batch IS 'A commit each: the answer to whether it happened, and to who repeats it under its idempotency key.';

  CREATE TABLE roux.change (
    vault integer NOT NULL,
    seq bigint NOT NULL,
    n integer NOT NULL,
    op text NOT NULL CHECK (op IN ('create', 'update', 'rename', 'delete')),
    path text NOT NULL,
    old_path text,
    before bytea,
    hash bytea,
    size bigint NOT NULL,
    event json,
    PRIMARY KEY (vault, seq, n),
    FOREIGN KEY (vault, seq) REFERENCES roux.batch ON DELETE CASCADE
  );
  COMMENT ON TABLE roux.change IS 'The feed: what each commit did to which file.';
  `,
  // Whoever may read or write contents may do the same with vectors.
  `
  CREATE TABLE roux.vector (
    vault integer NOT NULL REFERENCES roux.vault ON DELETE CASCADE,
    embedder bytea NOT NULL,
    key text COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (vault, embedder, key)
  );
  ALTER TABLE roux.vector ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE INDEX ON roux.vector (vault, used_at);
  COMMENT ON TABLE roux.vector IS 'Vectors of texts for search by meaning, by the hash of the id of the embedder and of the text. All of it can be made again.';
  DO $$
    DECLARE granted record;
    BEGIN
      FOR granted IN SELECT r.rolname, a.privilege_type FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.oid = 'roux.blob'::regclass AND a.grantee <> c.relowner AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
      LOOP
        EXECUTE format('GRANT %s ON roux.vector TO %I', granted.privilege_type, granted.rolname);
      END LOOP;
    END;
  $$;
  `,
];
