//! Asks ahead: an agent says what it wants to do before it does it.
//!
//! Asking needs no permission, but nothing is asked during a stop or a dry run. It ends in a request,
//! or in a grant that already exists.
//!
//! See docs/decisions/0060-replies-to-an-ask-ahead.md.

use countersign_core::decide::admission::{Submission, admit, require_operator, require_room};
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::call::Malformed;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::decision::{Basis, Decision, NearestChange};
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::grant::{Coverage, Grant, GrantState, Holder, Scope};
use countersign_core::model::ids::RequestId;
use countersign_core::model::limits;
use countersign_core::model::names::{Project, SessionKey};
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::time::Span;
use countersign_core::model::words::{Choice, Outcome, Reason, Risk};
use countersign_core::state::grants::{Cover, OwnerRef};
use countersign_core::steps::open_request::{
    NewRequest, item_without_action, request_lifetime, request_opened,
};
use countersign_core::steps::record;
use serde_json::json;

#[derive(Clone, Debug)]
pub struct AskAheadResult {
    pub decision: Decision,
    /// The open request about this, new or existing.
    pub request: Option<RequestId>,
    pub changes: Vec<Change>,
}

pub fn ask_ahead(facts: &Facts, draft: &AheadDraft) -> AskAheadResult {
    let (project, folders) = facts.find_project(&draft.session, draft.project.as_ref());
    let lasting = ahead_digest(draft, project.as_ref(), None).keyed(facts.key);
    let digest = ahead_digest(draft, project.as_ref(), Some(&draft.session)).keyed(facts.key);
    let open = facts.state.open_requests_about(&draft.session, &digest, facts.now).next();
    let decision = decide_ahead(facts, draft, project.as_ref(), &lasting);
    let decision = require_room(facts, &draft.session, usize::from(open.is_none()), decision);
    let place = (project.as_ref(), &folders);
    let mut changes = record::opening(facts, &draft.session, &draft.agent, place);
    let attempt = Attempt::Ahead { draft: Box::new(draft.clone()), digest };
    changes.push(record::decided(facts, attempt, &decision));
    if decision.outcome != Outcome::Ask {
        return AskAheadResult { decision, request: None, changes };
    }
    if let Some(open) = open {
        return AskAheadResult { decision, request: Some(open.id), changes };
    }
    let request = new_request(facts, draft, project.as_ref(), &Digests { digest, lasting });
    let id = request.id;
    changes.push(request_opened(request));
    AskAheadResult { decision, request: Some(id), changes }
}

fn decide_ahead(
    facts: &Facts,
    draft: &AheadDraft,
    project: Option<&Project>,
    lasting: &Digest,
) -> Decision {
    let words = [&draft.ahead.text, &draft.ahead.reason, &draft.ahead.fallback];
    if words.iter().any(|text| text.len() > limits::CLAIM_BYTES) {
        return Decision::malformed(Malformed::TooManyWords.to_string());
    }
    let submission =
        Submission { session: &draft.session, agent: &draft.agent, decline_digest: Some(lasting) };
    if let Err(denial) = admit(facts, &submission) {
        return denial;
    }
    if let Some(grant) = already_granted(facts, draft, project) {
        let basis = Basis::Grants(vec![grant.id]);
        return Decision::for_whole_call(
            Outcome::Allow,
            Reason::Granted,
            basis,
            NearestChange::WithoutGrants,
        );
    }
    let ask =
        Decision::for_whole_call(Outcome::Ask, Reason::NoGrant, Basis::Call, NearestChange::Answer);
    require_operator(facts, draft.parking, ask)
}

