/** Ids and names are compared byte by byte, whatever the database's language. */
const TEXT = 'TEXT COLLATE "C"';

/** The tables, as statements in the schema's own search path. A later version adds a list, and none is ever changed. */
export const VERSIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE jobs (
      id ${TEXT} PRIMARY KEY,
      number BIGSERIAL NOT NULL UNIQUE,
      kind ${TEXT} NOT NULL,
      label TEXT,
      status ${TEXT} NOT NULL,
      queue ${TEXT} NOT NULL,
      priority INT NOT NULL,
      session_id ${TEXT},
      parent_id ${TEXT},
      depth INT NOT NULL,
      input TEXT NOT NULL,
      created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
      started_at TIMESTAMPTZ,
      begun_at TIMESTAMPTZ,
      finished_at TIMESTAMPTZ,
      deadline_at TIMESTAMPTZ,
      run INT NOT NULL DEFAULT 1,
      worker ${TEXT},
      attempts INT NOT NULL DEFAULT 0,
      seen_steps INT NOT NULL DEFAULT 0,
      held BOOLEAN NOT NULL DEFAULT false,
      waits TEXT,
      waits_since TIMESTAMPTZ,
      wait_until TIMESTAMPTZ,
      wait_topics TEXT[],
      wait_jobs TEXT[],
      result TEXT,
      result_bytes INT,
      error TEXT,
      progress TEXT,
      events INT NOT NULL DEFAULT 1
    ) WITH (fillfactor = 70)`,
    "CREATE INDEX jobs_open ON jobs (status, worker) WHERE status IN ('queued', 'running', 'waiting')",
    "CREATE INDEX jobs_session ON jobs (session_id, number)",
    "CREATE INDEX jobs_parent ON jobs (parent_id) WHERE parent_id IS NOT NULL",
    "CREATE INDEX jobs_wait_jobs ON jobs USING gin (wait_jobs) WHERE status = 'waiting'",
    "CREATE INDEX jobs_wait_until ON jobs (wait_until) WHERE wait_until IS NOT NULL",
    "CREATE INDEX jobs_deadline ON jobs (deadline_at) WHERE deadline_at IS NOT NULL",
    "CREATE INDEX jobs_held ON jobs (session_id, queue) WHERE held",
    `CREATE TABLE steps (
      job_id ${TEXT} NOT NULL,
      name ${TEXT} NOT NULL,
      run INT NOT NULL,
      until_ms BIGINT,
      outcome TEXT,
      PRIMARY KEY (job_id, name)
    )`,
    `CREATE TABLE messages (
      number BIGSERIAL PRIMARY KEY,
      job_id ${TEXT} NOT NULL,
      topic ${TEXT} NOT NULL,
      key ${TEXT} NOT NULL,
      body TEXT,
      taken BOOLEAN NOT NULL DEFAULT false,
      UNIQUE (job_id, topic, key)
    )`,
    `CREATE TABLE events (
      job_id ${TEXT} NOT NULL,
      seq INT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (job_id, seq)
    )`,
    `CREATE TABLE schedules (
      name ${TEXT} PRIMARY KEY,
      next_at ${TEXT},
      body TEXT NOT NULL
    )`,
  ],
  [
    "ALTER TABLE jobs ADD COLUMN resumes INT NOT NULL DEFAULT 0, ADD COLUMN resumed_at TIMESTAMPTZ",
    "CREATE INDEX jobs_ended ON jobs (finished_at) WHERE finished_at IS NOT NULL",
    // When each kind of sweep is due again, and up to where it has come.
    `CREATE TABLE sweeps (
      name ${TEXT} PRIMARY KEY,
      due_at TIMESTAMPTZ NOT NULL,
      done_until TIMESTAMPTZ NOT NULL DEFAULT '-infinity'
    )`,
  ],
];
