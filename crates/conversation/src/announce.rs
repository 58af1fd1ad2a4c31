//! Announces in one line why consent was asked for, used or cleared, so that nothing happens
//! unnoticed. The sentences are those that people know from the earlier system.
//!
//! See docs/decisions/0065-announcements.md.

use crate::listing::{describe_turn, render_command};
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::category::Category;
use countersign_core::model::change::{Change, Reset};
use countersign_core::model::decision::{ConsentBasis, Decision, Verdict};
use countersign_core::model::grant::{Coverage, Grant, GrantPreference, Owner};
use countersign_core::model::graph::Graph;
use countersign_core::model::run::Run;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Outcome, Reason, Risk, RunEnding};
use countersign_core::state::State;

/// What an announcement is about. For an entry of the ledger, `at` is the time of the entry.
#[derive(Clone, Copy)]
pub struct AnnounceContext<'a> {
    pub graph: Option<&'a Graph>,
    pub state: &'a State,
    pub at: Time,
}

impl<'a> From<&Facts<'a>> for AnnounceContext<'a> {
    fn from(facts: &Facts<'a>) -> Self {
        Self { graph: facts.graph, state: facts.state, at: facts.now }
    }
}

/// The lines to show about a decision that rests on consent, or that asks for it.
pub fn announce(context: AnnounceContext<'_>, call: &Call, decision: &Decision) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for verdict in &decision.verdicts {
        let said = match (decision.outcome, verdict.outcome) {
            (Outcome::Allow | Outcome::Notify, _) => announce_uses(context, verdict),
            (Outcome::Ask, Outcome::Ask) => {
                announce_question(context, call, verdict).into_iter().collect()
            }
            (Outcome::Ask | Outcome::Deny, _) => Vec::new(),
        };
        lines.extend(said);
    }
    let mut known: Vec<String> = Vec::new();
    lines.retain(|line| {
        let is_new = !known.contains(line);
        if is_new {
            known.push(line.clone());
        }
        is_new
    });
    lines
}

fn announce_uses(context: AnnounceContext<'_>, verdict: &Verdict) -> Vec<String> {
    match verdict.basis.consent() {
        Some(ConsentBasis::Grants(ids)) => {
            let grants = ids.iter().filter_map(|id| context.state.grants.get(*id));
            grants.filter_map(|grant| describe_use(grant, verdict)).collect()
        }
        Some(ConsentBasis::Gesture(_)) => {
            vec![format!("Using your own click for {}", verdict.action)]
        }
        Some(ConsentBasis::Parent(_)) if verdict.reason == Reason::Nested => {
            vec![format!("Using the consent of the call around it for {}", verdict.action)]
        }
        Some(ConsentBasis::Parent(_)) | None => Vec::new(),
    }
}

/// None for the answer to exactly this call, which is no consent from before.
fn describe_use(grant: &Grant, verdict: &Verdict) -> Option<String> {
    let granted = describe_turn(grant.granted_turn);
    if let Owner::Project(_) = grant.owner {
        let (covers, day) = (grant.describe_coverage(), grant.granted_at.date());
        return Some(format!("Using project consent for {covers} (granted {day})"));
    }
    if grant.is_standing_command() {
        return Some(format!("Using session allowlist: {}", render_command(grant)));
    }
    Some(match (&grant.coverage, grant.row()) {
        (Coverage::Digest { .. }, _) => return None,
        (Coverage::Category(category), GrantPreference::CategoryInRun) => {
            let what = describe_category_uses(category);
            format!("Using workflow consent for {what} ({granted})")
        }
        (Coverage::Run { .. }, _) => {
            format!("Using workflow consent for {} ({granted})", verdict.action)
        }
        (Coverage::Step { action, .. }, _) => {
            format!("Using plan consent for {action} ({granted})")
        }
        (_, _) => format!("Using consent for {} ({granted})", grant.describe_coverage()),
    })
}

