//! Steps of an operator: answers, grants, revocations, gestures, turns and graphs.

use super::StepResult;
use super::env::{NamedThing, StoryEnv};
use crate::case::{CaseStep, CoverageSpec, RevokeTarget, StepKind};
use countersign_commands::analyse;
use countersign_conversation::{Turn, standing_command};
use countersign_core::model::change::Change;
use countersign_core::model::delivery::{Delivery, ShownObject};
use countersign_core::model::grant::Coverage;
use countersign_core::model::imported::ImportOutcome;
use countersign_core::model::imported::{EarlierSystem, ImportedGrant};
use countersign_core::model::names::{Action, SurfaceName};
use countersign_core::model::request::{Answer, AnswerFrom, CardVersion};
use countersign_core::model::time::Time;
use countersign_core::steps::revoke::Revoke;
use countersign_core::steps::settle::AnswerReply;
use countersign_engine::{
    AnswerTarget, DirectGrant, DirectGrantResult, EngineError, SessionOwner, TurnReporter,
    UselessGrantPolicy,
};
use countersign_graph::{DocumentNode, load_inline_graph};
use countersign_operations::import::check_importable;

pub(super) fn answer_request(env: &StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    let StepKind::Answer { name, say, covers, note, proof, surface } = &step.kind else {
        return Ok(StepResult::refusal());
    };
    let target = env.names.get(name).and_then(|named| match &named.thing {
        NamedThing::Call { id, .. } => id.map(AnswerTarget::Call),
        NamedThing::Ahead(request) => request.map(AnswerTarget::Request),
        NamedThing::Run(run) => Some(AnswerTarget::Start(*run)),
        NamedThing::Proposal(id) => env.proposal_request(*id),
        _ => None,
    });
    let Some(target) = target else { return Ok(StepResult::refusal()) };
    let answer = Answer {
        say: say.clone(),
        note: note.clone(),
        proof: *proof,
        lasts: None,
        covers: *covers,
        from: match surface {
            Some(name) => {
                AnswerFrom::Surface { name: Some(name.clone()), card: CardVersion::Current }
            }
            None => AnswerFrom::Embedder,
        },
    };
    let settlement = env.engine.answer(target, &answer)?;
    Ok(match settlement.reply {
        AnswerReply::Accepted { given } => {
            let mut result = StepResult::from_word("accepted");
            result.scope = given.iter().find_map(|given| given.granted);
            result.explanation = given.iter().find_map(|given| given.why).map(str::to_owned);
            result
        }
        AnswerReply::AlreadyAnswered => StepResult::from_word("already_answered"),
        AnswerReply::Late => StepResult::from_word("late"),
        AnswerReply::Refused(refusal) => {
            let mut result = StepResult::refusal();
            result.explanation = Some(refusal.to_string());
            result
        }
    })
}

/// The surface that acknowledges and shows requests in stories.
fn story_surface() -> Result<SurfaceName, EngineError> {
    SurfaceName::parse("story").map_err(|error| EngineError::Setup(error.to_string()))
}

pub(super) fn acknowledge_notices(env: &StoryEnv) -> Result<StepResult, EngineError> {
    let open = env.engine.open_notices()?;
    for notice in &open {
        env.engine.acknowledge_notice(notice.id, &story_surface()?)?;
    }
    Ok(if open.is_empty() { StepResult::refusal() } else { StepResult::success() })
}

/// Delivers all requests that a name refers to.
pub(super) fn deliver_requests(env: &StoryEnv, step: &StepKind) -> Result<StepResult, EngineError> {
    let StepKind::Deliver { name, how, extent, surface } = step else {
        return Ok(StepResult::refusal());
    };
    let surface = surface.clone().map_or_else(story_surface, Ok)?;
    let requests = env.names.get(name).map_or_else(Vec::new, |named| env.find_requests(named));
    for request in &requests {
        let shown = ShownObject::Request(*request);
        env.engine.record_delivery(&Delivery {
            shown,
            surface: surface.clone(),
            evidence: *how,
            extent: *extent,
        })?;
    }
    Ok(if requests.is_empty() { StepResult::refusal() } else { StepResult::success() })
}

