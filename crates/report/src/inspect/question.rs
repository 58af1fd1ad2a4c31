//! Requests in the terms of PermissionBridge.

use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::grant::{Grant, Scope};
use countersign_core::model::ids::{CallId, GrantId, RequestId};
use countersign_core::model::request::{Request, Subject};
use std::collections::BTreeMap;

/// What agents claimed about their calls.
#[derive(Default)]
pub(super) struct CallClaims {
    by_call: BTreeMap<CallId, CallClaim>,
}

#[derive(Clone, Default)]
struct CallClaim {
    reasoning: String,
    fallback: String,
}

/// Who wrote the text of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionAuthor {
    Countersign,
    Agent,
}

pub(super) struct PermissionQuestion {
    pub(super) author: QuestionAuthor,
    pub(super) action: String,
    pub(super) category: Option<String>,
    pub(super) scope: &'static str,
    pub(super) reasoning: String,
    pub(super) fallback: String,
}

impl CallClaims {
    pub(super) fn add_change(&mut self, change: &Change) {
        if let Change::CallDecided { attempt: Attempt::First(call), .. } = change {
            let (reasoning, fallback) = (call.claims.reason.clone(), call.claims.fallback.clone());
            self.by_call.insert(call.id, CallClaim { reasoning, fallback });
        }
    }

    pub(super) fn question(&self, request: &Request) -> PermissionQuestion {
        let own = |action: String| PermissionQuestion {
            author: QuestionAuthor::Countersign,
            action,
            category: None,
            scope: scope_word(Scope::Once),
            reasoning: String::new(),
            fallback: String::new(),
        };
        match &request.subject {
            Subject::Calls(calls) => {
                let actions = request.items.iter().filter_map(|item| item.action.as_ref());
                let actions: Vec<&str> = actions.map(|action| action.as_str()).collect();
                let claim = calls.first().and_then(|call| self.by_call.get(call)).cloned();
                let CallClaim { reasoning, fallback } = claim.unwrap_or_default();
                PermissionQuestion { reasoning, fallback, ..own(actions.join(", ")) }
            }
            Subject::Ahead(ahead) => PermissionQuestion {
                author: QuestionAuthor::Agent,
                action: ahead.text.clone(),
                category: ahead.category.as_ref().map(ToString::to_string),
                scope: scope_word(ahead.scope),
                reasoning: ahead.reason.clone(),
                fallback: ahead.fallback.clone(),
            },
            Subject::Start(start) => own(format!("start of workflow {}", start.workflow)),
            Subject::Standing(coverage) => PermissionQuestion {
                scope: scope_word(Scope::Session),
                ..own(coverage.to_string())
            },
            Subject::Slash(slash) => own(format!("{} (/{})", slash.action, slash.name)),
            Subject::Imported(imported) => {
                let scope = scope_word(imported.scope);
                PermissionQuestion { scope, ..own(format!("{}, imported", imported.coverage)) }
            }
            Subject::Proposal(proposal) => own(format!("proposal {proposal}")),
        }
    }
}

/// The id that a question and its grants share.
pub(super) fn shared_id(grant: &Grant) -> String {
    grant.request.map_or_else(|| grant.id.to_string(), |request| request.to_string())
}

/// The ids that join the events of one question: that of its first grant, as the agent was told, or
/// the question's own if it led to none.
#[derive(Default)]
pub(super) struct JoinedIds {
    first_grants: BTreeMap<RequestId, GrantId>,
    requests: BTreeMap<GrantId, RequestId>,
}

impl JoinedIds {
    pub(super) fn add_change(&mut self, change: &Change) {
        if let Change::GrantMinted { grant } = change
            && let Some(request) = grant.request
        {
            self.first_grants.entry(request).or_insert(grant.id);
            self.requests.insert(grant.id, request);
        }
    }

    pub(super) fn of_request(&self, request: RequestId) -> String {
        let grant = self.first_grants.get(&request);
        grant.map_or_else(|| request.to_string(), ToString::to_string)
    }

    pub(super) fn of_grant(&self, grant: GrantId) -> String {
        let request = self.requests.get(&grant);
        request.map_or_else(|| grant.to_string(), |request| self.of_request(*request))
    }
}

pub(super) const fn scope_word(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "this_call",
        Scope::Until => "15m",
        Scope::Run => "run",
        Scope::Session => "this_session",
        Scope::Project => "persistent",
    }
}
