//! The filters of `log`, `ledger query` and `ledger follow`.

use super::TimeArg;
use super::args::FilterArgs;
use crate::entries::ParsedEntry;
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
        let resolve = |time: TimeArg| time.resolve(now);
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
