//! What was asked, in the words of PermissionBridge (seed 002).

use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::grant::{Grant, Scope};
use countersign_core::model::ids::CallId;
use countersign_core::model::request::{Request, Subject};
use std::collections::BTreeMap;

/// What an agent said about its calls, by call.
#[derive(Default)]
pub(super) struct Claims {
    by_call: BTreeMap<CallId, (String, String)>,
}

/// Whose words a question is in.
pub(super) enum Words {
    Ours,
    Agents,
}

pub(super) struct Question {
    pub(super) by: Words,
    pub(super) action: String,
    pub(super) category: Option<String>,
    pub(super) scope: &'static str,
    pub(super) reasoning: String,
    pub(super) fallback: String,
}

impl Claims {
    pub(super) fn hear(&mut self, change: &Change) {
        if let Change::CallDecided { attempt: Attempt::First(call), .. } = change {
            let said = (call.claims.reason.clone(), call.claims.fallback.clone());
            self.by_call.insert(call.id, said);
        }
    }

    pub(super) fn question(&self, request: &Request) -> Question {
        let asked = |action: String| Question {
            by: Words::Ours,
            action,
            category: None,
            scope: scope(Scope::Once),
            reasoning: String::new(),
            fallback: String::new(),
        };
        match &request.subject {
            Subject::Calls(calls) => {
                let actions = request.items.iter().filter_map(|item| item.action.as_ref());
                let actions: Vec<&str> = actions.map(|action| action.as_str()).collect();
                let said = calls.first().and_then(|call| self.by_call.get(call)).cloned();
                let (reasoning, fallback) = said.unwrap_or_default();
                Question { reasoning, fallback, ..asked(actions.join(", ")) }
            }
            Subject::Ahead(ahead) => Question {
                by: Words::Agents,
                action: ahead.text.clone(),
                category: ahead.category.as_ref().map(ToString::to_string),
                scope: scope(ahead.scope),
                reasoning: ahead.reason.clone(),
                fallback: ahead.fallback.clone(),
            },
            Subject::Start(start) => asked(format!("start of workflow {}", start.workflow)),
            Subject::Standing(coverage) => {
                Question { scope: scope(Scope::Session), ..asked(coverage.to_string()) }
            }
            Subject::Slash(slash) => asked(format!("{} (/{})", slash.action, slash.name)),
            Subject::Imported(imported) => {
                let scope = scope(imported.scope);
                Question { scope, ..asked(format!("{}, imported", imported.coverage)) }
            }
            Subject::Proposal(proposal) => asked(format!("proposal {proposal}")),
        }
    }
}

/// The id that joins all that follows from one question.
pub(super) fn joined(grant: &Grant) -> String {
    grant.request.map_or_else(|| grant.id.to_string(), |request| request.to_string())
}

pub(super) const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "this_call",
        Scope::Until => "15m",
        Scope::Run => "run",
        Scope::Session => "this_session",
        Scope::Project => "persistent",
    }
}
