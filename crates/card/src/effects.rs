//! What a call does to the world, as far as it is known.

use crate::kind::categories;
use crate::text::Shown;
use countersign_core::model::call::Call;
use countersign_core::model::command::Command;
use countersign_core::model::graph::Graph;
use countersign_core::model::words::Detector;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// A verb: `writes`, `deletes`, `spends`.
    pub does: Cow<'static, str>,
    pub what: Shown,
}

/// Words for categories; what is not here is named as it is.
const KNOWN: [(&str, &str, &str); 26] = [
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

pub(crate) fn of(graph: Option<&Graph>, call: &Call) -> Vec<Effect> {
    let mut effects: Vec<Effect> = Vec::new();
    for category in categories(graph, call) {
        let known = KNOWN.iter().find(|(name, ..)| *name == category.as_str());
        let effect = match known {
            Some((_, does, what)) => Effect { does: (*does).into(), what: Shown::said(*what) },
            None => Effect { does: "counts as".into(), what: Shown::line(category.as_str()) },
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
        Effect { does: does.into(), what: Shown::said(what) }
    }));
    if let Some(Command::NotPlain { .. }) = &call.command {
        let what = "what it does in all: it is more than one plain command";
        effects.push(Effect { does: "does not tell".into(), what: Shown::said(what) });
    }
    if effects.is_empty() {
        let what = "what it does";
        effects.push(Effect { does: "does not tell".into(), what: Shown::said(what) });
    }
    effects
}
