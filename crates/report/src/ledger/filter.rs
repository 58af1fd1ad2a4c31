//! The filters of `log`, `ledger query` and `ledger follow`.

use super::TimeArg;
use super::args::FilterArgs;
use crate::entries::ParsedEntry;
use countersign_console::{Failure, screen, suggest};
use countersign_core::model::time::Time;
use std::collections::BTreeMap;

pub(crate) struct EntryFilter<'a> {
    filters: &'a FilterArgs,
    /// The position of the first entry.
    from: u64,
    since: Option<Time>,
    until: Option<Time>,
}

impl<'a> EntryFilter<'a> {
    pub(crate) fn in_period(
        filters: &'a FilterArgs,
        since: Option<TimeArg>,
        until: Option<TimeArg>,
        now: Time,
    ) -> Self {
        let resolve = |time: TimeArg| time.resolve(now, screen::utc_offset);
        Self { filters, from: 1, since: since.map(resolve), until: until.map(resolve) }
    }

    pub(crate) fn from_position(filters: &'a FilterArgs, from: u64) -> Self {
        Self { filters, from, since: None, until: None }
    }

    pub(crate) fn matches(&self, entry: &ParsedEntry) -> bool {
        let FilterArgs { session, agent, kinds, ids } = self.filters;
        let ParsedEntry { entry, at, about, .. } = entry;
        let has_id =
            |given: &String| about.ids.iter().any(|id| id.to_string().starts_with(given.as_str()));
        self.from <= entry.seq
            && session.as_ref().is_none_or(|session| about.is_in_session(session))
            && agent.as_ref().is_none_or(|agent| about.agent.as_ref() == Some(agent))
            && (kinds.is_empty() || kinds.contains(&entry.kind))
            && (ids.is_empty() || ids.iter().any(has_id))
            && self.since.is_none_or(|since| since <= *at)
            && self.until.is_none_or(|until| *at < until)
    }
}

/// Near names that are shown for one that the record does not know.
const SHOWN_NAMES: usize = 5;

/// The sessions and agents of the record, at any time, and whether those that a filter names are among
/// them.
#[derive(Default)]
pub(crate) struct KnownNames {
    has_session: bool,
    has_agent: bool,
    /// With the time of their last entry.
    sessions: BTreeMap<String, Time>,
    agents: BTreeMap<String, Time>,
}

impl KnownNames {
    pub(crate) fn add(&mut self, filter: &EntryFilter<'_>, entry: &ParsedEntry) {
        let FilterArgs { session, agent, .. } = filter.filters;
        let about = &entry.about;
        self.has_session |= session.as_ref().is_some_and(|name| about.is_in_session(name));
        self.has_agent |= agent.is_some() && about.agent == *agent;
        if session.is_some()
            && let Some(session) = &about.session
        {
            self.sessions.insert(session.name().to_string(), entry.at);
        }
        if agent.is_some()
            && let Some(agent) = &about.agent
        {
            self.agents.insert(agent.to_string(), entry.at);
        }
    }

    /// A name that the record does not know is a mistake, not an empty list.
    pub(crate) fn check(&self, filter: &EntryFilter<'_>) -> Result<(), Failure> {
        let FilterArgs { session, agent, .. } = filter.filters;
        match (session, agent) {
            (Some(name), _) if !self.has_session => Err(Failure::usage(
                format!("the record has no session `{}`", name.as_str()),
                name_known(name.as_str(), &self.sessions, "sessions"),
            )),
            (_, Some(name)) if !self.has_agent => Err(Failure::usage(
                format!("the record has no agent `{}`", name.as_str()),
                name_known(name.as_str(), &self.agents, "agents"),
            )),
            _ => Ok(()),
        }
    }
}

/// The name that was probably meant, else the names that were used last.
fn name_known(given: &str, known: &BTreeMap<String, Time>, what: &str) -> String {
    if let Some(similar) = suggest::similar_word(given, known.keys().map(String::as_str)) {
        return format!("did you mean `{similar}`?");
    }
    let mut latest: Vec<(&String, &Time)> = known.iter().collect();
    latest.sort_by_key(|(_, at)| std::cmp::Reverse(**at));
    let names: Vec<String> =
        latest.into_iter().take(SHOWN_NAMES).map(|(name, _)| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => format!("it has no {what} yet"),
        names => format!("the latest {what} in it: {}", names.join(", ")),
    }
}
