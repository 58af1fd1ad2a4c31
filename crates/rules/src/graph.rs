//! `countersign graph`: write a first graph, check it, show it, compare two, review, trust or lock it.

mod action_rows;
mod args;
mod check;
mod diff;
mod lint;
mod lock;
mod new;
mod presets;
mod proof;
mod review;
mod show;
mod trust;

pub use args::GraphCommand;
pub use lock::refuse_if_locked;

use crate::RulesContext;
use action_rows::action_rows;
use anstyle::Style;
use countersign_console::{Exit, Failure, GREEN, RED, YELLOW};
use countersign_core::model::graph::{AppliedLayer, Decay, Graph, LastReview, LayerStanding};
use countersign_core::model::time::Date;
use countersign_core::model::words::Tier;
use std::collections::BTreeMap;

pub fn run_graph_command(command: &GraphCommand, context: &RulesContext) -> Result<Exit, Failure> {
    match command {
        GraphCommand::Check(args) => check::check(args, context),
        GraphCommand::Lint(args) => lint::lint(args, context),
        GraphCommand::Diff(args) => diff::diff(args, context),
        GraphCommand::Show(args) => show::show(args, context),
        GraphCommand::Review(args) => review::review(args, context),
        GraphCommand::New(args) => new::new_graph(args, context),
        GraphCommand::Trust(args) => trust::trust(args, context),
        GraphCommand::Lock(args) => lock::lock(args, context),
        GraphCommand::Unlock(args) => lock::unlock(args, context),
    }
}

/// `1 domain`, `2 domains`.
pub fn pluralize(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        several => format!("{several} {noun}s"),
    }
}

/// The rules of a repository in one line.
pub(crate) fn describe_layer(layer: &AppliedLayer) -> String {
    let hash = layer.of.hash.short();
    match layer.of.standing {
        LayerStanding::Narrowing => format!("its own rules hold, too: they only narrow ({hash})"),
        LayerStanding::Trusted => format!("its own rules hold, too, as you trusted them ({hash})"),
        LayerStanding::Ignored => format!("its own rules do not hold: {}", layer.why),
        LayerStanding::Unreadable => {
            format!("its own rules cannot be read, so everything asks: {}", layer.why)
        }
    }
}

fn review_date(reviewed: &LastReview) -> String {
    match reviewed {
        LastReview::Never => "never".to_owned(),
        LastReview::On(date) => date.to_string(),
        LastReview::Unreadable(text) => format!("`{text}`"),
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

/// The autonomous verbs of each domain.
fn autonomous_verbs(graph: &Graph) -> BTreeMap<&str, Vec<&str>> {
    let mut verbs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in action_rows(graph).iter().filter(|row| row.rule.tier == Tier::Autonomous) {
        verbs.entry(row.action.domain()).or_default().push(row.action.verb());
    }
    verbs
}

fn tier_style(tier: Tier) -> Style {
    match tier {
        Tier::Autonomous => GREEN,
        Tier::RequiresApproval => YELLOW,
        Tier::Blocked => RED,
    }
}
