//! `countersign graph`: is the file in order, what does it say, what would a change of it do, and
//! when was it read.

mod check;
mod diff;
mod lint;
mod lock;
mod proof;
mod review;
mod rows;
mod show;

pub(crate) use check::check;
pub(crate) use diff::diff;
pub(crate) use lint::lint;
pub(crate) use lock::{lock, unlock};
pub(crate) use review::review;
pub(crate) use show::show;

use countersign_core::model::graph::{Decay, Graph, Reviewed};
use countersign_core::model::time::Date;

/// `1 domain`, `2 domains`.
fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        several => format!("{several} {one}s"),
    }
}

fn date(reviewed: &Reviewed) -> String {
    match reviewed {
        Reviewed::Never => "never".to_owned(),
        Reviewed::On(date) => date.to_string(),
        Reviewed::Unreadable(text) => format!("`{text}`"),
    }
}

/// How many domains have decayed.
fn decayed(graph: &Graph, today: Date) -> usize {
    graph.domains.values().filter(|domain| graph.is_decayed(Some(domain), today)).count()
}

fn decay(graph: &Graph) -> String {
    match graph.decay {
        Decay::Off => "consent does not decay".to_owned(),
        Decay::AfterDays(days) => format!("consent decays after {}", count(days as usize, "day")),
    }
}
