//! The filters of `log`, `ledger query` and `ledger follow`.

use super::TimeArg;
use super::args::FilterArgs;
use crate::entries::ParsedEntry;
use countersign_console::{Failure, screen};
use countersign_core::model::time::Time;

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

/// Whether the record knows the session and the agent that a filter names, at any time.
#[derive(Default)]
pub(crate) struct KnownNames {
    has_session: bool,
    has_agent: bool,
}

impl KnownNames {
    pub(crate) fn add(&mut self, filter: &EntryFilter<'_>, entry: &ParsedEntry) {
        let FilterArgs { session, agent, .. } = filter.filters;
        let about = &entry.about;
        self.has_session |= session.as_ref().is_some_and(|name| about.is_in_session(name));
        self.has_agent |= agent.is_some() && about.agent == *agent;
    }

    /// A name that the record does not know is a mistake, not an empty list.
    pub(crate) fn check(&self, filter: &EntryFilter<'_>) -> Result<(), Failure> {
        let FilterArgs { session, agent, .. } = filter.filters;
        match (session, agent) {
            (Some(name), _) if !self.has_session => Err(Failure::usage(
                format!("the record has no session `{}`", name.as_str()),
                "`countersign sessions` lists those that are open",
            )),
            (_, Some(name)) if !self.has_agent => Err(Failure::usage(
                format!("the record has no agent `{}`", name.as_str()),
                "`countersign log` without `--agent` shows them all",
            )),
            _ => Ok(()),
        }
    }
}
