//! Announces each use of existing consent in one line, so that nothing happens unnoticed.

use super::listing::render_command;
use crate::model::decision::{Basis, Decision};
use crate::model::grant::{Coverage, Grant, GrantPreference, Source};
use crate::state::State;

/// The lines to show when a call is allowed by existing consent.
pub fn announce(state: &State, decision: &Decision) -> Vec<String> {
    if !decision.goes_ahead() {
        return Vec::new();
    }
    let mut lines: Vec<String> =
        decision.grants().filter_map(|id| state.grants.get(id)).map(describe_use).collect();
    for verdict in &decision.verdicts {
        if let Basis::Gesture(_) = verdict.basis {
            lines.push(format!("Using your own click for {}", verdict.action));
        }
    }
    lines.dedup();
    lines
}

fn describe_use(grant: &Grant) -> String {
    let turn = grant.granted_turn;
    if grant.source == Source::Standing && matches!(grant.coverage, Coverage::Command { .. }) {
        return format!("Using session allowlist: {}", render_command(grant));
    }
    if let (Coverage::Category(category), GrantPreference::CategoryInRun) =
        (&grant.coverage, grant.row())
    {
        return format!("Using workflow consent for {category} (granted turn {turn})");
    }
    if let Coverage::Step { action, .. } = &grant.coverage {
        return format!("Using plan consent for {action} (granted turn {turn})");
    }
    format!("Using consent for {} (granted turn {turn})", grant.coverage)
}
