//! What may have happened before a decision: random operations, carried out by the real ones.

use super::{World, drafts, edges, names, tamper};
use crate::chance::Chance;
use countersign_core::model::change::{Change, Gesture};
use countersign_core::model::command::{Analysed, Command};
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::ids::{CallId, Fresh, GestureId, RunId};
use countersign_core::model::limits;
use countersign_core::model::names::{Agent, NodeName, Project, SessionName, Workflow};
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::request::{Answer, Attendance, Request, Say, Start};
use countersign_core::model::run::RunState;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Choice, Effect, Risk, RunEnding};
use countersign_core::state::CallState;
use countersign_core::steps::complete::complete_call;
use countersign_core::steps::conversation::plan::{answer_plan, propose_plan};
use countersign_core::steps::conversation::{Reply, Turn, say};
use countersign_core::steps::record::{record, record_again};
use countersign_core::steps::resolve::resolve_call;
use countersign_core::steps::retry::retry_call;
use countersign_core::steps::revoke::Revoke;
use countersign_core::steps::revoke::revoke_grants;
use countersign_core::steps::settle::{give, run_started};
use countersign_core::{decide, settle, sweep};
use std::collections::BTreeMap;
use std::sync::Arc;

pub fn open_sessions(world: &mut World) -> Option<()> {
    for (session, agent, project) in names::SESSIONS.into_iter().take(4) {
        let change = Change::SessionOpened {
            session: SessionName::parse(session).ok()?,
            agent: Agent::parse(agent).ok()?,
            project: project.and_then(|project| Project::parse(project).ok()),
        };
        world.state.apply(world.now, &change);
    }
    Some(())
}

/// One thing happens.
pub fn happen(world: &mut World, chance: &mut Chance) -> Option<()> {
    let fresh = Fresh::new(world.now, chance.bits());
    let changes = match chance.below(100) {
        0..28 => called(world, chance, &fresh)?,
        28..42 => answered(world, chance, &fresh),
        42..58 => given(world, chance, &fresh)?,
        58..66 => clicked(world, chance, &fresh)?,
        66..72 => started(world, chance, &fresh)?,
        72..80 => planned(world, chance, &fresh)?,
        80..84 => said(world, chance, &fresh)?,
        84..87 => finished(world, chance, &fresh),
        87..90 => redeemed(world, chance, &fresh),
        90..93 => ended(world, chance, &fresh),
        93..96 => {
            tamper::tamper(world, chance)?;
            Vec::new()
        }
        _ => {
            edges::wait(world, chance);
            Vec::new()
        }
    };
    apply(world, &changes);
    Some(())
}

fn apply(world: &mut World, changes: &[Change]) {
    for change in changes {
        world.state.apply(world.now, change);
    }
}

fn called(world: &mut World, chance: &mut Chance, fresh: &Fresh) -> Option<Vec<Change>> {
    let repeated = if chance.percent(25) { drafts::again(world, chance) } else { None };
    let draft = match repeated {
        Some(draft) => draft,
        None => drafts::random(world, chance)?,
    };
    let facts = world.facts(fresh);
    let Ok(call) = resolve_call(&facts, draft) else { return Some(Vec::new()) };
    let call = Arc::new(call);
    let decision = decide(&facts, &call);
    let changes = record(&facts, &call, &decision);
    apply(world, &changes);
    // Half of what goes ahead is still running.
    if decision.goes_ahead() && chance.percent(50) {
        return Some(complete_call(&world.facts(fresh), call.id, effect(chance)));
    }
    Some(Vec::new())
}

fn effect(chance: &mut Chance) -> Effect {
    chance.pick(Effect::ALL).copied().unwrap_or(Effect::Done)
}

fn answered(world: &World, chance: &mut Chance, fresh: &Fresh) -> Vec<Change> {
    let facts = world.facts(fresh);
    let open: Vec<&Request> =
        world.state.requests.values().filter(|request| request.is_open(world.now)).collect();
    let Some(request) = chance.pick(&open) else { return Vec::new() };
    let mut items = BTreeMap::new();
    let decline = chance.percent(35);
    for item in request.open_items() {
        let choices: Vec<Choice> =
            item.choices.iter().copied().filter(|c| (*c == Choice::Decline) == decline).collect();
        if let (Some(action), Some(choice)) = (&item.action, chance.pick(&choices)) {
            items.insert(action.clone(), *choice);
        }
    }
    let answer = Answer {
        say: Say::Items(items),
        note: String::new(),
        confirmation: Confirmation::Confirmed,
    };
    settle(&facts, &[request], &answer).changes
}

fn given(world: &World, chance: &mut Chance, fresh: &Fresh) -> Option<Vec<Change>> {
    let (session, agent, project) = names::session(chance)?;
    let coverage = match chance.below(10) {
        0..4 => Coverage::Action(names::action(chance)?),
        4..7 => Coverage::Category(names::category(chance)?),
        7..9 => {
            let cwd = chance.pick(&[None, Some("/tmp")])?.map(str::to_owned);
            let named = chance.percent(20);
            let action = if named { Some(names::action(chance)?) } else { None };
            Coverage::Command { argv: pattern(chance)?, cwd, action }
        }
        _ => Coverage::Everything,
    };
    let scopes = [Scope::Once, Scope::Until, Scope::Session, Scope::Project];
    let confirmation = match chance.percent(50) {
        true => Confirmation::Confirmed,
        false => Confirmation::Plain,
    };
    let terms = (*chance.pick(&scopes)?, None, confirmation);
    let holder = Holder { session: &session, agent: &agent, project: project.as_ref() };
    let (grant, _) = give(&world.facts(fresh), &holder, coverage, terms);
    Some(vec![Change::GrantMinted { grant: Box::new(grant) }])
}

