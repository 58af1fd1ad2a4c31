//! Instants at which something ends: where `<` and `<=` part ways.

use super::World;
use crate::chance::Chance;
use countersign_core::model::limits;
use countersign_core::model::request::Attendance;
use countersign_core::model::time::{Span, Time};

/// Moves the clock: a little, or to the end of something, or right beside it.
pub fn wait(world: &mut World, chance: &mut Chance) {
    let ends: Vec<Time> = ends(world).into_iter().filter(|end| *end > world.now).collect();
    let near: Vec<Time> =
        ends.iter().copied().filter(|end| *end <= world.now + Span::hours(25)).collect();
    let from = if chance.percent(80) { &near } else { &ends };
    let beside = chance.below(3);
    match chance.pick(from) {
        Some(end) if chance.percent(60) => {
            let at = match beside {
                0 => end.micros() - 1,
                1 => end.micros(),
                _ => end.micros() + 1,
            };
            world.now = Time::from_micros(at);
        }
        Some(_) | None => world.now = world.now + Span::seconds(1),
    }
}

fn ends(world: &World) -> Vec<Time> {
    let state = &world.state;
    let mut ends: Vec<Time> = state.grants.iter().filter_map(|grant| grant.ends_at).collect();
    let days = world.graph.as_ref().map_or(30, |graph| graph.review_days);
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
