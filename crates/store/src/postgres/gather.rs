//! Everything that a step of some sessions needs, in one round trip and as of one instant.
//!
//! What a function in the database gathers is handed out here as the rows that `load` asks for.
//! What it did not foresee is fetched one by one; then the versions are looked at again, and if
//! one has moved, the slice is loaded anew within a transaction.

use super::database::{Database, Instants, column, damaged};
use super::{Kept as Slice, Versions, names};
use crate::cells::of_slice;
use crate::instant::NEVER;
use crate::load::{By, Rows, load, place};
use crate::rows::Kept;
use crate::{Need, StoreError, Thing, globals};
use countersign_core::model::names::Agent;
use countersign_core::model::time::Time;
use countersign_core::state::State;
use postgres::types::Type;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Being STABLE, all its statements see what the one statement sees that calls it.
pub(super) fn function(schema: &str) -> String {
    let row = "r.kept, r.key, r.place, r.session, r.project, r.agent, r.run, r.active, r.body";
    let settings = globals::READ.map(|key| format!("'{key}'")).join(", ");
    format!(
        "CREATE FUNCTION {schema}.gather(
             sessions text[], things text[], keys text[], runs text[], agents text[], projects text[]
         ) RETURNS TABLE (
             kept text, key text, place bigint, session text, project text, agent text, run text,
             active boolean, body text
         ) LANGUAGE plpgsql STABLE SET search_path = {schema}, pg_catalog AS $$
         #variable_conflict use_column
         DECLARE named text[]; owners text[]; homes text[];
         BEGIN
             named := sessions;
             IF cardinality(keys) > 0 THEN
                 named := named || ARRAY(
                     SELECT r.session FROM unnest(things, keys) AS t(kept, key)
                     JOIN records r ON r.kept = t.kept AND r.key = t.key WHERE r.session IS NOT NULL);
                 RETURN QUERY SELECT {row} FROM unnest(things, keys) AS t(kept, key)
                     JOIN records r ON r.kept = t.kept AND r.key = t.key;
             END IF;
             IF cardinality(runs) > 0 THEN
                 named := named || ARRAY(
                     SELECT r.session FROM records r
                     WHERE r.kept = 'requests' AND r.run = ANY (runs) AND r.session IS NOT NULL);
                 RETURN QUERY SELECT {row} FROM records r
                     WHERE r.kept = 'requests' AND r.run = ANY (runs);
             END IF;
             RETURN QUERY SELECT {row} FROM records r
                 WHERE r.kept = 'sessions' AND r.key = ANY (named);
             RETURN QUERY SELECT {row} FROM records r WHERE r.session = ANY (named) AND r.active;
             RETURN QUERY SELECT {row} FROM records c
                 CROSS JOIN LATERAL json_array_elements_text(c.body::json -> 'requests') AS asked(id)
                 JOIN records r ON r.kept = 'requests' AND r.key = asked.id AND NOT r.active
                 WHERE c.session = ANY (named) AND c.kept = 'calls' AND c.active;
             SELECT array_agg(r.agent), array_agg(r.project) INTO owners, homes FROM records r
                 WHERE r.kept = 'sessions' AND r.key = ANY (named);
             agents := agents || owners;
             homes := array_remove(projects || homes, NULL);
             RETURN QUERY SELECT {row} FROM records r
                 WHERE r.kept IN ('declined', 'notices') AND r.active AND r.agent = ANY (agents);
             IF cardinality(homes) > 0 THEN
                 RETURN QUERY SELECT {row} FROM records r
                     WHERE r.project = ANY (homes) AND r.kept = 'grants' AND r.active;
             END IF;
             RETURN QUERY SELECT 'cell', c.cell, c.version, NULL::text, NULL::text, NULL::text, NULL::text, NULL::boolean, NULL::text
                 FROM unnest(ARRAY['all'] || ARRAY(SELECT 'session:' || n FROM unnest(named) AS n)
                     || ARRAY(SELECT 'agent:' || n FROM unnest(agents) AS n)
                     || ARRAY(SELECT 'project:' || n FROM unnest(homes) AS n)) AS n(cell)
                 JOIN cells c ON c.cell = n.cell;
             RETURN QUERY SELECT 'paused', p.agent, 0::bigint, NULL::text, NULL::text, NULL::text, NULL::text, NULL::boolean, NULL::text FROM paused p;
             RETURN QUERY SELECT 'setting', s.key, 0::bigint, NULL::text, NULL::text, NULL::text, NULL::text, NULL::boolean,
                 s.value FROM settings s WHERE s.key IN ({settings});
             RETURN QUERY SELECT 'last', '', substring(left(e.bytes, 32) FROM '^[{{]\"at\":(-?[0-9]+),')::bigint,
                 NULL::text, NULL::text, NULL::text, NULL::text, NULL::boolean, NULL::text
                 FROM entries e ORDER BY e.seq DESC LIMIT 1;
             RETURN QUERY SELECT 'now', '', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
                 NULL::text, NULL::text, NULL::text, NULL::text, NULL::boolean, NULL::text;
         END $$;"
    )
}