pub(super) fn say_turn(env: &mut StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    let StepKind::Say { name, text, speaker } = &step.kind else {
        return Ok(StepResult::refusal());
    };
    let SessionOwner { session, agent } = env.open_session(step)?;
    let from = AnswerFrom::Embedder;
    let turn = Turn { session: session.clone(), speaker: *speaker, text: text.clone(), from };
    let Some(response) = env.engine.process_turn(&turn, TurnReporter::Operator)? else {
        return Ok(StepResult::refusal());
    };
    let opened = response.changes.iter().find_map(|change| match change {
        Change::RequestOpened { request } => Some(request.id),
        _ => None,
    });
    env.store_name(
        name.as_ref(),
        SessionOwner { session: session.clone(), agent: agent.clone() },
        NamedThing::Ahead(opened),
    );
    if let Some(gesture) = response.gesture {
        // The gesture of a slash command has the command's name, with and without the slash.
        let slash = text.split_whitespace().next().unwrap_or_default();
        for name in [slash, slash.trim_start_matches('/')] {
            let actor = SessionOwner { session: session.clone(), agent: agent.clone() };
            env.store_name(Some(&name.to_owned()), actor, NamedThing::Gesture(gesture));
        }
    }
    let mut result = StepResult::from_word(response.heard.word());
    result.explanation = (!response.lines.is_empty()).then(|| response.lines.join(" / "));
    Ok(result)
}

pub(super) fn mint_grant(env: &mut StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    let StepKind::Grant { name, coverage, scope, ends, confirmation } = &step.kind else {
        return Ok(StepResult::refusal());
    };
    let SessionOwner { session, agent } = env.open_session(step)?;
    let Some(coverage) = resolve_coverage(coverage) else {
        let mut result = StepResult::refusal();
        result.explanation = Some("only a plain literal command can be granted".into());
        env.store_name(name.as_ref(), SessionOwner { session, agent }, NamedThing::Grant(None));
        return Ok(result);
    };
    let wanted = DirectGrant {
        session: session.clone(),
        coverage,
        scope: *scope,
        ends_at: ends.map(|span| env.engine.display_time() + span),
        confirmation: *confirmation,
        if_useless: UselessGrantPolicy::Mint,
    };
    let DirectGrantResult::Granted { grant, why_scope, declines } =
        env.engine.grant_directly(&wanted)?
    else {
        return Ok(StepResult::refusal());
    };
    let mut result = StepResult::success();
    result.scope = Some(grant.scope);
    result.explanation = why_scope.map(str::to_owned).or(declines);
    env.store_name(
        name.as_ref(),
        SessionOwner { session, agent },
        NamedThing::Grant(Some(grant.id)),
    );
    Ok(result)
}

/// A second import of the same coverage is the same grant.
pub(super) fn import_grant(env: &mut StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    let StepKind::Import { name, coverage, scope, ends } = &step.kind else {
        return Ok(StepResult::refusal());
    };
    let SessionOwner { session, agent } = env.open_session(step)?;
    let Some(coverage) = resolve_coverage(coverage) else { return Ok(StepResult::refusal()) };
    let graph = env.engine.graph()?;
    let risk = match check_importable(graph.as_deref(), &coverage) {
        Ok(risk) => risk,
        Err(unfit) => {
            let mut result = StepResult::refusal();
            result.explanation = Some(unfit.to_string());
            return Ok(result);
        }
    };
    let imported = ImportedGrant {
        origin: EarlierSystem::ConsentSystem,
        key: coverage.to_string(),
        words: String::new(),
        coverage,
        scope: *scope,
        given_at: Time::from_micros(0),
        ends_at: ends.map(|span| env.engine.display_time() + span),
    };
    let project =
        env.engine.read_whole_state()?.sessions.get(&session).and_then(|s| s.project.clone());
    let owner = SessionOwner { session, agent };
    let offers = [(imported, risk)];
    let offered = env.engine.import_grants(&owner, project.as_ref(), &offers)?;
    let (result, request) = match offered.first() {
        Some(ImportOutcome::Opened(id)) => (StepResult::success(), Some(*id)),
        Some(ImportOutcome::Waiting(id)) => (StepResult::refusal(), Some(*id)),
        Some(ImportOutcome::Settled(_) | ImportOutcome::Foreign) | None => {
            (StepResult::refusal(), None)
        }
    };
    if let Some(request) = request {
        env.store_name(name.as_ref(), owner, NamedThing::Ahead(Some(request)));
    }
    Ok(result)
}