/// A command, now and then with an open argument.
fn pattern(chance: &mut Chance) -> Option<Vec<String>> {
    let mut argv = names::argv(chance)?;
    if argv.len() > 1 && chance.percent(30) {
        argv.pop();
        argv.push("<where>".to_owned());
    }
    Some(argv)
}

fn clicked(world: &World, chance: &mut Chance, fresh: &Fresh) -> Option<Vec<Change>> {
    let mut digests: Vec<_> = world.state.calls.values().map(|r| r.call.digest).collect();
    digests.sort_unstable();
    let gesture = Gesture {
        id: GestureId::fresh(fresh),
        session: names::session(chance)?.0,
        declares: names::actions(chance, 4)?,
        shows: chance.pick(&digests).copied(),
        ends_at: world.now + limits::GESTURE,
        node: NodeName::local().clone(),
    };
    Some(vec![Change::GestureMade { gesture: Box::new(gesture) }])
}

fn started(world: &World, chance: &mut Chance, fresh: &Fresh) -> Option<Vec<Change>> {
    let (session, agent, project) = names::session(chance)?;
    let workflow = Workflow::parse(chance.pick(&names::WORKFLOWS)?).ok()?;
    let rule = world.graph.as_ref().and_then(|graph| graph.workflows.get(&workflow))?;
    let start = Start {
        run: RunId::fresh(fresh),
        actions: rule.actions.clone(),
        workflow,
        attendance: match chance.percent(40) {
            true => Attendance::Headless,
            false => Attendance::Attended,
        },
    };
    let shown = if chance.percent(80) { Risk::Moderate } else { Risk::Low };
    let holder = Holder { session: &session, agent: &agent, project: project.as_ref() };
    Some(run_started(&world.facts(fresh), &holder, &start, shown, None).changes())
}

/// A plan is proposed and accepted.
fn planned(world: &mut World, chance: &mut Chance, fresh: &Fresh) -> Option<Vec<Change>> {
    let session = names::session(chance)?.0;
    let plan = PlanDraft {
        actions: names::actions(chance, 3)?,
        commands: vec![names::argv(chance)?],
        score: 4,
        turn: world.state.turn(&session),
        state: PlanState::Proposed,
    };
    let proposed = propose_plan(&world.facts(fresh), &session, plan.clone());
    apply(world, &proposed);
    Some(answer_plan(&world.facts(fresh), &session, &plan, &Reply::ClearYes).1)
}

fn said(world: &World, chance: &mut Chance, fresh: &Fresh) -> Option<Vec<Change>> {
    let texts = ["stop", "stop", "DRY RUN: show me", "DRY RUN: now", "hm", "that's wrong", "yes"];
    let turn = Turn {
        session: names::session(chance)?.0,
        speaker: Speaker::Operator,
        text: (*chance.pick(&texts)?).to_owned(),
    };
    Some(say(&world.facts(fresh), &turn, analysed).changes)
}

fn analysed(text: &str) -> Analysed {
    let argv = text.split_whitespace().map(str::to_owned).collect();
    Analysed { command: Command::Plain { argv, cwd: None }, detectors: Vec::new() }
}

fn finished(world: &World, chance: &mut Chance, fresh: &Fresh) -> Vec<Change> {
    let records = world.state.calls.iter();
    let running = records.filter(|(_, record)| record.state == CallState::Executing);
    let mut ids: Vec<CallId> = running.map(|(id, _)| *id).collect();
    ids.sort_unstable();
    match chance.pick(&ids) {
        Some(id) => complete_call(&world.facts(fresh), *id, effect(chance)),
        None => Vec::new(),
    }
}

fn redeemed(world: &World, chance: &mut Chance, fresh: &Fresh) -> Vec<Change> {
    let mut ids: Vec<CallId> = world.state.calls.keys().copied().collect();
    ids.sort_unstable();
    let picked = chance.pick(&ids).and_then(|id| world.state.calls.get(id));
    let Some(record) = picked else { return Vec::new() };
    let (facts, call) = (world.facts(fresh), &record.call);
    let decision = retry_call(&facts, call.id, &call.session, &call.agent);
    record_again(&facts, call, &decision)
}

/// Something is over: revoked, swept, paused, or the whole process died.
fn ended(world: &World, chance: &mut Chance, fresh: &Fresh) -> Vec<Change> {
    let facts = world.facts(fresh);
    let runs: Vec<_> = world.state.runs.values().collect();
    let grants: Vec<_> = world.state.grants.iter().map(|grant| grant.id).collect();
    match (chance.below(12), chance.pick(&runs), chance.pick(&grants)) {
        (0..3, _, _) => sweep(&facts),
        (3..5, Some(run), _) => {
            countersign_core::steps::sweep::end_run(&facts, run, RunEnding::Completed)
        }
        (5..8, _, Some(grant)) => {
            let session = world.state.grants.get(*grant).map(|grant| grant.made_in.clone());
            let what = Revoke::Grants(vec![*grant]);
            session.map_or_else(Vec::new, |session| revoke_grants(&facts, &session, &what))
        }
        (8, _, _) => vec![Change::Restarted { node: NodeName::local().clone(), uptime: None }],
        (9, Some(run), _) if run.state == RunState::Suspended => {
            vec![Change::RunReattached { run: run.id, node: NodeName::local().clone() }]
        }
        (10 | 11, _, _) => names::agent(chance).map_or_else(Vec::new, |agent| {
            vec![match chance.percent(30) {
                true => Change::AgentPaused { agent },
                false => Change::AgentResumed { agent },
            }]
        }),
        (_, _, _) => Vec::new(),
    }
}
