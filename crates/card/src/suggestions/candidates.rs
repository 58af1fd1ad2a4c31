//! The approvals that count, and the grants that could have spared them.

use super::{ApprovedRequest, SuggestionInput, find_call, in_force};
use crate::coverage::describe_coverage;
use crate::spared::{is_named, would_cover_item};
use countersign_core::model::call::{Call, Words};
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::grant::{Coverage, Scope};
use countersign_core::model::graph::Graph;
use countersign_core::model::request::{Request, RequestItem};
use countersign_core::model::words::{Choice, Covers, Risk, Tier};
use countersign_core::steps::settle::offered_coverage;
use countersign_core::steps::suggest::{SimilarGrant, approved_item, suggest_grant};

/// A grant that could have spared some approvals, like a wider yes to one of them.
pub(super) struct SuggestionCandidate<'a> {
    pub like: ApprovedRequest<'a>,
    pub covers: Option<Covers>,
    pub scope: Scope,
    pub grant: SimilarGrant,
}

/// The approvals that the present graph and the grants in force would not spare, newest first.
pub(super) fn collect_approvals<'a>(input: SuggestionInput<'a>) -> Vec<ApprovedRequest<'a>> {
    let requests = input.state.requests.values().filter(|request| is_wanted(input, request));
    let mut approvals: Vec<ApprovedRequest<'a>> = requests
        .filter_map(|request| {
            let (item, call) = (approved_item(request)?, find_call(input.state, request)?);
            Some(ApprovedRequest { request, call, item })
        })
        .filter(|approval| approval.call.words == Words::Kept)
        .filter(|approval| !is_autonomous(input.graph, approval.item))
        .filter(|approval| !in_force::is_spared(input.grants, approval))
        .collect();
    approvals.sort_by_key(|one| std::cmp::Reverse((one.request.opened_at, one.request.id)));
    approvals
}

fn is_wanted(input: SuggestionInput<'_>, request: &Request) -> bool {
    input.session.is_none_or(|session| request.session == *session)
        && input.project.is_none_or(|project| request.project.as_ref() == Some(project))
        && input.since.is_none_or(|since| request.opened_at >= since)
}

/// Whether the graph was changed since, and would not ask any more.
fn is_autonomous(graph: Option<&Graph>, item: &RequestItem) -> bool {
    let action = item.action.as_ref();
    let rule = graph.zip(action).and_then(|(graph, action)| graph.rule(action));
    rule.is_some_and(|rule| {
        rule.tier == Tier::Autonomous && item.risk <= rule.risk.max(Risk::Moderate)
    })
}

/// Each grant once, like the newest of the riskiest approvals that it could have spared.
pub(super) fn collect_candidates<'a>(
    input: SuggestionInput<'a>,
    approvals: &[ApprovedRequest<'a>],
) -> Vec<SuggestionCandidate<'a>> {
    let mut candidates: Vec<SuggestionCandidate<'a>> = Vec::new();
    for like in approvals {
        let offered = offered_coverage(like.call, like.item, Choice::Session);
        let offered = match like.call.command {
            Some(_) => offered.into_iter().map(Some).collect(),
            None => vec![None],
        };
        for covers in offered {
            // A head for a project is given with a second look, at a card.
            let scope = match (covers, &like.request.project) {
                (Some(Covers::Head), _) | (_, None) => Scope::Session,
                (_, Some(_)) => Scope::Project,
            };
            let grant = suggest_grant(input.graph, (like.request, like.call), covers, scope);
            let Some(grant) = grant else { continue };
            let candidate = SuggestionCandidate { like: *like, covers, scope, grant };
            match candidates.iter_mut().find(|known| known.is_same(&candidate)) {
                None => candidates.push(candidate),
                // The grant carries the risk of both.
                Some(known) if known.like.item.risk < like.item.risk => *known = candidate,
                Some(_) => {}
            }
        }
    }
    candidates
}

impl SuggestionCandidate<'_> {
    fn is_same(&self, other: &Self) -> bool {
        self.scope == other.scope
            && self.grant == other.grant
            && self.is_same_owner(other.like.request)
    }

    /// Whether a request is of the agent and of the project or session that the grant would be for.
    pub(super) fn is_same_owner(&self, request: &Request) -> bool {
        let own = self.like.request;
        request.agent == own.agent
            && match self.scope {
                Scope::Project => request.project == own.project,
                Scope::Session | Scope::Once | Scope::Until | Scope::Run => {
                    request.session == own.session
                }
            }
    }

    pub(super) fn covers(&self, approval: &ApprovedRequest<'_>) -> bool {
        let old = (approval.call, approval.item);
        self.is_same_owner(approval.request)
            && would_cover_item((self.like.call, self.like.item), self.covers, old)
    }

    /// Whether it is about the same as an item of this call.
    pub(super) fn names(&self, call: &Call, item: &RequestItem) -> bool {
        is_named((self.like.call, self.like.item), self.covers, (call, item))
    }

    /// The order from narrow to wide.
    pub(super) fn breadth(&self) -> u8 {
        match self.covers {
            Some(Covers::Command) => 0,
            Some(Covers::Head) => 1,
            Some(Covers::Actions) | None => 2,
        }
    }

    /// What it covers, and for how long.
    pub(super) fn describe(&self) -> String {
        let ApprovedRequest { request, call, item } = self.like;
        let action = item.action.as_ref();
        let covers = action.map_or_else(String::new, |action| {
            describe_coverage(Some(call), item, action, self.covers)
        });
        match (self.scope, &request.project) {
            (Scope::Project, Some(project)) => format!("{covers}, in the project {project}"),
            (_, _) => format!("{covers}, in the session {}", request.session.name()),
        }
    }

    /// What it covers besides what was asked.
    pub(super) fn describe_beyond(&self) -> String {
        let bounds = self.grant.within.as_deref().unwrap_or_default();
        let is_tool = bounds.iter().any(|bound| bound.tool().is_some());
        match &self.grant.coverage {
            Coverage::Command { .. } => match self.like.call.command.as_ref().map(Command::cwd) {
                Some(Some(folder)) => format!("nothing else: exactly these words in {folder}"),
                Some(None) | None => "the same words in every folder of the workspace".to_owned(),
            },
            Coverage::Head { words, .. } => {
                format!("every other `{}`", render_argv(words))
            }
            Coverage::Action(_) if is_tool => {
                "every call of this tool, whatever its arguments".to_owned()
            }
            Coverage::Action(action) if self.covers == Some(Covers::Actions) => {
                format!("every other command that counts as {action} there")
            }
            Coverage::Action(action) if bounds.is_empty() => {
                format!("every other call of {action}, whatever its target")
            }
            Coverage::Action(action) => {
                format!("every other call of {action} there, whatever its arguments")
            }
            other => other.to_string(),
        }
    }
}
