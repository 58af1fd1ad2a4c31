//! Lists of standing commands and consent, in the form that the earlier system used.

use crate::operations::{OperationConsent, find_grant_of};
use countersign_core::decide::facts::Facts;
use countersign_core::model::command::render_argv;
use countersign_core::model::grant::{Coverage, Grant, Owner, Scope};
use countersign_core::model::limits;
use countersign_core::model::names::SessionKey;
use countersign_core::model::run::Run;
use countersign_core::model::time::Span;
use countersign_core::model::words::Risk;
use countersign_core::state::CallRecord;

/// The standing commands, with how often each was used.
pub fn allowlist(facts: &Facts, session: &SessionKey) -> Vec<String> {
    let commands: Vec<&Grant> = standing_commands(facts, session).collect();
    let mut lines = vec!["Session Allowlist:".to_owned()];
    if commands.is_empty() {
        lines.push("- (empty)".into());
    }
    let line = |grant: &&Grant| format!("- {} ({})", render_command(grant), count_uses(grant));
    lines.extend(commands.iter().map(line));
    lines
}

/// The commands that the operator granted in this session, in words.
pub(super) fn standing_commands<'a>(
    facts: &Facts<'a>,
    session: &'a SessionKey,
) -> impl Iterator<Item = &'a Grant> {
    in_force(facts).filter(|grant| grant.made_in == *session && grant.is_standing_command())
}

/// Everything that is consented to in the session: for everything, by command, for the session, in
/// each workflow, by plan, and in its project.
pub fn consent(facts: &Facts, session: &SessionKey) -> Vec<String> {
    let mut lines = list_grants_of_everything(facts, session);
    lines.extend(allowlist(facts, session));
    let of_session = |grant: &&Grant| is_named_in_session(grant, session);
    let described: Vec<String> =
        in_force(facts).filter(of_session).map(describe_session_grant).collect();
    lines.extend(section("Session consent:", described));
    let runs = facts.state.runs.values().filter(|run| run.session == *session);
    for run in runs.filter(|run| run.is_live(facts.now)) {
        lines.push(String::new());
        lines.extend(list_workflow(facts, run));
    }
    lines.extend(section("Operations:", list_operations(facts, session)));
    let steps = in_force(facts).filter(|grant| is_plan_step(grant, session));
    lines.extend(section("Accepted plan:", steps.map(describe_step).collect()));
    lines.extend(section("Project consent:", list_project_grants(facts, session)));
    lines.push(String::new());
    lines.push("To revoke: \"Revoke consent for: <command>\" or \"Revoke all consent\"".into());
    lines
}

fn in_force<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a Grant> {
    let now = facts.now;
    facts.state.grants.iter().filter(move |grant| grant.in_force(now))
}

/// A heading with its lines, if there are any. Too many are counted.
fn section(heading: &str, entries: Vec<String>) -> Vec<String> {
    if entries.is_empty() {
        return Vec::new();
    }
    let more = entries.len().saturating_sub(limits::CONSENT_LISTED);
    let mut lines = vec![String::new(), heading.to_owned()];
    lines
        .extend(entries.into_iter().take(limits::CONSENT_LISTED).map(|entry| format!("- {entry}")));
    if more > 0 {
        lines.push(format!("- and {more} more: `countersign grants` lists them"));
    }
    lines
}

/// Whether a grant belongs to the session and is in no other part of the list.
fn is_named_in_session(grant: &Grant, session: &SessionKey) -> bool {
    let is_listed_elsewhere = grant.is_standing_command()
        || grant.scope == Scope::Run
        || matches!(
            grant.coverage,
            Coverage::Everything | Coverage::Step { .. } | Coverage::Program(_)
        );
    grant.owner == Owner::Session(session.clone()) && !is_listed_elsewhere
}

/// When a grant was given, in turns. A program that reports no turns has none.
pub(crate) fn describe_turn(turn: u32) -> String {
    match turn {
        0 => "granted before your first message".to_owned(),
        turn => format!("granted turn {turn}"),
    }
}

fn describe_session_grant(grant: &Grant) -> String {
    let (covers, granted) = (grant.describe_coverage(), describe_turn(grant.granted_turn));
    let lasts = match (grant.scope, grant.ends_at) {
        (Scope::Until, Some(end)) => format!("until {end}"),
        (scope, _) => scope.word().to_owned(),
    };
    format!("{covers} ({granted}, {lasts}, {})", count_uses(grant))
}

fn is_plan_step(grant: &Grant, session: &SessionKey) -> bool {
    matches!(grant.coverage, Coverage::Step { .. }) && grant.made_in == *session
}

fn describe_step(grant: &Grant) -> String {
    let action = if let Coverage::Step { action, .. } = &grant.coverage {
        action.to_string()
    } else {
        grant.coverage.to_string()
    };
    format!("{action}, once ({})", describe_turn(grant.granted_turn))
}