/// A grant that covers at least what is asked for, for at least as long.
fn already_granted<'a>(
    facts: &Facts<'a>,
    draft: &'a AheadDraft,
    project: Option<&'a Project>,
) -> Option<&'a Grant> {
    let category = draft.ahead.category.as_ref();
    let covers = [category.map(Cover::Category), Some(Cover::Everything)];
    let owners = [Some(OwnerRef::Session(&draft.session)), project.map(OwnerRef::Project)];
    covers
        .into_iter()
        .flatten()
        .flat_map(|cover| owners.iter().flatten().map(move |owner| (*owner, cover)))
        .flat_map(|(owner, cover)| facts.state.grants.candidates(owner, cover))
        .filter(|grant| {
            grant.agent == draft.agent && lasts_long_enough(facts, grant, draft.ahead.scope)
        })
        .filter(|grant| match (&grant.coverage, category) {
            (Coverage::Category(covered), Some(asked)) => covered == asked,
            (Coverage::Everything, Some(asked)) => grant.covers_risk(asked.floor()),
            (Coverage::Everything, None) => true,
            (
                Coverage::Digest { .. }
                | Coverage::Command { .. }
                | Coverage::Action(_)
                | Coverage::Category(_)
                | Coverage::Run { .. }
                | Coverage::Class { .. }
                | Coverage::Step { .. }
                | Coverage::Head { .. }
                | Coverage::Program(_),
                _,
            ) => false,
        })
        .min_by_key(|grant| (grant.row(), std::cmp::Reverse(grant.granted_at)))
}

fn lasts_long_enough(facts: &Facts, grant: &Grant, asked: Scope) -> bool {
    let days = facts.graph.map_or(limits::PROJECT_REVIEW_DAYS, |g| i64::from(g.review_days));
    let due = grant.scope == Scope::Project && facts.now >= grant.reviewed_at + Span::days(days);
    // The operator has answered that wish already, with a narrower yes.
    let was_narrowed = grant.asked.is_some_and(|earlier| is_as_long(earlier, asked));
    let long_enough = was_narrowed || is_as_long(grant.scope, asked);
    grant.state == GrantState::Live
        && !grant.is_over(facts.now)
        && grant.scope != Scope::Run
        && !due
        && long_enough
}

/// Whether a scope lasts at least as long as another.
fn is_as_long(scope: Scope, asked: Scope) -> bool {
    match asked {
        Scope::Once => true,
        // Two stretches of some minutes can end at different times.
        Scope::Until | Scope::Session => matches!(scope, Scope::Session | Scope::Project),
        Scope::Project => scope == Scope::Project,
        Scope::Run => false,
    }
}

fn new_request(
    facts: &Facts,
    draft: &AheadDraft,
    project: Option<&Project>,
    digests: &Digests,
) -> Request {
    let risk = draft.ahead.category.as_ref().map_or(Risk::Moderate, |category| category.floor());
    let choices = match risk {
        Risk::Critical => vec![Choice::Once, Choice::Decline],
        Risk::ReadOnly | Risk::Low | Risk::Moderate | Risk::High => {
            vec![Choice::Once, Choice::Quarter, Choice::Session, Choice::Project, Choice::Decline]
        }
    };
    NewRequest {
        holder: Holder { session: &draft.session, agent: &draft.agent, project },
        subject: Subject::Ahead(draft.ahead.clone()),
        digest: digests.digest,
        lasting: digests.lasting,
        items: vec![item_without_action(risk, choices)],
        programs: Vec::new(),
        open_for: request_lifetime(risk),
    }
    .open(facts)
}

/// The digest of an ask-ahead, and the one without its session.
struct Digests {
    digest: Digest,
    lasting: Digest,
}

fn ahead_digest(
    draft: &AheadDraft,
    project: Option<&Project>,
    session: Option<&SessionKey>,
) -> Digest {
    let form = json!({
        "agent": draft.agent,
        "session": session.map(SessionKey::name),
        "project": project,
        "text": draft.ahead.text,
        "category": draft.ahead.category,
        "scope": draft.ahead.scope,
    });
    // Names and texts always have a canonical form.
    Digest::hash_value("countersign/ahead/v1", &form).unwrap_or(Digest::zero())
}
