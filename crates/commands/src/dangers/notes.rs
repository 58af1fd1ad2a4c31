//! What is worth naming on a card without raising anything.

use super::DangerSearch;
use super::arguments::Arguments;
use super::trees::is_open_mode;
use crate::folder_reading::{find_secrets_below, may_read_below};
use crate::loose::Word;
use crate::working_folders::FolderSet;
use countersign_core::model::danger::DangerKind::Noted;

/// Commands by their first words, and what they do.
const NOTES: &[(&str, &str, &str)] = &[
    ("terraform apply", "changes", "cloud resources"),
    ("tofu apply", "changes", "cloud resources"),
    ("pulumi up", "changes", "cloud resources"),
    ("cdk deploy", "changes", "cloud resources"),
    ("kubectl apply", "changes", "resources in the cluster"),
    ("kubectl drain", "moves everything away from", "a machine of the cluster"),
    ("helm upgrade", "changes", "a release in the cluster"),
    ("helm install", "adds", "a release to the cluster"),
    ("npm publish", "publishes", "the package of this folder for everybody"),
    ("pnpm publish", "publishes", "the package of this folder for everybody"),
    ("yarn npm publish", "publishes", "the package of this folder for everybody"),
    ("cargo publish", "publishes", "the crate of this folder for everybody"),
    ("twine upload", "publishes", "the package {} for everybody"),
    ("gem push", "publishes", "the gem for everybody"),
    ("docker push", "publishes", "the image {} to its registry"),
    ("gh pr merge", "merges", "the pull request {}"),
    ("gh release create", "publishes", "the release {}"),
    ("vercel deploy", "publishes", "this project"),
    ("shutdown", "turns off or restarts", "this machine"),
    ("poweroff", "turns off", "this machine"),
    ("reboot", "restarts", "this machine"),
    ("halt", "turns off", "this machine"),
];

/// Names the secret files that a command opens below the folders that it reads.
pub(super) fn check_secrets_below(search: &mut DangerSearch, words: &[Word], folders: &FolderSet) {
    if !words.first().is_some_and(|program| may_read_below(&program.text)) {
        return;
    }
    let argv: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
    if let Some(found) = find_secrets_below(&argv, folders, search.context) {
        search.add(Noted, "opens", format!("secret files: {}", found.describe()));
    }
}

pub(super) fn check_notes(search: &mut DangerSearch, arguments: &Arguments) {
    let operands: Vec<&str> = arguments.operands().map(|word| word.text.as_str()).collect();
    let is_named = |name: &str| {
        let mut words = name.split(' ');
        words.next() == Some(arguments.program.as_str())
            && words.zip(operands.iter().chain(std::iter::repeat(&""))).all(|(a, b)| a == *b)
    };
    if let Some((name, does, what)) = NOTES.iter().find(|(name, ..)| is_named(name)) {
        let skipped = name.split(' ').count() - 1;
        let operand = operands.get(skipped).copied().unwrap_or_default();
        let what = what.replace("{}", operand);
        search.add(Noted, does, what.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    match (arguments.program.as_str(), operands.as_slice()) {
        ("chmod", [mode, paths @ ..]) if is_open_mode(mode) && !paths.is_empty() => {
            let is_recursive = arguments.has_letter(&['R']) || arguments.has_long("--recursive");
            let does = match is_recursive {
                true => "recursively makes everything writable for everybody in",
                false => "makes writable for everybody",
            };
            search.add(Noted, does, paths.join(", "));
        }
        ("git", ["reset", ..]) if arguments.has_option(&["--hard"]) => {
            search.add(Noted, "discards", "changes that are not committed");
        }
        ("git", ["clean", ..]) if arguments.has_letter(&['f']) && !arguments.is_dry() => {
            search.add(Noted, "deletes", "files that git does not know");
        }
        ("ssh" | "mosh", _) => {
            if let Some(host) = arguments.operands().next() {
                let host = host.text.rsplit('@').next().unwrap_or_default().to_owned();
                search.add(Noted, "runs commands on", host);
            }
        }
        _ => {}
    }
}
