//! Describes the effects of a call from its categories and detectors.

use crate::kind::collect_categories;
use crate::text::DisplayText;
use countersign_core::model::call::Call;
use countersign_core::model::command::Command;
use countersign_core::model::graph::Graph;
use countersign_core::model::words::Detector;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardEffect {
    /// A verb: `writes`, `deletes`, `spends`.
    pub does: Cow<'static, str>,
    pub what: DisplayText,
}

/// Category, verb and object. A category that is not listed is shown by its name.
const CATEGORY_EFFECTS: [(&str, &str, &str); 26] = [
    ("filesystem_read", "reads", "files"),
    ("filesystem_write", "writes", "files"),
    ("file-edit", "writes", "files"),
    ("filesystem_delete", "deletes", "files"),
    ("delete_or_destructive_change", "deletes", "what cannot be brought back"),
    ("git", "changes", "the repository"),
    ("git_write", "changes", "the repository"),
    ("git-local", "changes", "the repository"),
    ("git_push", "sends", "commits to another machine"),
    ("git-remote", "sends", "commits to another machine"),
    ("http_fetch", "reaches", "the network"),
    ("network", "reaches", "the network"),
    ("submit_form", "sends", "a form"),
    ("shell_exec", "runs", "a command"),
    ("script", "runs", "a script"),
    ("test", "runs", "tests"),
    ("build", "runs", "a build"),
    ("deploy", "changes", "what others use"),
    ("paid_api_call", "spends", "money"),
    ("purchase", "spends", "money"),
    ("credential_or_payment", "reads", "credentials or payment data"),
    ("send_message", "sends", "a message"),
    ("send_email", "sends", "mail"),
    ("external_send", "sends", "data to others"),
    ("external_message", "sends", "a message"),
    ("account_or_security_change", "changes", "accounts or security"),
];

pub(crate) fn describe_effects(graph: Option<&Graph>, call: &Call) -> Vec<CardEffect> {
    let mut effects: Vec<CardEffect> = Vec::new();
    for category in collect_categories(graph, call) {
        let known = CATEGORY_EFFECTS.iter().find(|(name, ..)| *name == category.as_str());
        let effect = match known {
            Some((_, does, what)) => {
                CardEffect { does: (*does).into(), what: DisplayText::from_trusted(*what) }
            }
            None => CardEffect {
                does: "counts as".into(),
                what: DisplayText::from_untrusted(category.as_str()),
            },
        };
        if !effects.contains(&effect) {
            effects.push(effect);
        }
    }
    effects.extend(call.detectors.iter().map(|detector| {
        let (does, what) = match detector {
            Detector::Force => ("acts", "by force, over what is there"),
            Detector::Recursive => ("reaches", "everything below"),
            Detector::OutsideWorkspace => ("reaches", "outside of the workspace"),
            Detector::SecretPath => ("reaches", "where secrets are kept"),
        };
        CardEffect { does: does.into(), what: DisplayText::from_trusted(what) }
    }));
    if let Some(Command::NotPlain { .. }) = &call.command {
        let what = "what it does in all: it is more than one plain command";
        effects.push(CardEffect {
            does: "does not tell".into(),
            what: DisplayText::from_trusted(what),
        });
    }
    if effects.is_empty() {
        let what = "what it does";
        effects.push(CardEffect {
            does: "does not tell".into(),
            what: DisplayText::from_trusted(what),
        });
    }
    effects
}
