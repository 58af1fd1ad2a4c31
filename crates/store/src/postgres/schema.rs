//! The tables in the database, and the one function that writes to them.

use super::database::{Database, failed};
use super::gather;
use crate::rows::Kept;
use crate::{StoreError, is_known};

/// Steps in order; the version of a schema is how many of them it has taken.
const STEPS: [Step; 2] = [first, second];

type Step = fn(&str) -> String;

pub(super) fn migrate(database: &mut Database, schema: &str) -> Result<(), StoreError> {
    take(database, schema, &STEPS)
}

/// Takes the steps that are missing, all of them in one transaction with the version they lead
/// to. Nodes that start together take turns; the lock ends with the transaction, because a pooler
/// may hand the connection to somebody else afterwards.
fn take(database: &mut Database, schema: &str, steps: &[Step]) -> Result<(), StoreError> {
    let begin = format!(
        "BEGIN; SELECT pg_advisory_xact_lock(hashtext('countersign {schema}'));
         CREATE SCHEMA IF NOT EXISTS {schema};
         CREATE TABLE IF NOT EXISTS {schema}.version (steps bigint NOT NULL);"
    );
    let taken = change(database, &begin).and_then(|()| {
        let found = database.version()?;
        is_known(found, steps.len())?;
        for step in steps.iter().skip(found) {
            change(database, &step(schema))?;
        }
        let version = steps.len();
        change(
            database,
            &format!(
                "DELETE FROM {schema}.version; INSERT INTO {schema}.version VALUES ({version});"
            ),
        )
    });
    let end = if taken.is_ok() { "COMMIT" } else { "ROLLBACK" };
    taken.and(change(database, end))
}

fn change(database: &mut Database, sql: &str) -> Result<(), StoreError> {
    database.batch(sql).map_err(|error| failed("changing the tables", &error))
}

/// Refuses a database without our tables, and tables of any other version.
pub(super) fn is_current(database: &mut Database, schema: &str) -> Result<(), StoreError> {
    let asked = database.ask("SELECT to_regclass('{s}.version') IS NOT NULL", &[])?;
    if !asked.first().is_some_and(|row| row.try_get(0).unwrap_or(false)) {
        return Err(StoreError::Absent {
            what: format!("there is no record in the schema `{schema}` of this database"),
            remedy: "name the database that holds one; it is made by the first command that writes"
                .to_owned(),
        });
    }
    crate::record::is_current(database.version()?, STEPS.len())
}

fn cases(condition: impl Fn(Kept) -> String) -> String {
    let whens = Kept::ALL.map(|kept| format!("WHEN '{}' THEN {}", kept.table(), condition(kept)));
    format!("CASE kept {} ELSE false END", whens.join(" "))
}

