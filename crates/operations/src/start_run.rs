//! Starts a run. The operator is asked once, unless a class grant or a gesture covers the start, or
//! everything that the workflow declares is low risk.
//!
//! See docs/decisions/0061-one-request-for-one-start.md.

use countersign_core::decide::admission::{Submission, admit, require_operator, require_room};
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::call::Malformed;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::decision::{Basis, Decision, NearestChange};
use countersign_core::model::draft::StartDraft;
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::{Coverage, Grant, GrantState};
use countersign_core::model::ids::{GrantId, RunId};
use countersign_core::model::limits;
use countersign_core::model::names::{Action, Project, SessionKey};
use countersign_core::model::request::{Request, Start, Subject};
use countersign_core::model::words::{Choice, Ending, Outcome, Reason, Risk, Tier};
use countersign_core::state::grants::{Cover, OwnerRef};
use countersign_core::steps::open_request::{NewRequest, item_without_action, request_opened};
use countersign_core::steps::record;
use countersign_core::steps::settle::{create_run, request_closed};
use serde_json::json;

/// The decision about a start, the id of its run, and the changes.
#[derive(Clone, Debug)]
pub struct StartDecision {
    pub run: RunId,
    pub decision: Decision,
    pub changes: Vec<Change>,
}

pub fn start_run(facts: &Facts, draft: &StartDraft) -> StartDecision {
    let (project, folders) = facts.find_project(&draft.session, draft.project.as_ref());
    let place = (project.as_ref(), &folders);
    let mut changes = record::opening(facts, &draft.session, &draft.agent, place);
    let actions = facts
        .graph
        .and_then(|graph| graph.workflows.get(&draft.workflow))
        .map(|workflow| workflow.actions.clone());
    let declared = actions.as_deref().unwrap_or_default();
    let digest_in = |session| start_digest(draft, project.as_ref(), declared, session);
    let lasting = digest_in(None).keyed(facts.key);
    let digest = digest_in(Some(&draft.session)).keyed(facts.key);
    let open = facts.state.open_requests_about(&draft.session, &digest, facts.now).next();
    let decision = decide_start(facts, draft, actions.as_deref(), (&lasting, open));
    let run = open.and_then(run_to_start).unwrap_or_else(|| RunId::generate(facts.ids));
    let attempt = Attempt::Start { draft: Box::new(draft.clone()), run };
    changes.push(record::decided(facts, attempt, &decision));
    let start = Start {
        run,
        workflow: draft.workflow.clone(),
        actions: actions.unwrap_or_default(),
        attendance: draft.attendance,
    };
    match (decision.outcome, open) {
        (Outcome::Allow | Outcome::Notify, open) => {
            changes.extend(open.map(|open| request_closed(open.id, Ending::Cancelled)));
            changes.extend(begin_run(facts, draft, &start, &decision));
        }
        (Outcome::Ask, None) => {
            let (session, agent) = (&draft.session, &draft.agent);
            let holder = Holder { session, agent, project: project.as_ref() };
            let request = new_request(facts, holder, start, (digest, lasting));
            changes.push(request_opened(request));
        }
        (Outcome::Ask, Some(_)) | (Outcome::Deny, _) => {}
    }
    StartDecision { run, decision, changes }
}

/// The run that a request is to start.
fn run_to_start(request: &Request) -> Option<RunId> {
    if let Subject::Start(start) = &request.subject { Some(start.run) } else { None }
}

fn decide_start(
    facts: &Facts,
    draft: &StartDraft,
    actions: Option<&[Action]>,
    (lasting, open): (&Digest, Option<&Request>),
) -> Decision {
    if facts.graph.is_none() {
        let (deny, reason) = (Outcome::Deny, Reason::NoGraph);
        return Decision::for_whole_call(deny, reason, Basis::Call, NearestChange::WellFormed);
    }
    let Some(actions) = actions else {
        let what = Malformed::UnknownWorkflow(draft.workflow.to_string());
        return Decision::malformed(what.to_string());
    };
    let submission =
        Submission { session: &draft.session, agent: &draft.agent, decline_digest: Some(lasting) };
    if let Err(denial) = admit(facts, &submission) {
        return denial;
    }
    allow_without_prompt(facts, draft, actions).unwrap_or_else(|| {
        let ask = ask_for_start(facts, draft, actions);
        require_room(facts, &draft.session, usize::from(open.is_none()), ask)
    })
}