/// Why an action is asked about, where the conversation gives the reason.
fn announce_question(
    context: AnnounceContext<'_>,
    call: &Call,
    verdict: &Verdict,
) -> Option<String> {
    let overdue = find_overdue_workflow(context.state, call, context.at);
    if let (Some(workflow), Reason::Expired) = (overdue, verdict.reason) {
        return Some(ask_whether_still_working(workflow));
    }
    let lacks_consent =
        matches!(verdict.reason, Reason::NoGrant | Reason::TooRiskyToCarry | Reason::Expired);
    if lacks_consent && verdict.risk >= Risk::High {
        return Some("Risky operation, always requires consent".to_owned());
    }
    if verdict.reason == Reason::NoGrant {
        return announce_first_question(context, call, verdict);
    }
    None
}

/// The work of a call whose consent has to be confirmed, because it has gone on for long.
pub fn find_overdue_workflow<'a>(state: &'a State, call: &Call, at: Time) -> Option<&'a str> {
    let run = state.runs.get(&call.run?).filter(|run| run.is_live(at))?;
    run.is_due(state.turn(&call.session, at)).then_some(run.name())
}

/// The question in the form that people know.
pub fn ask_whether_still_working(work: &str) -> String {
    format!("Still working on {work}, consent still valid?")
}

/// The first question about a category in a workflow.
fn announce_first_question(
    context: AnnounceContext<'_>,
    call: &Call,
    verdict: &Verdict,
) -> Option<String> {
    let run = context.state.runs.get(&call.run?).filter(|run| !run.is_over(context.at))?;
    let rule = context.graph.and_then(|graph| graph.rule(&verdict.action));
    let of_rule = rule.map_or(&[][..], |rule| &rule.categories);
    let mut categories =
        of_rule.iter().chain(&call.given).filter(|category| category.needs_cover());
    let first = categories.find(|category| !was_granted(context, run, category))?;
    Some(format!("First {} in workflow, asking consent", name_first(first, call)))
}

fn was_granted(context: AnnounceContext<'_>, run: &Run, category: &Category) -> bool {
    context.state.grants.iter().any(|grant| {
        grant.run == Some(run.id)
            && grant.granted_at < context.at
            && matches!(&grant.coverage, Coverage::Category(granted) if granted == category)
    })
}

/// What consent for a category is used for: `file edits`.
fn describe_category_uses(category: &Category) -> String {
    match category.as_str() {
        "file-edit" => "file edits".to_owned(),
        other => other.to_owned(),
    }
}

/// One use of a category: `git command`, `file edit`.
fn name_first(category: &Category, call: &Call) -> String {
    let name = match category.as_str() {
        "file-edit" => return "file edit".to_owned(),
        "git" | "git-local" | "git-remote" | "git_write" | "git_push" => "git",
        other => other,
    };
    let noun = if call.command.is_some() { "command" } else { "call" };
    format!("{name} {noun}")
}

/// The end of a run. None if the operator revoked it: the revocation has a reply of its own.
pub fn announce_run_end(how: RunEnding) -> Option<&'static str> {
    match how {
        RunEnding::Completed => Some("Workflow complete, clearing consent state"),
        RunEnding::Cancelled => Some("Workflow cancelled, clearing consent state"),
        RunEnding::Idle => Some("Workflow idle, clearing consent state"),
        RunEnding::Abandoned => {
            Some("Workflow not continued after a restart, clearing consent state")
        }
        RunEnding::Revoked => None,
    }
}

/// The ends of runs, each kind once.
pub(super) fn announce_run_ends(changes: &[Change]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for change in changes {
        let Change::RunEnded { how, .. } = change else { continue };
        let line = announce_run_end(*how).map(str::to_owned);
        lines.extend(line.filter(|line| !lines.contains(line)));
    }
    lines
}

/// A reset of consent. None if other entries announce it.
pub fn announce_reset(why: Reset) -> Option<&'static str> {
    match why {
        Reset::Stop => Some("Stopped, clearing consent state"),
        Reset::Correction => Some("Corrected, clearing consent state"),
        Reset::Clear => Some("Consent state cleared"),
        Reset::ContextSwitch => Some("Context switched, clearing consent state"),
        Reset::Revocation => Some("All consent revoked"),
        Reset::RunEnd => None,
    }
}
