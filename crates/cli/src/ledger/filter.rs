//! Which entries are meant.

use super::Seen;
use crate::args::FilterArgs;
use crate::ids::is_id_part;
use countersign_core::model::time::Time;

pub(crate) struct Filter<'a> {
    named: &'a FilterArgs,
    since: Option<Time>,
    until: Option<Time>,
}

impl<'a> Filter<'a> {
    pub(crate) fn new(named: &'a FilterArgs, since: Option<Time>, until: Option<Time>) -> Self {
        Self { named, since, until }
    }

    pub(crate) fn takes(&self, seen: &Seen) -> bool {
        let FilterArgs { session, agent, kinds, ids } = self.named;
        session.as_ref().is_none_or(|session| seen.about.session.as_ref() == Some(session))
            && agent.as_ref().is_none_or(|agent| seen.about.agent.as_ref() == Some(agent))
            && (kinds.is_empty() || kinds.contains(&seen.entry.kind))
            && (ids.is_empty()
                || seen
                    .about
                    .ids
                    .iter()
                    .any(|id| ids.iter().any(|given| is_id_part(&id.to_string(), given))))
            && self.since.is_none_or(|since| since <= seen.at)
            && self.until.is_none_or(|until| seen.at < until)
    }
}