/// Where cells stand, in the order of their names, and after them what time it is and when
/// something was committed last. A function, so that its plan is made once for a connection and
/// not for every read.
pub(super) fn standing(schema: &str) -> String {
    format!(
        "CREATE FUNCTION {schema}.standing(names text[]) RETURNS bigint[]
         LANGUAGE plpgsql STABLE SET search_path = {schema}, pg_catalog AS $$
         BEGIN
             RETURN ARRAY(
                 SELECT coalesce(c.version, 0) FROM unnest(names) WITH ORDINALITY AS n(cell, place)
                 LEFT JOIN cells c ON c.cell = n.cell ORDER BY n.place
             ) || (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
                 || (SELECT substring(left(e.bytes, 32) FROM '^[{{]\"at\":(-?[0-9]+),')::bigint
                     FROM entries e ORDER BY e.seq DESC LIMIT 1);
         END $$;"
    )
}

/// A slice with the versions of its cells; none if something moved while it was put together.
pub(super) fn slice(
    database: &mut Database,
    need: &Need,
) -> Result<Option<(Slice, Instants)>, StoreError> {
    let gathered = Gathered::of(database, need)?;
    let (instants, known) = (gathered.instants, gathered.cells.clone());
    let mut rows = Beside { gathered, database, missed: Missed::Nothing };
    let state = load(&mut rows, need)?;
    let Beside { gathered, database, missed } = rows;
    let wanted = names(&of_slice(need, &state));
    let versions: Versions =
        wanted.iter().map(|cell| (cell.clone(), known.get(cell).copied().unwrap_or(0))).collect();
    let foreseen = wanted.iter().all(|cell| gathered.is_asked(cell));
    if (missed == Missed::Something || !foreseen) && database.versions(&wanted)?.0 != versions {
        return Ok(None);
    }
    Ok(Some((Slice { state: Arc::new(state), versions, commits: 0, heard: 0 }, instants)))
}

/// One row of a table, as `load` may ask for it.
struct Found {
    kept: String,
    key: String,
    place: i64,
    session: Option<String>,
    project: Option<String>,
    agent: Option<String>,
    run: Option<String>,
    active: bool,
    body: String,
}

struct Gathered {
    /// In the order in which they were first written, each once.
    rows: Vec<Found>,
    cells: BTreeMap<String, i64>,
    paused: Vec<Agent>,
    settings: Vec<(String, String)>,
    instants: Instants,
    /// What all rows were gathered of.
    sessions: BTreeSet<String>,
    agents: BTreeSet<String>,
    projects: BTreeSet<String>,
    runs: BTreeSet<String>,
    things: BTreeSet<(&'static str, String)>,
}

impl Gathered {
    fn of(database: &mut Database, need: &Need) -> Result<Self, StoreError> {
        let sessions: Vec<&str> = need.sessions.iter().map(|name| name.as_str()).collect();
        let places: Vec<(Kept, String)> = need.things.iter().map(|thing| place(*thing)).collect();
        let things: Vec<&str> = places.iter().map(|(kept, _)| kept.table()).collect();
        let keys: Vec<&str> = places.iter().map(|(_, key)| key.as_str()).collect();
        let is_run = |thing: &&Thing| matches!(thing, Thing::Run(_));
        let runs: Vec<String> =
            need.things.iter().filter(is_run).map(|thing| place(*thing).1).collect();
        let opening = need.opening.as_ref();
        let agents: Vec<&str> = opening.iter().map(|(agent, _)| agent.as_str()).collect();
        let projects: Vec<&str> =
            opening.iter().filter_map(|(_, p)| p.as_ref()).map(|p| p.as_str()).collect();
        let rows = database.ask(
            "SELECT * FROM {s}.gather($1, $2, $3, $4, $5, $6)",
            &[
                (&sessions, Type::TEXT_ARRAY),
                (&things, Type::TEXT_ARRAY),
                (&keys, Type::TEXT_ARRAY),
                (&runs, Type::TEXT_ARRAY),
                (&agents, Type::TEXT_ARRAY),
                (&projects, Type::TEXT_ARRAY),
            ],
        )?;
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let mut gathered = Self {
            rows: Vec::with_capacity(rows.len()),
            cells: BTreeMap::new(),
            paused: Vec::new(),
            settings: Vec::new(),
            instants: Instants { now: Time::from_micros(0), last: NEVER },
            sessions: owned(&sessions),
            agents: owned(&agents),
            projects: owned(&projects),
            runs: runs.into_iter().collect(),
            things: places.iter().map(|(kept, key)| (kept.table(), key.clone())).collect(),
        };
        rows.iter().try_for_each(|row| gathered.sort_in(row))?;
        gathered.rows.sort_by_key(|row| row.place);
        gathered.rows.dedup_by_key(|row| row.place);
        gathered.name_all();
        Ok(gathered)
    }

    fn sort_in(&mut self, row: &postgres::Row) -> Result<(), StoreError> {
        let (kept, key, place): (String, String, i64) =
            (column(row, 0)?, column(row, 1)?, column(row, 2)?);
        match kept.as_str() {
            "cell" => drop(self.cells.insert(key, place)),
            "paused" => {
                let agent = Agent::parse(&key).map_err(|e| damaged("who is paused", &e))?;
                self.paused.push(agent);
            }
            "setting" => self.settings.push((key, column(row, 8)?)),
            "now" => self.instants.now = Time::from_micros(place),
            "last" => self.instants.last = Time::from_micros(place),
            _ => self.rows.push(Found {
                kept,
                key,
                place,
                session: column(row, 3)?,
                project: column(row, 4)?,
                agent: column(row, 5)?,
                run: column(row, 6)?,
                active: column(row, 7)?,
                body: column(row, 8)?,
            }),
        }
        Ok(())
    }

    /// The same names that the function has found.
    fn name_all(&mut self) {
        let requests = Kept::Requests.table();
        for row in &self.rows {
            let named = self.things.iter().any(|(kept, key)| *kept == row.kept && *key == row.key);
            let starts =
                row.kept == requests && row.run.as_ref().is_some_and(|run| self.runs.contains(run));
            if named || starts {
                self.sessions.extend(row.session.clone());
            }
        }
        for row in self.rows.iter().filter(|row| row.kept == Kept::Sessions.table()) {
            if self.sessions.contains(&row.key) {
                self.agents.extend(row.agent.clone());
                self.projects.extend(row.project.clone());
            }
        }
    }

    /// Whether the version of this cell would have come with the rest.
    fn is_asked(&self, cell: &str) -> bool {
        match cell.split_once(':') {
            None => true,
            Some(("session", name)) => self.sessions.contains(name),
            Some(("agent", name)) => self.agents.contains(name),
            Some((_, name)) => self.projects.contains(name),
        }
    }

    /// What was gathered of these; none if that cannot be all there is.
    fn all(&self, kept: Kept, by: By<'_>) -> Option<Vec<(String, String)>> {
        let table = kept.table();
        let own = |row: &Found| kept != Kept::Grants || row.project.is_none();
        let these = |fits: &dyn Fn(&Found) -> bool| {
            let rows = self.rows.iter().filter(|row| row.kept == table && fits(row));
            rows.map(|row| (row.key.clone(), row.body.clone())).collect::<Vec<_>>()
        };
        let is = |value: &Option<String>, name: &str| value.as_deref() == Some(name);
        match by {
            By::Key(key) => {
                let found = these(&|row| row.key == key);
                let certain = self.things.contains(&(table, key.to_owned()))
                    || (kept == Kept::Sessions && self.sessions.contains(key));
                (certain || !found.is_empty()).then_some(found)
            }
            By::Session(name) => self
                .sessions
                .contains(name)
                .then(|| these(&|row| row.active && is(&row.session, name) && own(row))),
            By::Project(name) if kept == Kept::Grants => self
                .projects
                .contains(name)
                .then(|| these(&|row| row.active && is(&row.project, name))),
            By::Agent(name) => {
                self.agents.contains(name).then(|| these(&|row| row.active && is(&row.agent, name)))
            }
            By::Run(run) => self.runs.contains(run).then(|| these(&|row| is(&row.run, run))),
            By::Project(_) | By::State(_) | By::Active | By::Projects | By::All => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missed {
    Nothing,
    Something,
}

/// What was gathered, and beside it the database for the rest.
struct Beside<'a> {
    gathered: Gathered,
    database: &'a mut Database,
    missed: Missed,
}

impl Rows for Beside<'_> {
    fn fetch(&mut self, kept: Kept, by: By<'_>) -> Result<Vec<(String, String)>, StoreError> {
        if let Some(found) = self.gathered.all(kept, by) {
            return Ok(found);
        }
        self.missed = Missed::Something;
        self.database.fetch(kept, by)
    }

    fn globals(&mut self, state: &mut State) -> Result<(), StoreError> {
        state.paused.extend(self.gathered.paused.iter().cloned());
        let settings = self.gathered.settings.iter();
        settings.for_each(|(key, value)| globals::restore(state, key, value));
        Ok(())
    }

    fn session_of(&mut self, kept: Kept, key: &str) -> Result<Option<String>, StoreError> {
        let table = kept.table();
        let mut rows = self.gathered.rows.iter();
        if let Some(found) = rows.find(|row| row.kept == table && row.key == key) {
            return Ok(found.session.clone());
        }
        if self.gathered.things.contains(&(table, key.to_owned())) {
            return Ok(None);
        }
        self.missed = Missed::Something;
        self.database.session_of(kept, key)
    }
}