fn first(schema: &str) -> String {
    let states = cases(|kept| format!("state IN ({})", kept.states()));
    let active = cases(|kept| kept.active().to_owned());
    let over = cases(|kept| {
        kept.final_states().map_or("false".to_owned(), |over| format!("state IN ({over})"))
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
         CREATE INDEX records_of_agent ON {schema}.records (agent) WHERE kept IN ('declined', 'notices') AND active;
         CREATE INDEX records_of_run ON {schema}.records (run) WHERE kept = 'requests' AND run IS NOT NULL;
         CREATE INDEX records_due ON {schema}.records (due) WHERE due IS NOT NULL;
         CREATE INDEX records_running ON {schema}.records (kept, state)
             WHERE state IN ('executing', 'live', 'suspended', 'reserved');
         CREATE INDEX records_noticed ON {schema}.records (place) WHERE kept = 'notices' AND active;
         CREATE TABLE {schema}.cells (cell text PRIMARY KEY, version bigint NOT NULL);
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
    let functions = [function(schema), gather::function(schema), gather::standing(schema)];
    format!("{tables} {} {}", guards(schema), functions.join(" "))
}

/// Grants by their age, and those in force without looking through what is over.
fn second(schema: &str) -> String {
    format!(
        "CREATE INDEX records_granted ON {schema}.records (key COLLATE \"C\") WHERE kept = 'grants';
         CREATE INDEX records_in_force ON {schema}.records (key COLLATE \"C\")
             WHERE kept = 'grants' AND state IN ('live', 'reserved', 'released');"
    )
}

/// What is over stays over, and what is written in the ledger stays written.
fn guards(schema: &str) -> String {
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
         CREATE TRIGGER records_over BEFORE UPDATE ON {schema}.records
             FOR EACH ROW WHEN (OLD.over AND NEW.state <> OLD.state)
             EXECUTE FUNCTION {schema}.over();"
    )
}

/// A whole commit in one statement. It holds the ledger's end, so that nodes take turns; it
/// refuses, and writes nothing, if the end or a cell is not where the node believed it.
fn function(schema: &str) -> String {
    format!(
        "CREATE FUNCTION {schema}.commit_all(
             next_seq bigint, tip bytea, held text[], versions bigint[], moved text[],
             kepts text[], keys text[], sessions text[], projects text[], agents text[],
             runs text[], states text[], dues bigint[], bodies text[],
             seqs bigint[], kinds text[], texts text[], hashes bytea[],
             salts bytea[], sealings text[], erased bigint[],
             pauses text[], resumes text[], setting_keys text[], setting_values text[], tell boolean
         ) RETURNS boolean LANGUAGE plpgsql SET search_path = {schema}, pg_catalog SET lock_timeout = '2s' AS $$
         DECLARE at_seq bigint; at_hash bytea;
         BEGIN
             IF current_setting('synchronous_commit') <> 'on' THEN
                 PERFORM set_config('synchronous_commit', 'on', true);
             END IF;
             SELECT h.next, h.hash INTO at_seq, at_hash FROM head h FOR UPDATE;
             IF at_seq <> next_seq OR at_hash <> tip THEN RETURN false; END IF;
             IF EXISTS (
                 SELECT 1 FROM unnest(held, versions) AS e(cell, version)
                 LEFT JOIN cells c ON c.cell = e.cell
                 WHERE coalesce(c.version, 0) <> e.version
             ) THEN RETURN false; END IF;
             IF array_position(bodies, NULL) IS NOT NULL THEN
                 DELETE FROM records r USING unnest(kepts, keys, bodies) AS d(kept, key, body)
                     WHERE d.body IS NULL AND r.kept = d.kept AND r.key = d.key;
             END IF;
             INSERT INTO records (kept, key, session, project, agent, run, state, due, body)
                 SELECT * FROM unnest(kepts, keys, sessions, projects, agents, runs, states, dues, bodies)
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
             INSERT INTO cells SELECT m.cell, 1 FROM unnest(moved) AS m(cell)
                 ON CONFLICT (cell) DO UPDATE SET version = cells.version + 1;
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
             UPDATE head SET next = next_seq + cardinality(seqs),
                 hash = CASE WHEN cardinality(hashes) = 0 THEN tip ELSE hashes[cardinality(hashes)] END;
             IF tell THEN PERFORM pg_notify('{schema}', ''); END IF;
             RETURN true;
         END $$;"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Need, Postgres, PostgresSettings, Store};
    use countersign_core::model::change::Change;
    use countersign_core::model::names::Agent;
    use countersign_core::model::time::Time;

    fn renamed(schema: &str) -> String {
        format!("ALTER TABLE {schema}.paused RENAME COLUMN agent TO who;")
    }

    fn broken(schema: &str) -> String {
        format!("{} SELECT * FROM {schema}.nowhere;", renamed(schema))
    }

    /// A schema of today with something in it.
    fn filled(schema: &str) -> (PostgresSettings, Database) {
        let mut settings = PostgresSettings::new(&countersign_scratch::shared_server_address());
        settings.schema = format!("{schema}_{}", std::process::id());
        let store = Postgres::open(settings.clone()).unwrap();
        let agent = Agent::parse("coder").unwrap();
        let changes = vec![Change::AgentPaused { agent }];
        store.commit(&Need::nothing(), Time::from_micros(1), changes).unwrap();
        drop(store);
        let database = Database::open(&settings).unwrap();
        (settings, database)
    }

    fn paused(database: &mut Database, column: &str) -> String {
        let rows = database.ask(&format!("SELECT {column} FROM {{s}}.paused"), &[]).unwrap();
        rows[0].get(0)
    }

    #[test]
    fn a_step_keeps_what_is_there_and_an_older_program_then_refuses_it() {
        let (settings, mut database) = filled("steps_kept");
        let before = database.page(0, 10).unwrap();
        take(&mut database, &settings.schema, &[first, second, renamed]).unwrap();
        assert_eq!(database.version().unwrap(), 3);
        assert_eq!(paused(&mut database, "who"), "coder");
        assert_eq!(database.page(0, 10).unwrap(), before);
        take(&mut database, &settings.schema, &[first, second, renamed]).unwrap();
        let refused = Postgres::open(settings.clone()).err().unwrap().to_string();
        assert!(refused.contains("version 3") && refused.contains("newer program"), "{refused}");
        Postgres::remove(&settings).unwrap();
    }

    #[test]
    fn a_step_that_fails_leaves_everything_as_it_was() {
        let (settings, mut database) = filled("steps_broken");
        assert!(take(&mut database, &settings.schema, &[first, second, broken]).is_err());
        assert_eq!(database.version().unwrap(), 2);
        assert_eq!(paused(&mut database, "agent"), "coder");
        assert_eq!(Postgres::open(settings.clone()).unwrap().page(0, 9).unwrap().len(), 1);
        Postgres::remove(&settings).unwrap();
    }

    /// Nodes that start together wait for each other, and the tables are made once.
    #[test]
    fn several_nodes_start_on_an_empty_database_at_once() {
        let mut settings = PostgresSettings::new(&countersign_scratch::shared_server_address());
        settings.schema = format!("steps_together_{}", std::process::id());
        std::thread::scope(|scope| {
            let open = || Postgres::open(settings.clone()).map(drop);
            let nodes: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            nodes.into_iter().for_each(|node| node.join().unwrap().unwrap());
        });
        Postgres::remove(&settings).unwrap();
    }
}
