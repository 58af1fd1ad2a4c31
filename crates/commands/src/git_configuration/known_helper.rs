//! Credential helpers that are known by their name.
//!
//! See docs/decisions/0071-credential-helpers.md.

/// A helper whose program is known by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownHelper {
    /// `git credential-NAME`.
    OfGit(&'static str),
    /// `PROGRAM auth git-credential`.
    OfForge(&'static str),
}

const HELPERS: &[&str] = &[
    "cache",
    "store",
    "osxkeychain",
    "libsecret",
    "gnome-keyring",
    "wincred",
    "manager",
    "manager-core",
    // Google's machines bring it in their system configuration.
    "gcloud.sh",
];

const FORGE_CLIENTS: &[&str] = &["gh", "/usr/bin/gh", "/usr/local/bin/gh", "/opt/homebrew/bin/gh"];

/// The helper that a value of `credential.helper` names, if it is a known one with no words that
/// change what it does.
pub(crate) fn find_known_helper(value: &str) -> Option<KnownHelper> {
    if let Some(line) = value.strip_prefix('!') {
        let program = line.strip_suffix(" auth git-credential")?;
        let found = FORGE_CLIENTS.iter().find(|known| **known == program);
        return found.copied().map(KnownHelper::OfForge);
    }
    let name = if has_timeout_only(value) { "cache" } else { value };
    HELPERS.iter().find(|known| **known == name).copied().map(KnownHelper::OfGit)
}

/// `cache --timeout=3600` or `cache --timeout 3600`.
fn has_timeout_only(value: &str) -> bool {
    let seconds =
        value.strip_prefix("cache --timeout").and_then(|rest| rest.strip_prefix(['=', ' ']));
    seconds.is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
}