/// The decision to allow this start without a prompt, if it needs none.
fn allow_without_prompt(facts: &Facts, draft: &StartDraft, actions: &[Action]) -> Option<Decision> {
    let allow = |reason, basis| {
        Decision::for_whole_call(Outcome::Allow, reason, basis, NearestChange::Later)
    };
    if let Some(class) = class_grants(facts, draft, actions).find(|grant| is_live(facts, grant)) {
        return Some(allow(Reason::Granted, Basis::Grants(vec![class.id])));
    }
    let gesture = draft.gesture.and_then(|id| facts.state.gestures.get(&id)).filter(|gesture| {
        gesture.session == draft.session
            && facts.now < gesture.ends_at
            && !actions.is_empty()
            && actions.iter().all(|action| gesture.declares.contains(action))
    });
    if let Some(gesture) = gesture {
        return Some(allow(Reason::Gesture, Basis::Gesture(gesture.id)));
    }
    prompts(facts, actions).is_none().then(|| allow(Reason::Bypassed, Basis::Rule))
}

/// The first declared action that makes a prompt necessary.
pub fn prompts<'a>(facts: &Facts, actions: &'a [Action]) -> Option<&'a Action> {
    actions.iter().find(|action| {
        facts
            .graph
            .and_then(|graph| graph.rule(action))
            .is_none_or(|rule| rule.risk > Risk::Low || rule.tier == Tier::Blocked)
    })
}

fn class_grants<'a>(
    facts: &Facts<'a>,
    draft: &'a StartDraft,
    actions: &'a [Action],
) -> impl Iterator<Item = &'a Grant> {
    facts
        .state
        .grants
        .candidates(OwnerRef::Session(&draft.session), Cover::Class)
        .filter(|grant| grant.agent == draft.agent)
        .filter(move |grant| {
            matches!(&grant.coverage, Coverage::Class { workflow, actions: shown }
                if *workflow == draft.workflow && shown == actions)
        })
}

fn is_live(facts: &Facts, grant: &Grant) -> bool {
    grant.state == GrantState::Live && !grant.is_over(facts.now)
}

fn ask_for_start(facts: &Facts, draft: &StartDraft, actions: &[Action]) -> Decision {
    let ended = class_grants(facts, draft, actions).any(|grant| match grant.state {
        GrantState::Ended => true,
        GrantState::Live => grant.is_over(facts.now),
        GrantState::Reserved { .. }
        | GrantState::Released { .. }
        | GrantState::Spent
        | GrantState::Revoked => false,
    });
    let reason = if ended { Reason::Expired } else { Reason::NoGrant };
    let decision =
        Decision::for_whole_call(Outcome::Ask, reason, Basis::Rule, NearestChange::Answer);
    require_operator(facts, draft.parking, decision)
}

fn begin_run(facts: &Facts, draft: &StartDraft, start: &Start, decision: &Decision) -> Vec<Change> {
    let holder = Holder { session: &draft.session, agent: &draft.agent, project: None };
    let bypassed = decision.reason == Reason::Bypassed;
    let shown = if bypassed { Risk::Low } else { Risk::Moderate };
    let mut class: Option<GrantId> = None;
    let mut extra_change = None;
    if let Basis::Grants(ids) = &decision.basis {
        class = ids.first().copied();
    } else if let Basis::Gesture(gesture) = decision.basis {
        extra_change = Some(Change::GestureCovered { gesture, action: None });
    } else if bypassed {
        let workflow = draft.workflow.clone();
        extra_change = Some(Change::WorkflowBypassed { workflow, run: start.run });
    }
    let mut started = create_run(facts, &holder, start, shown, class);
    started.run.title.clone_from(&draft.title);
    extra_change.into_iter().chain(started.changes()).collect()
}

fn new_request(
    facts: &Facts,
    holder: Holder,
    start: Start,
    (digest, lasting): (Digest, Digest),
) -> Request {
    let choices = vec![Choice::Once, Choice::Quarter, Choice::Session, Choice::Decline];
    let request = NewRequest {
        holder,
        subject: Subject::Start(start),
        digest,
        lasting,
        items: vec![item_without_action(Risk::Moderate, choices)],
        programs: Vec::new(),
        open_for: limits::REQUEST_OPEN,
    };
    request.open(facts)
}

/// The digest of a start: the workflow with these actions, not one run of it, so that the same start
/// is one open request. A decline applies to the digest without a session.
fn start_digest(
    draft: &StartDraft,
    project: Option<&Project>,
    actions: &[Action],
    session: Option<&SessionKey>,
) -> Digest {
    let mut form = json!({
        "agent": draft.agent,
        "project": project,
        "workflow": draft.workflow,
        "actions": actions,
    });
    if let (Some(session), Some(fields)) = (session, form.as_object_mut()) {
        fields.insert("session".to_owned(), json!(session.name()));
        fields.insert("attendance".to_owned(), json!(draft.attendance));
    }
    // Names always have a canonical form.
    Digest::hash_value("countersign/start/v1", &form).unwrap_or(Digest::zero())
}
