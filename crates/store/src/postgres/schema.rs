//! The tables in the database, their migrations, and the one function that writes to them.

use super::database::{PostgresDatabase, gather};
use crate::questions::ALL_AGENTS;
use crate::rows::RowKind;
use crate::{StoreError, check_not_newer};

/// In order. The version of a schema is the number of its migrations.
const MIGRATIONS: [PostgresMigration; 6] = [
    create_tables,
    index_grants_in_force,
    count_open_questions,
    index_closed_requests,
    create_results,
    let_used_grants_be_revoked,
];

type PostgresMigration = fn(&str) -> String;

pub(super) fn migrate(database: &mut PostgresDatabase, schema: &str) -> Result<(), StoreError> {
    apply_migrations(database, schema, &MIGRATIONS)
}

/// Applies the missing migrations in one transaction together with the new version. Nodes that
/// start at the same time take turns. The lock ends with the transaction, because a pooler may give
/// the connection to another client afterwards.
fn apply_migrations(
    database: &mut PostgresDatabase,
    schema: &str,
    migrations: &[PostgresMigration],
) -> Result<(), StoreError> {
    let begin = format!(
        "BEGIN; SELECT pg_advisory_xact_lock(hashtext('countersign {schema}'));
         CREATE SCHEMA IF NOT EXISTS {schema};
         CREATE TABLE IF NOT EXISTS {schema}.version (steps bigint NOT NULL);"
    );
    let applied = execute(database, &begin).and_then(|()| {
        let found = database.version()?;
        check_not_newer(found, migrations.len())?;
        for migration in migrations.iter().skip(found) {
            execute(database, &migration(schema))?;
        }
        let version = migrations.len();
        execute(
            database,
            &format!(
                "DELETE FROM {schema}.version; INSERT INTO {schema}.version VALUES ({version});"
            ),
        )
    });
    let end = if applied.is_ok() { "COMMIT" } else { "ROLLBACK" };
    applied.and(execute(database, end))
}

fn execute(database: &mut PostgresDatabase, sql: &str) -> Result<(), StoreError> {
    database.execute_batch("changing the tables", sql)
}

/// Refuses a database without these tables, and tables of any other version.
pub(super) fn check_version(
    database: &mut PostgresDatabase,
    schema: &str,
) -> Result<(), StoreError> {
    let asked = database.query("SELECT to_regclass('{s}.version') IS NOT NULL", &[])?;
    if !asked.first().is_some_and(|row| row.try_get(0).unwrap_or(false)) {
        return Err(StoreError::Absent {
            what: format!("there is no record in the schema `{schema}` of this database"),
            remedy: "name the database that holds one; it is made by the first command that writes"
                .to_owned(),
        });
    }
    crate::reader::check_same_version(database.version()?, MIGRATIONS.len())
}

fn case_by_kind(condition: impl Fn(RowKind) -> String) -> String {
    let whens =
        RowKind::ALL.map(|kind| format!("WHEN '{}' THEN {}", kind.table(), condition(kind)));
    format!("CASE kept {} ELSE false END", whens.join(" "))
}

fn create_tables(schema: &str) -> String {
    let states = case_by_kind(|kind| format!("state IN ({})", kind.states()));
    let active = case_by_kind(|kind| kind.active().to_owned());
    let over = case_by_kind(|kind| {
        kind.final_states().map_or("false".to_owned(), |ended| format!("state IN ({ended})"))
    });
    let tables = format!(
        "CREATE TABLE {schema}.records (
             place bigserial PRIMARY KEY,
             kept text NOT NULL,
             key text NOT NULL,
             session text,
             project text,
             agent text,
             run text,
             state text NOT NULL,
             due bigint,
             body text NOT NULL CHECK (body::json IS NOT NULL),
             active boolean GENERATED ALWAYS AS ({active}) STORED,
             over boolean GENERATED ALWAYS AS ({over}) STORED,
             UNIQUE (kept, key),
             CHECK ({states})
         ) WITH (fillfactor = 70);
         CREATE INDEX records_of_session ON {schema}.records (session, kept) WHERE active;
         CREATE INDEX records_of_project ON {schema}.records (project, kept) WHERE active AND project IS NOT NULL;
         CREATE INDEX records_of_agent ON {schema}.records (agent) WHERE kept IN ('declined', 'carried_over', 'notices') AND active;
         CREATE INDEX records_of_run ON {schema}.records (run) WHERE kept = 'requests' AND run IS NOT NULL;
         CREATE INDEX records_due ON {schema}.records (due) WHERE due IS NOT NULL;
         CREATE INDEX records_running ON {schema}.records (kept, state)
             WHERE state IN ('executing', 'live', 'suspended', 'reserved');
         CREATE INDEX records_noticed ON {schema}.records (place) WHERE kept = 'notices' AND active;
         CREATE TABLE {schema}.cells (cell text PRIMARY KEY, version bigint NOT NULL, decisive bigint NOT NULL);
         CREATE TABLE {schema}.paused (agent text PRIMARY KEY);
         CREATE TABLE {schema}.settings (key text PRIMARY KEY, value text NOT NULL);
         CREATE TABLE {schema}.entries (
             seq bigint PRIMARY KEY CHECK (seq > 0),
             kind text NOT NULL,
             bytes text NOT NULL,
             hash bytea NOT NULL CHECK (length(hash) = 32)
         );
         CREATE TABLE {schema}.sealed (
             seq bigint PRIMARY KEY REFERENCES {schema}.entries (seq),
             salt bytea NOT NULL CHECK (length(salt) = 16),
             text text NOT NULL CHECK (text::json IS NOT NULL)
         );
         CREATE TABLE {schema}.head (single boolean PRIMARY KEY CHECK (single), next bigint NOT NULL, hash bytea NOT NULL);
         INSERT INTO {schema}.head VALUES (true, 1, decode(repeat('00', 32), 'hex'));"
    );
    let functions = [
        commit_function_sql(schema),
        gather::gather_function_sql(schema),
        gather::versions_function_sql(schema),
    ];
    format!("{tables} {} {}", guard_triggers_sql(schema), functions.join(" "))
}

