//! Whether a call can be undone: from what it does, and then from what the rules say.

use crate::CardContext;
use crate::command_objects::list_commands;
use crate::decided::DecidedCall;
use crate::exact::FileChange;
use crate::kind::CardKind;
use crate::places::shows_secret;
use crate::text::DisplayText;
use countersign_commands::deletes_for_good;
use countersign_core::model::call::Call;
use countersign_core::model::danger::Danger;
use countersign_core::model::names::Action;
use countersign_core::model::proposal::Proposal;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::words::Undo;
use serde::{Deserialize, Serialize};

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardUndo {
    /// Nobody knows. From high risk on, the card says so.
    Unknown,
    Irreversible,
    Reversible {
        /// What somebody would do to undo it.
        how: DisplayText,
    },
}

/// What leaves the machine, is paid or destroyed cannot be taken back, whatever a rule says.
const IRREVERSIBLE_CATEGORIES: [&str; 16] = [
    "delete_or_destructive_change",
    "filesystem_delete",
    "git_push",
    "send_message",
    "send_email",
    "external_send",
    "external_message",
    "external_handoff",
    "support_packet_share",
    "submit_form",
    "purchase",
    "paid_api_call",
    "two_factor_authentication",
    "screen_share_external",
    "camera_share_external",
    "microphone_share_external",
];

/// The same by the verb of an action, for one whose rule does not call it reversible.
const IRREVERSIBLE_VERBS: [&str; 16] = [
    "delete",
    "destroy",
    "drop",
    "erase",
    "purge",
    "wipe",
    "force_push",
    "forward",
    "post",
    "publish",
    "push",
    "send",
    "share",
    "upload",
    "purchase",
    "pay",
];

/// Category, and how that is undone where the rules call it reversible.
pub(crate) const REVERSIBLE_CATEGORIES: [(&str, &str); 8] = [
    ("git-local", "git keeps the earlier state: `git reflog`"),
    ("git", "git keeps the earlier state: `git reflog`"),
    ("git_write", "git keeps the earlier state: `git reflog`"),
    ("setting_change", "set it back"),
    ("text_entry", "delete the text again"),
    ("focus_change", "move the focus back"),
    ("pointer_movement", "move the pointer back"),
    ("foreground_takeover", "switch back to the other app"),
];

/// Git commands that no reflog undoes, and what does.
pub(crate) const GIT_UNDO: [(&str, &str); 4] = [
    ("add", "unstage it: `git restore --staged`"),
    ("tag", "delete the tag: `git tag -d`"),
    ("stash", "bring it back: `git stash pop`"),
    ("mv", "move it back: `git mv`"),
];

/// How the first command of a line is undone that changes anything in git.
fn find_undo_of_git(call: &Call) -> Option<&'static str> {
    let commands = list_commands(call);
    let mut subcommands =
        commands.iter().filter(|argv| argv.first().is_some_and(|program| program == "git"));
    let [_, subcommand, ..] = subcommands.next()?.as_slice() else { return None };
    let has_others = subcommands.any(|argv| argv.get(1) != Some(subcommand));
    let found = GIT_UNDO.iter().find(|(name, _)| name == subcommand).filter(|_| !has_others);
    found.map(|(_, how)| *how)
}

pub(crate) fn determine_undo(
    context: CardContext<'_>,
    request: &Request,
    decided: Option<&DecidedCall<'_>>,
    kind: CardKind,
) -> CardUndo {
    match (&request.subject, decided) {
        (Subject::Calls(_), Some(decided)) => undo_of_call(request, decided, kind),
        (Subject::Proposal(id), _) => {
            context.state.proposals.get(id).map_or(CardUndo::Unknown, undo_of_proposal)
        }
        // A permission can be revoked, but not what was done with it.
        (_, _) => CardUndo::Unknown,
    }
}

fn undo_of_proposal(proposal: &Proposal) -> CardUndo {
    let how = match proposal.undo_window {
        Some(window) => format!("by the plan below, until {window} after it is applied"),
        None => "by the plan below; the graph sets no time for it".to_owned(),
    };
    CardUndo::Reversible { how: DisplayText::from_trusted(how) }
}

/// Whether a danger is a loss, even where it raises nothing.
fn is_lost(danger: &Danger) -> bool {
    danger.raises() || ["deletes", "discards"].contains(&danger.does.as_str())
}

/// Whether what it does stays done: it destroys, sends, shows a secret, or runs code from elsewhere.
fn lasts(request: &Request, call: &Call) -> bool {
    let mut bounds = request.items.iter().filter_map(|item| item.bounds.as_deref());
    bounds.any(|bounds| bounds.dangers.iter().any(is_lost))
        || shows_secret(request, call)
        || list_commands(call).iter().any(|argv| deletes_for_good(argv))
}

fn has_lasting_verb(action: &Action) -> bool {
    let is_verb = |known: &str| {
        let rest = action.verb().strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    IRREVERSIBLE_VERBS.iter().any(|known| is_verb(known))
}

fn undo_of_call(request: &Request, decided: &DecidedCall<'_>, kind: CardKind) -> CardUndo {
    let call = decided.call;
    let categories = decided.categories();
    let has_category = |name: &str| categories.iter().any(|category| category.as_str() == name);
    let rules: Vec<_> = decided.rules().collect();
    let is_denied = call.undo == Some(Undo::Irreversible)
        || rules.iter().flatten().any(|rule| rule.undo == Some(Undo::Irreversible));
    if is_denied || IRREVERSIBLE_CATEGORIES.iter().any(|name| has_category(name)) {
        return CardUndo::Irreversible;
    }
    let is_stated = |undo: Option<Undo>| undo == Some(Undo::Reversible);
    let is_kept = |action: &Action| {
        let rule = decided.graph.and_then(|graph| graph.rule(action));
        is_stated(call.undo) || rule.is_some_and(|rule| is_stated(rule.undo))
    };
    if lasts(request, call)
        || decided.actions.iter().any(|action| has_lasting_verb(action) && !is_kept(action))
    {
        return CardUndo::Irreversible;
    }
    let is_reversible = is_stated(call.undo)
        || rules.iter().all(|rule| rule.is_some_and(|rule| is_stated(rule.undo)));
    if !is_reversible || rules.is_empty() {
        return CardUndo::Unknown;
    }
    let replaces_text = kind == CardKind::Edit
        && FileChange::find_in(&call.args, kind).iter().any(|change| change.counts.removed > 0);
    let how = match replaces_text {
        true => Some("the card shows the text that it replaces"),
        false => find_undo_of_git(call).or_else(|| {
            REVERSIBLE_CATEGORIES.iter().find(|(name, _)| has_category(name)).map(|(_, how)| *how)
        }),
    };
    how.map_or(CardUndo::Unknown, |how| CardUndo::Reversible {
        how: DisplayText::from_trusted(how),
    })
}
