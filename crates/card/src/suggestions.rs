//! What the operator was asked again and again and always approved, and the grant or the lines of the
//! graph that would end it.
//!
//! It counts like a card does, and only what it is given. It gives nothing: applying a suggestion is
//! an act of the operator.
//!
//! See docs/decisions/0057-suggested-grants.md.

mod candidates;
mod in_force;
mod rules;

pub use rules::SuggestedRule;

use crate::limits;
use crate::offers::SecondConfirmation;
use crate::text::DisplayText;
use candidates::SuggestionCandidate;
use countersign_core::model::call::Call;
use countersign_core::model::grant::{Confirmation, Grant, Scope};
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::{Agent, Project, SessionKey};
use countersign_core::model::request::{Request, RequestItem, Subject};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Covers, Risk};
use countersign_core::state::State;
use countersign_core::steps::grant_directly::find_refusal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An approved request about one action of one call.
#[derive(Clone, Copy)]
struct ApprovedRequest<'a> {
    pub request: &'a Request,
    pub call: &'a Call,
    pub item: &'a RequestItem,
}

/// What suggestions are made from.
#[derive(Clone, Copy)]
pub struct SuggestionInput<'a> {
    pub graph: Option<&'a Graph>,
    /// The closed requests of some agents, with their calls.
    pub state: &'a State,
    /// The open sessions, the one used last first.
    pub sessions: &'a [(SessionKey, Option<Project>)],
    pub grants: &'a [&'a Grant],
    /// Only approvals in this session, in this project, or opened at this instant or later.
    pub session: Option<&'a SessionKey>,
    pub project: Option<&'a Project>,
    pub since: Option<Time>,
}

/// What was asked often and always approved.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub agent: Agent,
    /// Where it was asked; without a project, in the session.
    pub project: Option<Project>,
    /// As `AGENT/NAME`: the session that asked last.
    pub session: String,
    /// What would not be asked any more.
    pub covers: DisplayText,
    /// What else that would cover, in one phrase.
    pub beyond: DisplayText,
    /// The highest risk that was approved.
    pub risk: Risk,
    /// How often it was asked and approved.
    pub asked: usize,
    /// How many of these questions would not have been asked.
    pub spared: usize,
    /// None if no session is open that the grant could be given to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<SuggestedGrant>,
    /// Lines for the graph that would end it for all agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<SuggestedRule>,
}

/// The grant that would end it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedGrant {
    /// As `AGENT/NAME`: the session in which it would be given.
    pub session: String,
    /// The approved request that the grant is like.
    pub request: RequestId,
    /// How far it goes, for a command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    pub scope: Scope,
    /// Whether it has to be confirmed a second time.
    pub second: SecondConfirmation,
}

/// What to suggest, the one that would have spared most first.
pub fn list_suggestions(input: SuggestionInput<'_>) -> Vec<Suggestion> {
    let approvals = candidates::collect_approvals(input);
    let found: Vec<FrequentCandidate<'_>> = candidates::collect_candidates(input, &approvals)
        .into_iter()
        .filter_map(|candidate| count_approvals(input, candidate, &approvals))
        .collect();
    let mut suggestions: Vec<Suggestion> = found
        .iter()
        .filter(|one| !found.iter().any(|other| makes_wider_redundant(other, one)))
        .map(|one| describe(input, one))
        .collect();
    suggestions.sort_by(|one, two| {
        (two.spared, two.asked, one.covers.as_str()).cmp(&(
            one.spared,
            one.asked,
            two.covers.as_str(),
        ))
    });
    suggestions.truncate(limits::MAX_SUGGESTIONS);
    suggestions
}

/// A candidate that was asked often enough, with the approvals that it covers.
struct FrequentCandidate<'a> {
    candidate: SuggestionCandidate<'a>,
    covered: BTreeSet<RequestId>,
    spared: usize,
    risk: Risk,
}

fn count_approvals<'a>(
    input: SuggestionInput<'a>,
    candidate: SuggestionCandidate<'a>,
    approvals: &[ApprovedRequest<'a>],
) -> Option<FrequentCandidate<'a>> {
    let covered: Vec<&ApprovedRequest<'_>> =
        approvals.iter().filter(|approval| candidate.covers(approval)).collect();
    if covered.len() < limits::MIN_ASKED || is_declined(input, &candidate) {
        return None;
    }
    // A program with new content is asked about whatever is granted.
    let spared = covered.iter().filter(|one| one.request.programs.is_empty()).count();
    let risk = covered.iter().map(|one| one.item.risk).max()?;
    let covered = covered.iter().map(|one| one.request.id).collect();
    Some(FrequentCandidate { candidate, covered, spared, risk })
}

/// Whether the operator declined something of the kind, whatever its risk.
fn is_declined(input: SuggestionInput<'_>, candidate: &SuggestionCandidate<'_>) -> bool {
    list_declines(input).any(|(request, call, item)| {
        candidate.is_same_owner(request) && candidate.names(call, item)
    })
}

/// The declined items, each with its request and its call.
fn list_declines<'a>(
    input: SuggestionInput<'a>,
) -> impl Iterator<Item = (&'a Request, &'a Call, &'a RequestItem)> {
    input.state.requests.values().flat_map(move |request| {
        let call = find_call(input.state, request);
        let items = request.items.iter().filter(|item| item.answer == Some(Choice::Decline));
        items.filter_map(move |item| Some((request, call?, item)))
    })
}

fn find_call<'a>(state: &'a State, request: &Request) -> Option<&'a Call> {
    let Subject::Calls(calls) = &request.subject else { return None };
    calls.first().and_then(|id| state.calls.get(id)).map(|record| &*record.call)
}

/// Whether a narrower grant spares the same.
fn makes_wider_redundant(narrower: &FrequentCandidate<'_>, wider: &FrequentCandidate<'_>) -> bool {
    narrower.candidate.breadth() < wider.candidate.breadth()
        && wider.covered.is_subset(&narrower.covered)
}

fn describe(input: SuggestionInput<'_>, found: &FrequentCandidate<'_>) -> Suggestion {
    let FrequentCandidate { candidate, covered, spared, risk } = found;
    let ApprovedRequest { request, .. } = candidate.like;
    Suggestion {
        agent: request.agent.clone(),
        project: request.project.clone(),
        session: request.session.qualified_name(),
        covers: DisplayText::from_untrusted(&candidate.describe()),
        beyond: DisplayText::from_untrusted(&candidate.describe_beyond()),
        risk: *risk,
        asked: covered.len(),
        spared: *spared,
        grant: suggest_grant(input, candidate),
        rule: rules::suggest_rule(input, candidate),
    }
}

fn suggest_grant(
    input: SuggestionInput<'_>,
    candidate: &SuggestionCandidate<'_>,
) -> Option<SuggestedGrant> {
    let (request, scope) = (candidate.like.request, candidate.scope);
    let is_owner = |(session, project): &&(SessionKey, Option<Project>)| match scope {
        Scope::Project => session.to_agent() == request.agent && *project == request.project,
        Scope::Session | Scope::Once | Scope::Until | Scope::Run => *session == request.session,
    };
    let (session, _) = input.sessions.iter().find(is_owner)?;
    let plain = (scope, Confirmation::Plain);
    let second = match find_refusal(input.graph, &candidate.grant.coverage, plain) {
        None => SecondConfirmation::NotNeeded,
        Some(_) => SecondConfirmation::Needed,
    };
    Some(SuggestedGrant {
        session: session.qualified_name(),
        request: request.id,
        covers: candidate.covers,
        scope,
        second,
    })
}