/// The grants of the session's project. One that is due for review carries nothing.
fn list_project_grants(facts: &Facts, session: &SessionKey) -> Vec<String> {
    let open = facts.state.open_session(session, facts.now);
    let Some(project) = open.and_then(|open| open.project.clone()) else { return Vec::new() };
    let days = facts.graph.map_or(limits::PROJECT_REVIEW_DAYS, |graph| graph.review_days.into());
    let agent = session.to_agent();
    let describe = |grant: &Grant| {
        let lapses = grant.reviewed_at + Span::days(days) <= facts.now;
        let due = if lapses { ", due for review: it carries nothing" } else { "" };
        let (covers, uses) = (grant.describe_coverage(), count_uses(grant));
        format!("{covers} (granted {}, {uses}{due})", describe_origin(grant, session))
    };
    in_force(facts)
        .filter(|grant| grant.owner == Owner::Project(project.clone()) && grant.agent == agent)
        .filter(|grant| !matches!(grant.coverage, Coverage::Program(_) | Coverage::Everything))
        .filter(|grant| !(grant.is_standing_command() && grant.made_in == *session))
        .map(describe)
        .collect()
}

/// When a grant of the project was given. A turn of another session would say nothing here.
fn describe_origin(grant: &Grant, session: &SessionKey) -> String {
    match grant.made_in == *session {
        true => format!("turn {}", grant.granted_turn),
        false => format!("on {} in session {}", grant.granted_at.date(), grant.made_in.name()),
    }
}

/// Grants of everything, which every report lists first.
fn list_grants_of_everything(facts: &Facts, session: &SessionKey) -> Vec<String> {
    let everything = in_force(facts)
        .filter(|grant| grant.made_in == *session && grant.coverage == Coverage::Everything);
    everything
        .map(|grant| format!("Everything up to {} is granted ({})", grant.shown, grant.scope))
        .collect()
}

fn list_workflow(facts: &Facts, run: &Run) -> Vec<String> {
    let mine =
        in_force(facts).filter(|grant| grant.scope == Scope::Run && grant.run == Some(run.id));
    let (mut operations, mut risky) = (Vec::new(), 0);
    for grant in mine {
        let granted = describe_turn(grant.granted_turn);
        match &grant.coverage {
            Coverage::Run { carries, .. } => {
                operations.extend(carries.iter().map(|action| format!("{action} ({granted})")))
            }
            Coverage::Category(category) => {
                operations.push(format!("{category} ({granted})"));
            }
            Coverage::Action(action) => operations.push(format!("{action} ({granted})")),
            other @ (Coverage::Digest { .. }
            | Coverage::Command { .. }
            | Coverage::Head { .. }
            | Coverage::Class { .. }
            | Coverage::Program(_)
            | Coverage::Everything
            | Coverage::Step { .. }) => operations.push(format!("{other} ({granted})")),
        }
        risky += usize::from(grant.shown >= Risk::High);
    }
    let operations = if operations.is_empty() { "none".to_owned() } else { operations.join(", ") };
    let risky = match risky {
        0 => "- No risky operations consented".to_owned(),
        some => format!("- {some} risky operations consented"),
    };
    let mut lines = vec![
        format!("Current Workflow: \"{}\"", run.name()),
        format!("- Consented operations: {operations}"),
        risky,
    ];
    lines.extend(run.last_plan_turn.map(|turn| format!("- Last plan: turn {turn}")));
    if run.deviations > 0 {
        lines.push(format!("- Deviations from the plan: {}", run.deviations));
    }
    lines
}

/// The calls that wait, are approved or run, and what each rests on. What a rule lets pass rests on
/// no consent.
fn list_operations(facts: &Facts, session: &SessionKey) -> Vec<String> {
    let opening = facts.state.open_session(session, facts.now).map(|open| open.opening);
    let is_here =
        |record: &&CallRecord| record.call.session == *session && Some(record.opening) == opening;
    let calls = facts.state.calls.values().filter(is_here);
    let needs_consent = |record: &&CallRecord| {
        !record.state.is_over()
            && OperationConsent::of_call(record) != OperationConsent::NotApplicable
    };
    calls.filter(needs_consent).map(|record| describe_operation(facts, record)).collect()
}

fn describe_operation(facts: &Facts, record: &CallRecord) -> String {
    let actions: Vec<String> = record.call.actions.iter().map(ToString::to_string).collect();
    let state = match OperationConsent::of_call(record) {
        OperationConsent::Required => "waits for your answer".to_owned(),
        OperationConsent::NotApplicable => "needs no consent".to_owned(),
        OperationConsent::Granted => match find_grant_of(facts.state, record, facts.now) {
            Some(grant) => format!("granted turn {} ({})", grant.granted_turn, grant.source),
            None => "granted".to_owned(),
        },
    };
    format!("{} ({}): {state}", actions.join(", "), record.card_risk)
}

fn count_uses(grant: &Grant) -> String {
    let times = if grant.uses == 1 { "time" } else { "times" };
    format!("used {} {times}", grant.uses)
}

pub(super) fn render_command(grant: &Grant) -> String {
    let Coverage::Command { argv, .. } = &grant.coverage else { return grant.coverage.to_string() };
    render_argv(argv)
}
