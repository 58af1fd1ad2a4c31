//! Random histories before a decision, produced with the real steps of `countersign_core`.

use super::{Scenario, boundaries, findings, names, random_calls, rare_states};
use crate::rng::Rng;
use countersign_conversation::plan::{answer_plan, propose_plan};
use countersign_conversation::{ShortReply, Turn, say};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::change::{Change, Gesture};
use countersign_core::model::command::{Command, CommandAnalysis};
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::{Confirmation, Coverage, Grant, Scope};
use countersign_core::model::ids::{CallId, GestureId, IdGenerator, RunId};
use countersign_core::model::limits;
use countersign_core::model::names::{Agent, NodeName, Project, Workflow};
use countersign_core::model::place::{ActionOrigin, Place};
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::request::{
    Answer, AnswerChoices, AnswerFrom, Attendance, Request, Start,
};
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::run::RunState;
use countersign_core::model::run_file::{RunFileContent, RunFileSighting, SightingCause};
use countersign_core::model::session_place::SessionFolders;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Choice, Covers, Effect, Risk, RunEnding};
use countersign_core::state::CallState;
use countersign_core::steps::complete::complete_call;
use countersign_core::steps::record::{record, record_again};
use countersign_core::steps::resolve::resolve_call;
use countersign_core::steps::retry::retry_call;
use countersign_core::steps::revoke::Revoke;
use countersign_core::steps::revoke::revoke_grants;
use countersign_core::steps::settle::{create_direct_grant, create_run};
use countersign_core::{decide, settle, sweep};
use std::collections::BTreeMap;
use std::sync::Arc;

pub fn open_sessions(scenario: &mut Scenario) -> Option<()> {
    for (session, agent, project) in names::SESSIONS.into_iter().take(4) {
        let agent = Agent::parse(agent).ok()?;
        let change = Change::SessionOpened {
            session: names::session_key(&agent, session)?,
            agent,
            project: project.and_then(|project| Project::parse(project).ok()),
            folders: SessionFolders::default(),
        };
        let Change::SessionOpened { session, .. } = &change else { continue };
        let hash = RunFileContent::Hash("aa".to_owned());
        let seen = RunFileSighting {
            cause: SightingCause::Opening,
            at: scenario.now,
            files: BTreeMap::from([("/w/Makefile".to_owned(), hash)]),
        };
        let seen = Change::RunFilesSeen { session: session.clone(), seen: Box::new(seen) };
        apply_changes(scenario, &[change, seen]);
    }
    Some(())
}

/// Performs one random step and applies its changes.
pub fn perform_random_step(scenario: &mut Scenario, rng: &mut Rng) -> Option<()> {
    let ids = IdGenerator::new(scenario.now, rng.next_u64());
    let changes = match rng.below(100) {
        0..28 => make_call(scenario, rng, &ids)?,
        28..43 => answer_request(scenario, rng, &ids),
        43..60 => mint_grant(scenario, rng, &ids)?,
        60..67 => make_gesture(scenario, rng, &ids)?,
        67..73 => start_run(scenario, rng, &ids)?,
        73..82 => accept_plan(scenario, rng, &ids)?,
        82..85 => say_turn(scenario, rng, &ids)?,
        85..87 => finish_call(scenario, rng, &ids),
        87..90 => retry_any_call(scenario, rng, &ids),
        90..93 => end_something(scenario, rng, &ids),
        93..96 => {
            rare_states::alter_state(scenario, rng)?;
            Vec::new()
        }
        _ => {
            boundaries::advance_clock(scenario, rng);
            Vec::new()
        }
    };
    apply_changes(scenario, &changes);
    Some(())
}

fn apply_changes(scenario: &mut Scenario, changes: &[Change]) {
    for change in changes {
        scenario.state.apply(scenario.now, change);
    }
}

fn make_call(scenario: &mut Scenario, rng: &mut Rng, ids: &IdGenerator) -> Option<Vec<Change>> {
    match rng.below(10) {
        0..3 => findings::set_random_findings(&mut scenario.ruled, rng)?,
        3..5 => scenario.ruled = RuleResults::default(),
        _ => {}
    }
    scenario.ruled.run_files.clear();
    if rng.chance(12) {
        findings::set_random_run_files(scenario, rng)?;
    }
    let repeated =
        if rng.chance(25) { random_calls::draft_repeated_call(scenario, rng) } else { None };
    let draft = match repeated {
        Some(draft) => draft,
        None => random_calls::draft_random_call(scenario, rng)?,
    };
    let facts = scenario.facts(ids);
    let Ok(call) = resolve_call(&facts, draft) else { return Some(Vec::new()) };
    let call = Arc::new(call);
    let decision = decide(&facts, &call);
    let changes = record(&facts, &call, &decision);
    apply_changes(scenario, &changes);
    // Half of the permitted calls keep running.
    if decision.goes_ahead() && rng.chance(50) {
        return Some(complete_call(&scenario.facts(ids), call.id, pick_effect(rng)));
    }
    Some(Vec::new())
}

