//! Reads the snapshot of some sessions in one round trip, as of one instant.
//!
//! A function in the database gathers the rows that `load` will ask for. A row that it did not
//! foresee takes a query of its own; then the cell versions are compared again, and if one has
//! changed, the snapshot is loaded again in a transaction.

use super::{PostgresDatabase, StoreInstants, column};
use crate::cells::{cell_names, collect_snapshot_cells};
use crate::instant::NEVER;
use crate::load::{RowFilter, RowSource, load_state, locate_row};
use crate::postgres::{CachedSnapshot, CellVersion, CellVersions};
use crate::rows::{NO_PROJECT, RowKind, StoredRow};
use crate::{ReadScope, RowKey, StoreError, globals};
use countersign_core::model::names::Agent;
use countersign_core::model::time::Time;
use countersign_core::state::State;
use postgres::types::Type;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The function is STABLE, so all its statements see the snapshot of the calling statement.
pub(in crate::postgres) fn gather_function_sql(schema: &str) -> String {
    let row = "r.kept, r.key, r.place, r.session, r.project, r.agent, r.run, r.active, r.body";
    let settings = globals::DECISION_SETTINGS.map(|key| format!("'{key}'")).join(", ");
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
                 JOIN records r ON r.kept = 'requests' AND NOT r.active
                     AND r.key = left(asked.id, 1) || substr(asked.id, 8) || substr(asked.id, 2, 6)
                 WHERE c.session = ANY (named) AND c.kept = 'calls' AND c.active;
             SELECT array_agg(r.agent), array_agg(r.project) INTO owners, homes FROM records r
                 WHERE r.kept = 'sessions' AND r.key = ANY (named);
             agents := agents || owners;
             homes := array_remove(projects || homes, NULL);
             RETURN QUERY SELECT {row} FROM records r
                 WHERE r.kept IN ('declined', 'carried_over', 'notices') AND r.active AND r.agent = ANY (agents);
             IF cardinality(homes) > 0 THEN
                 RETURN QUERY SELECT {row} FROM records r
                     WHERE r.project = ANY (homes) AND r.kept = 'grants' AND r.active;
             END IF;
             RETURN QUERY SELECT 'cell', c.cell, c.version, NULL::text, NULL::text, NULL::text, NULL::text, NULL::boolean, c.decisive::text
                 FROM unnest(ARRAY['globals'] || ARRAY(SELECT 'session:' || n FROM unnest(named) AS n)
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

/// Returns both versions of each cell in the given order, then the present time, then the instant of
/// the last commit. It is a function so that its plan is made once for each connection and not for
/// each read.
pub(in crate::postgres) fn versions_function_sql(schema: &str) -> String {
    format!(
        "CREATE FUNCTION {schema}.cell_versions(names text[]) RETURNS bigint[]
         LANGUAGE plpgsql STABLE SET search_path = {schema}, pg_catalog AS $$
         BEGIN
             RETURN ARRAY(
                 SELECT coalesce(v.version, 0) FROM unnest(names) WITH ORDINALITY AS n(cell, place)
                 LEFT JOIN cells c ON c.cell = n.cell
                 CROSS JOIN LATERAL (VALUES (1, c.version), (2, c.decisive)) AS v(which, version)
                 ORDER BY n.place, v.which
             ) || (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
                 || (SELECT substring(left(e.bytes, 32) FROM '^[{{]\"at\":(-?[0-9]+),')::bigint
                     FROM entries e ORDER BY e.seq DESC LIMIT 1);
         END $$;"
    )
}

/// A snapshot with the versions of its cells; none if a cell changed while it was put together.
pub(super) fn gather_snapshot(
    database: &mut PostgresDatabase,
    scope: &ReadScope,
) -> Result<Option<(CachedSnapshot, StoreInstants)>, StoreError> {
    let gathered = GatheredRows::query(database, scope)?;
    let (instants, known) = (gathered.instants, gathered.cells.clone());
    let mut rows = GatheredSource { gathered, database, extra_queries: 0 };
    let state = load_state(&mut rows, scope)?;
    let GatheredSource { gathered, database, extra_queries } = rows;
    let wanted = cell_names(&collect_snapshot_cells(scope, &state));
    let versions: CellVersions = wanted
        .iter()
        .map(|cell| (cell.clone(), known.get(cell).copied().unwrap_or_default()))
        .collect();
    let foreseen = wanted.iter().all(|cell| gathered.covers_cell(cell));
    if (extra_queries > 0 || !foreseen) && database.read_versions(&wanted)?.0 != versions {
        return Ok(None);
    }
    Ok(Some((
        CachedSnapshot {
            state: Arc::new(state),
            versions: Arc::new(versions),
            commits_since_read: 0,
            notifications: 0,
        },
        instants,
    )))
}

/// A row with the columns that a filter can ask for.
struct GatheredRow {
    kind: String,
    key: String,
    place: i64,
    session: Option<String>,
    project: Option<String>,
    agent: Option<String>,
    run: Option<String>,
    active: bool,
    body: String,
}

struct GatheredRows {
    /// In the order in which they were first written, each once.
    rows: Vec<GatheredRow>,
    cells: CellVersions,
    paused: Vec<Agent>,
    settings: Vec<(String, String)>,
    instants: StoreInstants,
    /// The sessions, agents, projects and runs whose rows are complete.
    sessions: BTreeSet<String>,
    agents: BTreeSet<String>,
    projects: BTreeSet<String>,
    runs: BTreeSet<String>,
    row_keys: BTreeSet<(&'static str, String)>,
}

impl GatheredRows {
    fn query(database: &mut PostgresDatabase, scope: &ReadScope) -> Result<Self, StoreError> {
        let sessions: Vec<&str> = scope.sessions.iter().map(|name| name.as_str()).collect();
        let places: Vec<(RowKind, String)> =
            scope.rows.iter().map(|thing| locate_row(*thing)).collect();
        let things: Vec<&str> = places.iter().map(|(kept, _)| kept.table()).collect();
        let keys: Vec<&str> = places.iter().map(|(_, key)| key.as_str()).collect();
        let is_run = |thing: &&RowKey| matches!(thing, RowKey::Run(_));
        let runs: Vec<String> =
            scope.rows.iter().filter(is_run).map(|thing| locate_row(*thing).1).collect();
        let opener = scope.opener.as_ref();
        let agents: Vec<&str> = opener.iter().map(|opener| opener.agent.as_str()).collect();
        let named = opener.iter().filter_map(|opener| opener.project());
        let projects: Vec<&str> =
            named.map(|project| project.as_str()).chain([NO_PROJECT]).collect();
        let rows = database.query(
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
            cells: CellVersions::new(),
            paused: Vec::new(),
            settings: Vec::new(),
            instants: StoreInstants { now: Time::from_micros(0), last_commit_at: NEVER },
            sessions: owned(&sessions),
            agents: owned(&agents),
            projects: owned(&projects),
            runs: runs.into_iter().collect(),
            row_keys: places.iter().map(|(kept, key)| (kept.table(), key.clone())).collect(),
        };
        rows.iter().try_for_each(|row| gathered.add_row(row))?;
        gathered.rows.sort_by_key(|row| row.place);
        gathered.rows.dedup_by_key(|row| row.place);
        gathered.collect_names();
        Ok(gathered)
    }

    fn add_row(&mut self, row: &postgres::Row) -> Result<(), StoreError> {
        let (kept, key, place): (String, String, i64) =
            (column(row, 0)?, column(row, 1)?, column(row, 2)?);
        match kept.as_str() {
            "cell" => {
                let decisive: String = column(row, 8)?;
                let decisive =
                    decisive.parse().map_err(|e| StoreError::damaged("a version", &e))?;
                self.cells.insert(key, CellVersion { contents: place, decisive });
            }
            "paused" => {
                let agent =
                    Agent::parse(&key).map_err(|e| StoreError::damaged("who is paused", &e))?;
                self.paused.push(agent);
            }
            "setting" => self.settings.push((key, column(row, 8)?)),
            "now" => self.instants.now = Time::from_micros(place),
            "last" => self.instants.last_commit_at = Time::from_micros(place),
            _ => self.rows.push(GatheredRow {
                kind: kept,
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

    /// Repeats what the function did to find sessions, agents and projects.
    fn collect_names(&mut self) {
        let requests = RowKind::Requests.table();
        for row in &self.rows {
            let named =
                self.row_keys.iter().any(|(kept, key)| *kept == row.kind && *key == row.key);
            let starts =
                row.kind == requests && row.run.as_ref().is_some_and(|run| self.runs.contains(run));
            if named || starts {
                self.sessions.extend(row.session.clone());
            }
        }
        for row in self.rows.iter().filter(|row| row.kind == RowKind::Sessions.table()) {
            if self.sessions.contains(&row.key) {
                self.agents.extend(row.agent.clone());
                self.projects.extend(row.project.clone());
            }
        }
    }

    /// Whether the function looked for the version of this cell.
    fn covers_cell(&self, cell: &str) -> bool {
        match cell.split_once(':') {
            None => true,
            Some(("session", name)) => self.sessions.contains(name),
            Some(("agent", name)) => self.agents.contains(name),
            Some((_, name)) => self.projects.contains(name),
        }
    }

    /// The gathered rows; none if there may be more in the database.
    fn find_rows(&self, kind: RowKind, filter: RowFilter<'_>) -> Option<Vec<StoredRow>> {
        let table = kind.table();
        let own = |row: &GatheredRow| kind != RowKind::Grants || row.project.is_none();
        let rows_where = |fits: &dyn Fn(&GatheredRow) -> bool| {
            let rows = self.rows.iter().filter(|row| row.kind == table && fits(row));
            rows.map(|row| StoredRow { key: row.key.clone(), body: row.body.clone() })
                .collect::<Vec<_>>()
        };
        let is = |value: &Option<String>, name: &str| value.as_deref() == Some(name);
        match filter {
            RowFilter::Key(key) => {
                let found = rows_where(&|row| row.key == key);
                let is_complete = self.row_keys.contains(&(table, key.to_owned()))
                    || (kind == RowKind::Sessions && self.sessions.contains(key));
                (is_complete || !found.is_empty()).then_some(found)
            }
            RowFilter::Session(name) => self
                .sessions
                .contains(name)
                .then(|| rows_where(&|row| row.active && is(&row.session, name) && own(row))),
            RowFilter::Project(name) if kind == RowKind::Grants => self
                .projects
                .contains(name)
                .then(|| rows_where(&|row| row.active && is(&row.project, name))),
            RowFilter::Agent(name) => self
                .agents
                .contains(name)
                .then(|| rows_where(&|row| row.active && is(&row.agent, name))),
            RowFilter::Run(run) => {
                self.runs.contains(run).then(|| rows_where(&|row| is(&row.run, run)))
            }
            RowFilter::Project(_)
            | RowFilter::State(_)
            | RowFilter::Active
            | RowFilter::Projects
            | RowFilter::All => None,
        }
    }
}

/// The gathered rows, and the database for those that are missing.
struct GatheredSource<'a> {
    gathered: GatheredRows,
    database: &'a mut PostgresDatabase,
    extra_queries: usize,
}

impl RowSource for GatheredSource<'_> {
    fn fetch_rows(
        &mut self,
        kind: RowKind,
        filter: RowFilter<'_>,
    ) -> Result<Vec<StoredRow>, StoreError> {
        if let Some(found) = self.gathered.find_rows(kind, filter) {
            return Ok(found);
        }
        self.extra_queries += 1;
        self.database.fetch_rows(kind, filter)
    }

    fn load_globals(&mut self, state: &mut State) -> Result<(), StoreError> {
        state.paused.extend(self.gathered.paused.iter().cloned());
        let settings = self.gathered.settings.iter();
        settings.for_each(|(key, value)| globals::restore_setting(state, key, value));
        Ok(())
    }

    fn find_session(&mut self, kind: RowKind, key: &str) -> Result<Option<String>, StoreError> {
        let table = kind.table();
        let mut rows = self.gathered.rows.iter();
        if let Some(found) = rows.find(|row| row.kind == table && row.key == key) {
            return Ok(found.session.clone());
        }
        if self.gathered.row_keys.contains(&(table, key.to_owned())) {
            return Ok(None);
        }
        self.extra_queries += 1;
        self.database.find_session(kind, key)
    }
}
