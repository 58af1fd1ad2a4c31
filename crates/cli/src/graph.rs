//! `countersign graph`: check a graph, show it, compare two of them, record a review, lock the file.

mod action_rows;
mod check;
mod diff;
mod lint;
mod lock;
mod proof;
mod review;
mod show;

use crate::args::GraphCommand;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use countersign_core::model::graph::{Decay, Graph, Reviewed};
use countersign_core::model::time::Date;

pub(crate) fn run(command: &GraphCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        GraphCommand::Check(args) => check::check(args, settings),
        GraphCommand::Lint(args) => lint::lint(args, settings),
        GraphCommand::Diff(args) => diff::diff(args, settings),
        GraphCommand::Show(args) => show::show(args, settings),
        GraphCommand::Review(args) => review::review(args, settings),
        GraphCommand::Lock(args) => lock::lock(args, settings),
        GraphCommand::Unlock(args) => lock::unlock(args, settings),
    }
}

/// `1 domain`, `2 domains`.
fn pluralize(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        several => format!("{several} {noun}s"),
    }
}

fn review_date(reviewed: &Reviewed) -> String {
    match reviewed {
        Reviewed::Never => "never".to_owned(),
        Reviewed::On(date) => date.to_string(),
        Reviewed::Unreadable(text) => format!("`{text}`"),
    }
}

fn count_decayed_domains(graph: &Graph, today: Date) -> usize {
    graph.domains.values().filter(|domain| graph.is_decayed(Some(domain), today)).count()
}

fn describe_decay(graph: &Graph) -> String {
    match graph.decay {
        Decay::Off => "consent does not decay".to_owned(),
        Decay::AfterDays(days) => {
            format!("consent decays after {}", pluralize(days as usize, "day"))
        }
    }
}