/// Lists grants by age, and those in force without scanning the ended ones.
fn index_grants_in_force(schema: &str) -> String {
    format!(
        "CREATE INDEX records_granted ON {schema}.records (key COLLATE \"C\") WHERE kept = 'grants';
         CREATE INDEX records_in_force ON {schema}.records (key COLLATE \"C\")
             WHERE kept = 'grants' AND state IN ('live', 'reserved', 'released');"
    )
}

/// Counts open questions as they are opened and closed, so that nobody has to count them, and lists
/// a page of open requests without sorting all of them. Commits
/// take turns anyway, so that none waits for a count.
fn count_open_questions(schema: &str) -> String {
    format!(
        "CREATE INDEX records_open ON {schema}.records (key COLLATE \"C\")
             WHERE kept = 'requests' AND due IS NOT NULL;
         CREATE TABLE {schema}.open_questions (agent text PRIMARY KEY, open bigint NOT NULL) WITH (fillfactor = 50);
         UPDATE {schema}.records SET agent = NULL
             WHERE kept = 'requests' AND body::jsonb #> '{{subject,imported}}' IS NOT NULL;
         INSERT INTO {schema}.open_questions SELECT agent, count(*) FROM {schema}.records
             WHERE kept = 'requests' AND state = 'open' AND agent IS NOT NULL GROUP BY agent;
         INSERT INTO {schema}.open_questions
             SELECT '{ALL_AGENTS}', coalesce(sum(open), 0) FROM {schema}.open_questions;
         CREATE FUNCTION {schema}.count_question() RETURNS trigger LANGUAGE plpgsql
             SET search_path = {schema}, pg_catalog AS $$
         BEGIN
             INSERT INTO open_questions AS o VALUES
                 (NEW.agent, CASE NEW.state WHEN 'open' THEN 1 ELSE -1 END),
                 ('{ALL_AGENTS}', CASE NEW.state WHEN 'open' THEN 1 ELSE -1 END)
                 ON CONFLICT (agent) DO UPDATE SET open = o.open + excluded.open;
             DELETE FROM open_questions WHERE agent = NEW.agent AND open = 0;
             RETURN NULL;
         END $$;
         CREATE TRIGGER question_opened AFTER INSERT ON {schema}.records FOR EACH ROW
             WHEN (NEW.kept = 'requests' AND NEW.state = 'open' AND NEW.agent IS NOT NULL)
             EXECUTE FUNCTION {schema}.count_question();
         CREATE TRIGGER question_closed AFTER UPDATE ON {schema}.records FOR EACH ROW
             WHEN (NEW.kept = 'requests' AND OLD.state = 'open' AND NEW.state <> 'open'
                 AND NEW.agent IS NOT NULL)
             EXECUTE FUNCTION {schema}.count_question();"
    )
}

/// Lists what an operator answered to an agent without scanning the requests of others. It is written
/// when a request closes, not when it opens.
fn index_closed_requests(schema: &str) -> String {
    format!(
        "CREATE INDEX records_closed ON {schema}.records (agent, key COLLATE \"C\")
             WHERE kept = 'requests' AND state = 'closed' AND agent IS NOT NULL;"
    )
}

/// Results of calls, apart from state and ledger: nothing is decided on them, and they end.
fn create_results(schema: &str) -> String {
    format!(
        "CREATE TABLE {schema}.results (call text PRIMARY KEY, text text NOT NULL, until bigint NOT NULL);
         CREATE INDEX results_until ON {schema}.results (until);"
    )
}

/// An ended row stays ended, and a ledger entry is never changed.
fn guard_triggers_sql(schema: &str) -> String {
    format!(
        "CREATE FUNCTION {schema}.stays() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'an entry of the ledger is never changed or deleted'; END $$;
         CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE ON {schema}.entries
             FOR EACH ROW EXECUTE FUNCTION {schema}.stays();
         CREATE TRIGGER entries_remain BEFORE TRUNCATE ON {schema}.entries
             FOR EACH STATEMENT EXECUTE FUNCTION {schema}.stays();
         CREATE FUNCTION {schema}.apart() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'what is kept apart is erased or stays as it is'; END $$;
         CREATE TRIGGER sealed_stays BEFORE UPDATE ON {schema}.sealed
             FOR EACH ROW EXECUTE FUNCTION {schema}.apart();
         CREATE FUNCTION {schema}.over() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'what is over in % stays over', OLD.kept; END $$;
         {}",
        guard_final_states(schema)
    )
}

/// A trigger that refuses to change what is over.
fn guard_final_states(schema: &str) -> String {
    let but = RowKind::ALL.map(|kind| {
        kind.may_still_become().map_or_else(String::new, |(from, to)| {
            let kept = kind.table();
            format!(
                " AND NOT (OLD.kept = '{kept}' AND OLD.state = '{from}' AND NEW.state = '{to}')"
            )
        })
    });
    format!(
        "CREATE TRIGGER records_over BEFORE UPDATE ON {schema}.records
             FOR EACH ROW WHEN (OLD.over AND NEW.state <> OLD.state{})
             EXECUTE FUNCTION {schema}.over();",
        but.concat()
    )
}

/// Until this version the trigger refused to revoke a grant that a running call had used up, and with
/// it the whole revocation.
fn let_used_grants_be_revoked(schema: &str) -> String {
    let trigger = guard_final_states(schema);
    format!("DROP TRIGGER records_over ON {schema}.records; {trigger}")
}

/// Writes a whole commit in one statement. It locks the ledger's end, so that nodes take turns, and
/// chains the entries to it. It returns false and writes nothing if a cell has another version than
/// the node read.
fn commit_function_sql(schema: &str) -> String {
    let link_entries = link_entries_sql();
    format!(
        "CREATE FUNCTION {schema}.commit_all(
             read_cells text[], versions bigint[], changed_cells text[], decisive_cells text[],
             row_kinds text[], keys text[], sessions text[], projects text[], agents text[],
             runs text[], states text[], dues bigint[], bodies text[],
             kinds text[], beginnings text[], middles text[],
             salts bytea[], sealings text[], erased bigint[],
             pauses text[], resumes text[], setting_keys text[], setting_values text[],
             notify_nodes boolean
         ) RETURNS boolean LANGUAGE plpgsql SET search_path = {schema}, pg_catalog SET lock_timeout = '1500ms' AS $$
         DECLARE at_seq bigint; at_hash bytea; entry_bytes text;
             seqs bigint[] := '{{}}'; texts text[] := '{{}}'; hashes bytea[] := '{{}}';
         BEGIN
             IF current_setting('synchronous_commit') <> 'on' THEN
                 PERFORM set_config('synchronous_commit', 'on', true);
             END IF;
             SELECT h.next, h.hash INTO at_seq, at_hash FROM head h FOR UPDATE;
             IF EXISTS (
                 SELECT 1 FROM unnest(read_cells, versions) AS e(cell, version)
                 LEFT JOIN cells c ON c.cell = e.cell
                 WHERE coalesce(c.version, 0) <> e.version
             ) THEN RETURN false; END IF;
             {link_entries}
             IF array_position(bodies, NULL) IS NOT NULL THEN
                 DELETE FROM records r USING unnest(row_kinds, keys, bodies) AS d(kept, key, body)
                     WHERE d.body IS NULL AND r.kept = d.kept AND r.key = d.key;
             END IF;
             INSERT INTO records (kept, key, session, project, agent, run, state, due, body)
                 SELECT * FROM unnest(row_kinds, keys, sessions, projects, agents, runs, states, dues, bodies)
                     AS w(kept, key, session, project, agent, run, state, due, body)
                 WHERE w.body IS NOT NULL
                 ON CONFLICT (kept, key) DO UPDATE
                     SET state = excluded.state, due = excluded.due, body = excluded.body;
             INSERT INTO entries (seq, kind, bytes, hash)
                 SELECT * FROM unnest(seqs, kinds, texts, hashes);
             IF cardinality(array_remove(salts, NULL)) > 0 THEN
                 INSERT INTO sealed (seq, salt, text)
                     SELECT * FROM unnest(seqs, salts, sealings) AS a(seq, salt, text)
                     WHERE a.salt IS NOT NULL;
             END IF;
             IF cardinality(erased) > 0 THEN
                 DELETE FROM sealed WHERE seq = ANY (erased);
             END IF;
             INSERT INTO cells
                 SELECT m.cell, 1, (m.cell = ANY (decisive_cells))::int FROM unnest(changed_cells) AS m(cell)
                 ON CONFLICT (cell) DO UPDATE SET version = cells.version + 1,
                     decisive = cells.decisive + excluded.decisive;
             IF cardinality(pauses) + cardinality(resumes) > 0 THEN
                 INSERT INTO paused SELECT unnest(pauses) ON CONFLICT DO NOTHING;
                 DELETE FROM paused WHERE agent = ANY (resumes);
             END IF;
             IF cardinality(setting_keys) > 0 THEN
                 DELETE FROM settings s USING unnest(setting_keys, setting_values) AS d(key, value)
                     WHERE d.value IS NULL AND s.key = d.key;
                 INSERT INTO settings
                     SELECT * FROM unnest(setting_keys, setting_values) AS w(key, value)
                     WHERE w.value IS NOT NULL
                     ON CONFLICT (key) DO UPDATE SET value = excluded.value;
             END IF;
             UPDATE head SET next = at_seq, hash = at_hash;
             IF notify_nodes THEN PERFORM pg_notify('{schema}', ''); END IF;
             RETURN true;
         END $$;"
    )
}