fn pick_effect(rng: &mut Rng) -> Effect {
    rng.pick(Effect::ALL).copied().unwrap_or(Effect::Done)
}

fn answer_request(scenario: &Scenario, rng: &mut Rng, ids: &IdGenerator) -> Vec<Change> {
    let facts = scenario.facts(ids);
    let open: Vec<&Request> =
        scenario.state.requests.values().filter(|request| request.is_open(scenario.now)).collect();
    let Some(request) = rng.pick(&open) else { return Vec::new() };
    let mut items = BTreeMap::new();
    let decline = rng.chance(35);
    for item in request.open_items() {
        let choices: Vec<Choice> =
            item.choices.iter().copied().filter(|c| (*c == Choice::Decline) == decline).collect();
        if let (Some(action), Some(choice)) = (&item.action, rng.pick(&choices)) {
            items.insert(action.clone(), *choice);
        }
    }
    let answer = Answer {
        say: AnswerChoices::Items(items),
        note: String::new(),
        proof: AnswerProof::TypedText,
        lasts: None,
        covers: pick_coverage(request, rng),
        from: AnswerFrom::Embedder,
    };
    settle(&facts, &[request], &answer).changes
}

/// How far a wider yes goes: mostly as far as the card offers it.
fn pick_coverage(request: &Request, rng: &mut Rng) -> Option<Covers> {
    let bounds = || request.open_items().filter_map(|item| item.bounds.as_deref());
    let has_head = bounds().any(|bounds| !bounds.heads.is_empty());
    let is_of_class = bounds().any(|bounds| bounds.origin == ActionOrigin::Class);
    match rng.below(10) {
        0..4 if has_head => Some(Covers::Head),
        4..7 if is_of_class => Some(Covers::Actions),
        9 => rng.pick(Covers::ALL).copied(),
        _ => None,
    }
}

fn mint_grant(scenario: &Scenario, rng: &mut Rng, ids: &IdGenerator) -> Option<Vec<Change>> {
    let (session, agent, project) = names::pick_session(rng)?;
    let coverage = match rng.below(15) {
        0..5 => Coverage::Action(names::pick_action(rng)?),
        5..8 => Coverage::Category(names::pick_category(rng)?),
        8 => Coverage::Program(findings::pick_program(rng)?),
        9..12 => {
            Coverage::Head { words: findings::pick_head(rng)?, action: names::pick_action(rng)? }
        }
        12..14 => {
            let cwd = rng.pick(&[None, Some("/tmp")])?.map(str::to_owned);
            let named = rng.chance(20);
            let action = if named { Some(names::pick_action(rng)?) } else { None };
            Coverage::Command { argv: generate_command_pattern(rng)?, cwd, action }
        }
        _ => Coverage::Everything,
    };
    let scopes = [Scope::Once, Scope::Until, Scope::Session, Scope::Project];
    let confirmation = match rng.chance(50) {
        true => Confirmation::Confirmed,
        false => Confirmation::Plain,
    };
    let terms = (*rng.pick(&scopes)?, None, confirmation);
    let holder = Holder { session: &session, agent: &agent, project: project.as_ref() };
    let (mut grant, _) = create_direct_grant(&scenario.facts(ids), &holder, coverage, terms);
    if rng.chance(25) {
        limit_to_place(&mut grant, rng)?;
    }
    Some(vec![Change::GrantMinted { grant: Box::new(grant) }])
}

/// As an answer does that was given about a place: it shows that place, and holds there.
fn limit_to_place(grant: &mut Grant, rng: &mut Rng) -> Option<()> {
    let bounds = rng.below(3);
    grant.within = Some((0..bounds).map(|_| findings::pick_bound(rng)).collect::<Option<_>>()?);
    grant.places = rng.subset(40, Place::ALL);
    grant.shown = *rng.pick(&[Risk::Moderate, Risk::High])?;
    Some(())
}

/// A command, sometimes with an open argument.
fn generate_command_pattern(rng: &mut Rng) -> Option<Vec<String>> {
    let mut argv = names::pick_argv(rng)?;
    if argv.len() > 1 && rng.chance(30) {
        argv.pop();
        argv.push("<where>".to_owned());
    }
    Some(argv)
}

fn make_gesture(scenario: &Scenario, rng: &mut Rng, ids: &IdGenerator) -> Option<Vec<Change>> {
    let mut digests: Vec<_> = scenario.state.calls.values().map(|r| r.call.digest).collect();
    digests.sort_unstable();
    let gesture = Gesture {
        id: GestureId::generate(ids),
        session: names::pick_session(rng)?.0,
        declares: names::pick_actions(rng, 4)?,
        shows: rng.pick(&digests).copied(),
        ends_at: scenario.now + limits::GESTURE,
        node: NodeName::local().clone(),
        surface: None,
    };
    Some(vec![Change::GestureMade { gesture: Box::new(gesture) }])
}