fn resolve_coverage(coverage: &CoverageSpec) -> Option<Coverage> {
    Some(match coverage {
        CoverageSpec::Command(text) => standing_command(text, |text| analyse(text, None))?,
        CoverageSpec::Action(action) => Coverage::Action(action.clone()),
        CoverageSpec::Category(category) => Coverage::Category(category.clone()),
        CoverageSpec::Everything => Coverage::Everything,
    })
}

pub(super) fn revoke_grants(
    env: &StoryEnv,
    step: &CaseStep,
    what: &RevokeTarget,
) -> Result<StepResult, EngineError> {
    let SessionOwner { session, .. } = env.open_session(step)?;
    let revoke = match what {
        RevokeTarget::All => Revoke::All,
        RevokeTarget::Name(name) => {
            let named = env.names.get(name);
            Revoke::Grants(named.map_or_else(Vec::new, |named| env.find_grants(named)))
        }
        RevokeTarget::Command(text) => match standing_command(text, |text| analyse(text, None)) {
            Some(Coverage::Command { argv, .. }) => Revoke::Command(argv),
            Some(_) | None => return Ok(StepResult::refusal()),
        },
        RevokeTarget::Action(action) => Revoke::Action(action.clone()),
        RevokeTarget::Workflow(workflow) => Revoke::Workflow(workflow.clone()),
    };
    let reached = env.engine.revoke(&session, &revoke)?;
    let is_effective = !reached.is_empty() || revoke == Revoke::All;
    Ok(if is_effective { StepResult::success() } else { StepResult::refusal() })
}

pub(super) fn keep_grants(env: &StoryEnv, name: &str) -> Result<StepResult, EngineError> {
    let grants = env.names.get(name).map_or_else(Vec::new, |named| env.find_grants(named));
    let kept = env.engine.keep_grants(&grants)?;
    Ok(if kept.is_empty() { StepResult::refusal() } else { StepResult::success() })
}

/// A click by which the operator triggers actions.
pub(super) struct Click<'a> {
    pub name: &'a String,
    pub declares: &'a [Action],
    /// The call that the operator saw when clicking.
    pub shows: Option<&'a str>,
}

pub(super) fn make_gesture(
    env: &mut StoryEnv,
    step: &CaseStep,
    click: &Click<'_>,
) -> Result<StepResult, EngineError> {
    let SessionOwner { session, agent } = env.open_session(step)?;
    let shown =
        click.shows.and_then(|name| env.names.get(name)).and_then(|named| match named.thing {
            NamedThing::Call { id, .. } => id,
            _ => None,
        });
    let gesture = env.engine.record_gesture(&session, click.declares, shown, None)?;
    env.store_name(Some(click.name), SessionOwner { session, agent }, NamedThing::Gesture(gesture));
    Ok(StepResult::success())
}

/// The engine refuses an invalid graph and keeps the last valid one.
pub(super) fn load_graph(env: &StoryEnv, node: &DocumentNode) -> Result<StepResult, EngineError> {
    match load_inline_graph(node) {
        Ok(loaded) => {
            env.engine.load_graph(loaded)?;
            Ok(StepResult::from_word("loaded"))
        }
        Err(problems) => {
            let mut result = StepResult::refusal();
            result.explanation = problems.first().map(|problem| problem.message.clone());
            env.engine.alert_graph_refused(result.explanation.as_deref().unwrap_or_default())?;
            Ok(result)
        }
    }
}
