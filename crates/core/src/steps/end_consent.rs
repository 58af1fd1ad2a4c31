//! Ends the consent for the plan or the tasks of a session.

use crate::decide::facts::Facts;
use crate::model::change::{Change, GrantEnding};
use crate::model::grant::{Grant, GrantState, Source};
use crate::model::names::SessionKey;

/// Ends the unused steps of the session's plan.
pub fn end_plan_steps(facts: &Facts, session: &SessionKey) -> Vec<Change> {
    let open = |grant: &&Grant| {
        grant.source == Source::Plan
            && grant.made_in == *session
            && matches!(
                grant.state,
                GrantState::Live | GrantState::Released { .. } | GrantState::Reserved { .. }
            )
    };
    end_grants(facts.state.grants.iter().filter(open))
}

/// Ends the consent for the tasks of a session.
pub fn end_task_consent(facts: &Facts, session: &SessionKey) -> Vec<Change> {
    let open = |grant: &&Grant| {
        grant.is_for_task() && grant.made_in == *session && grant.state == GrantState::Live
    };
    end_grants(facts.state.grants.iter().filter(open))
}

fn end_grants<'a>(grants: impl Iterator<Item = &'a Grant>) -> Vec<Change> {
    grants.map(|g| Change::GrantEnded { grant: g.id, why: GrantEnding::Reset }).collect()
}
