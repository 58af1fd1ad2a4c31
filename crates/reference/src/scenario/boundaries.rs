//! Times at which something ends: where `<` and `<=` differ.

use super::Scenario;
use crate::rng::Rng;
use countersign_core::model::limits;
use countersign_core::model::request::Attendance;
use countersign_core::model::time::{Span, Time};

/// Moves the clock by a second, or to one microsecond before, at or after the end of something.
pub fn advance_clock(scenario: &mut Scenario, rng: &mut Rng) {
    let ends: Vec<Time> =
        list_ends(scenario).into_iter().filter(|end| *end > scenario.now).collect();
    let near: Vec<Time> =
        ends.iter().copied().filter(|end| *end <= scenario.now + Span::hours(25)).collect();
    let from = if rng.chance(80) { &near } else { &ends };
    let offset = rng.below(3);
    match rng.pick(from) {
        Some(end) if rng.chance(60) => {
            let at = match offset {
                0 => end.micros() - 1,
                1 => end.micros(),
                _ => end.micros() + 1,
            };
            scenario.now = Time::from_micros(at);
        }
        Some(_) | None => scenario.now = scenario.now + Span::seconds(1),
    }
}

fn list_ends(scenario: &Scenario) -> Vec<Time> {
    let state = &scenario.state;
    let mut ends: Vec<Time> = state.grants.iter().filter_map(|grant| grant.ends_at).collect();
    let days = scenario.graph.as_ref().map_or(30, |graph| graph.review_days);
    let due = |at: Time| at + Span::days(i64::from(days));
    ends.extend(state.grants.iter().map(|grant| due(grant.reviewed_at)));
    ends.extend(state.requests.values().map(|request| request.ends_at));
    ends.extend(state.gestures.values().map(|gesture| gesture.ends_at));
    let mut declined: Vec<Time> =
        state.declined.values().map(|declined| declined.at + limits::DECLINE_STICKS).collect();
    declined.sort_unstable();
    ends.extend(declined);
    ends.extend(state.runs.values().map(|run| match run.attendance {
        Attendance::Attended => run.active_at + limits::RUN_IDLE,
        Attendance::Headless => run.active_at + limits::RUN_IDLE_HEADLESS,
    }));
    ends
}