fn start_run(scenario: &Scenario, rng: &mut Rng, ids: &IdGenerator) -> Option<Vec<Change>> {
    let (session, agent, project) = names::pick_session(rng)?;
    let workflow = Workflow::parse(rng.pick(&names::WORKFLOWS)?).ok()?;
    let rule = scenario.graph.as_ref().and_then(|graph| graph.workflows.get(&workflow))?;
    let start = Start {
        run: RunId::generate(ids),
        actions: rule.actions.clone(),
        workflow,
        attendance: match rng.chance(40) {
            true => Attendance::Headless,
            false => Attendance::Attended,
        },
    };
    let shown_risk = if rng.chance(80) { Risk::Moderate } else { Risk::Low };
    let holder = Holder { session: &session, agent: &agent, project: project.as_ref() };
    Some(create_run(&scenario.facts(ids), &holder, &start, shown_risk, None).changes())
}

/// Proposes a plan and accepts it.
fn accept_plan(scenario: &mut Scenario, rng: &mut Rng, ids: &IdGenerator) -> Option<Vec<Change>> {
    let session = names::pick_session(rng)?.0;
    let plan = PlanDraft {
        actions: names::pick_actions(rng, 3)?,
        commands: vec![names::pick_argv(rng)?],
        score: 4,
        turn: scenario.state.turn(&session, scenario.now),
        state: PlanState::Proposed,
    };
    let proposed = propose_plan(&scenario.facts(ids), &session, plan.clone());
    apply_changes(scenario, &proposed);
    Some(answer_plan(&scenario.facts(ids), &session, &plan, &ShortReply::ClearYes).1)
}

fn say_turn(scenario: &Scenario, rng: &mut Rng, ids: &IdGenerator) -> Option<Vec<Change>> {
    let texts = ["stop", "stop", "DRY RUN: show me", "DRY RUN: now", "hm", "that's wrong", "yes"];
    let turn = Turn {
        session: names::pick_session(rng)?.0,
        speaker: Speaker::Operator,
        text: (*rng.pick(&texts)?).to_owned(),
        from: AnswerFrom::Embedder,
    };
    Some(say(&scenario.facts(ids), &turn, analyse_plain).changes)
}

fn analyse_plain(text: &str) -> CommandAnalysis {
    let argv = text.split_whitespace().map(str::to_owned).collect();
    CommandAnalysis { command: Command::Plain { argv, cwd: None }, detectors: Vec::new() }
}

fn finish_call(scenario: &Scenario, rng: &mut Rng, ids: &IdGenerator) -> Vec<Change> {
    let records = scenario.state.calls.iter();
    let running = records.filter(|(_, record)| record.state == CallState::Executing);
    let mut calls: Vec<CallId> = running.map(|(id, _)| *id).collect();
    calls.sort_unstable();
    match rng.pick(&calls) {
        Some(id) => complete_call(&scenario.facts(ids), *id, pick_effect(rng)),
        None => Vec::new(),
    }
}

fn retry_any_call(scenario: &Scenario, rng: &mut Rng, ids: &IdGenerator) -> Vec<Change> {
    let mut calls: Vec<CallId> = scenario.state.calls.keys().copied().collect();
    calls.sort_unstable();
    let picked = rng.pick(&calls).and_then(|id| scenario.state.calls.get(id));
    let Some(record) = picked else { return Vec::new() };
    let (facts, call) = (scenario.facts(ids), &record.call);
    let decision = retry_call(&facts, call.id, &call.session, &call.agent);
    record_again(&facts, call, &decision)
}

/// Ends something: a sweep, the end of a run, a revocation, a restart or a pause.
fn end_something(scenario: &Scenario, rng: &mut Rng, ids: &IdGenerator) -> Vec<Change> {
    let facts = scenario.facts(ids);
    let runs: Vec<_> = scenario.state.runs.values().collect();
    let grants: Vec<_> = scenario.state.grants.iter().map(|grant| grant.id).collect();
    match (rng.below(12), rng.pick(&runs), rng.pick(&grants)) {
        (0..3, _, _) => sweep(&facts),
        (3..5, Some(run), _) => {
            countersign_core::steps::sweep::end_run(&facts, run, RunEnding::Completed)
        }
        (5..8, _, Some(grant)) => {
            let session = scenario.state.grants.get(*grant).map(|grant| grant.made_in.clone());
            let what = Revoke::Grants(vec![*grant]);
            session.map_or_else(Vec::new, |session| {
                revoke_grants(&facts, &session, &what, Speaker::Operator)
            })
        }
        (8, _, _) => vec![Change::Restarted { node: NodeName::local().clone(), uptime: None }],
        (9, Some(run), _) if run.state == RunState::Suspended => {
            vec![Change::RunReattached { run: run.id, node: NodeName::local().clone() }]
        }
        (10 | 11, _, _) => names::pick_agent(rng).map_or_else(Vec::new, |agent| {
            vec![match rng.chance(30) {
                true => Change::AgentPaused { agent },
                false => Change::AgentResumed { agent },
            }]
        }),
        (_, _, _) => Vec::new(),
    }
}