/// Computes the bytes and the hash of each entry from the end of the ledger on.
fn link_entries_sql() -> String {
    let label = countersign_ledger::ENTRY_LABEL;
    format!(
        "FOR place IN 1 .. cardinality(kinds) LOOP
             entry_bytes := beginnings[place] || encode(at_hash, 'hex') || middles[place] || at_seq || '}}';
             at_hash := sha256('{label}\\000'::bytea || convert_to(entry_bytes, 'UTF8'));
             seqs := seqs || at_seq;
             texts := texts || entry_bytes;
             hashes := hashes || at_hash;
             at_seq := at_seq + 1;
         END LOOP;"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migration_contract::{LaterMigration, MigratedDatabase, run_migration_contract};
    use crate::{Postgres, PostgresSettings};
    use countersign_ledger::Entry;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A schema of its own, dropped at the end.
    struct OwnSchema(PostgresSettings);

    impl OwnSchema {
        fn new() -> Self {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            let mut settings = PostgresSettings::new(&countersign_scratch::shared_server_address());
            let number = COUNT.fetch_add(1, Ordering::SeqCst);
            settings.schema = format!("migrations_{}_{number}", std::process::id());
            Self(settings)
        }

        fn database(&self) -> PostgresDatabase {
            PostgresDatabase::open(&self.0).unwrap()
        }
    }

    impl Drop for OwnSchema {
        fn drop(&mut self) {
            Postgres::drop_schema(&self.0).unwrap();
        }
    }

    impl MigratedDatabase for OwnSchema {
        type Store = Postgres;

        fn open_store(&self) -> Result<Postgres, StoreError> {
            Postgres::open(self.0.clone())
        }

        fn migrate_with(&self, later: LaterMigration) -> Result<(), StoreError> {
            let later: PostgresMigration = match later {
                LaterMigration::RenameColumn => rename_column,
                LaterMigration::FailHalfWay => fail_half_way,
            };
            let migrations = [&MIGRATIONS[..], &[later]].concat();
            apply_migrations(&mut self.database(), &self.0.schema, &migrations)
        }

        fn version(&self) -> usize {
            self.database().version().unwrap()
        }

        fn read_entries(&self) -> Vec<Entry> {
            self.database().read_entries(0, 10).unwrap()
        }

        fn paused_agent(&self, column: &str) -> String {
            let sql = format!("SELECT {column} FROM {{s}}.paused");
            self.database().query(&sql, &[]).unwrap()[0].get(0)
        }
    }

    fn rename_column(schema: &str) -> String {
        format!("ALTER TABLE {schema}.paused RENAME COLUMN agent TO who;")
    }

    fn fail_half_way(schema: &str) -> String {
        format!("{} SELECT * FROM {schema}.nowhere;", rename_column(schema))
    }

    run_migration_contract!(OwnSchema::new());

    /// Nodes that start together wait for each other, and the tables are created once.
    #[test]
    fn several_nodes_start_on_an_empty_database_at_once() {
        let schema = OwnSchema::new();
        std::thread::scope(|scope| {
            let open = || schema.open_store().map(drop);
            let nodes: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            nodes.into_iter().for_each(|node| node.join().unwrap().unwrap());
        });
    }
}
