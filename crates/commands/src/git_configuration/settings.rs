//! Which settings name programs, and of which kind.
//!
//! Attributes select drivers, but they may be in the tree, in a commit or in files of their own. So a
//! driver counts as soon as it is configured. A setting that is missing here is one that git runs
//! unseen: when git gains one, it belongs here.

use super::GitSetting;
use super::address::runs_configured_program;
use crate::option_tables::shows_signature;

/// When git runs a configured program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramKind {
    /// In every subcommand.
    Always,
    FileMonitor,
    /// Converts content between a file and the repository.
    Filter,
    ExternalDiff,
    TextConversion,
    /// A file whose lines `blame` prints if they are no commits.
    BlameFile,
    MergeDriver,
    Pager,
    Editor,
    Signature,
    Verification,
    /// Reaches another repository, or decides which one.
    Transport,
    /// A diff that runs git in submodules.
    SubmoduleDiff,
    /// A hook that is no file.
    Hook,
    Trailer,
    Maintenance,
    /// Only in subcommands that run anything: tools, mail, archives, manuals, templates.
    Other,
}

/// A key in its parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct GitSettingKey<'a> {
    section: &'a str,
    subsection: Option<&'a str>,
    name: &'a str,
}

impl<'a> GitSettingKey<'a> {
    /// `None` for a name outside all sections, which git does not use.
    pub(super) fn parse(key: &'a str) -> Option<Self> {
        let (section, rest) = key.split_once('.')?;
        match rest.rsplit_once('.') {
            Some((subsection, name)) => Some(Self { section, subsection: Some(subsection), name }),
            None => Some(Self { section, subsection: None, name: rest }),
        }
    }

    pub(super) const fn parts(&self) -> (&'a str, Option<&'a str>, &'a str) {
        (self.section, self.subsection, self.name)
    }

    pub(super) fn describe(&self, setting: &GitSetting) -> String {
        let Self { section, subsection, name } = self;
        let middle = if subsection.is_some() { ".*" } else { "" };
        format!("`{section}{middle}.{name}` in `{}`", setting.file)
    }

    /// Whether a value replaces earlier ones of the same key, rather than being added to them.
    pub(super) fn replaces_earlier(&self, value: Option<&str>) -> bool {
        match (self.section, self.name) {
            ("credential", "helper") => value == Some(""),
            ("core", "gitproxy") | ("gc", "recentobjectshook") | ("hook", _) => false,
            ("remote", "url" | "pushurl") | ("url", _) => false,
            ("sendemail" | "trace2", _) => false,
            _ => true,
        }
    }
}

/// Git's reading of a boolean; `None` if it is none. Numbers with a unit count as none.
pub(super) fn read_bool(value: Option<&str>) -> Option<bool> {
    let Some(value) = value else { return Some(true) };
    let is_among = |words: [&str; 3]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    let is_number = value.len() < 10 && value.bytes().all(|b| b.is_ascii_digit());
    match value {
        "" => Some(false),
        _ if is_among(["true", "yes", "on"]) => Some(true),
        _ if is_among(["false", "no", "off"]) => Some(false),
        _ if is_number => Some(value.bytes().any(|b| b != b'0')),
        _ => None,
    }
}

pub(super) fn is_true_or_unknown(value: Option<&str>) -> bool {
    read_bool(value) != Some(false)
}

/// The kind of program that a setting names; `None` if it names none.
pub(super) fn classify(key: &GitSettingKey, value: Option<&str>) -> Option<ProgramKind> {
    let text = value.unwrap_or_default();
    let is_set = !text.is_empty();
    let (kind, counts) = match key.parts() {
        ("core", None, name) => classify_core(name, value)?,
        ("sequence", None, "editor") => (ProgramKind::Editor, is_set && text != ":"),
        ("filter", Some(_), "clean" | "smudge" | "process") => (ProgramKind::Filter, is_set),
        ("diff", None, "external") | ("diff", Some(_), "command") => {
            (ProgramKind::ExternalDiff, is_set)
        }
        ("diff", Some(_), "textconv") => (ProgramKind::TextConversion, is_set),
        // Git prints a line of the file that is no commit.
        ("blame", None, "ignorerevsfile") => {
            (ProgramKind::BlameFile, is_set && !is_plain_revision_file(text))
        }
        ("diff", None, "submodule") => (ProgramKind::SubmoduleDiff, text != "short"),
        ("status", None, "submodulesummary") => {
            (ProgramKind::SubmoduleDiff, is_true_or_unknown(value))
        }
        ("merge", Some(_), "driver") => (ProgramKind::MergeDriver, is_set),
        // `git-merge-NAME`.
        ("pull", None, "twohead" | "octopus") => (ProgramKind::MergeDriver, is_set),
        ("gpg", _, "program" | "defaultkeycommand") => (ProgramKind::Signature, is_set),
        ("commit" | "tag" | "push", None, "gpgsign") | ("tag", None, "forcesignannotated") => {
            (ProgramKind::Signature, is_true_or_unknown(value))
        }
        ("log", None, "showsignature") | ("merge", None, "verifysignatures") => {
            (ProgramKind::Verification, is_true_or_unknown(value))
        }
        ("format", None, "pretty") | ("pretty", _, _) | ("rebase", None, "instructionformat") => {
            (ProgramKind::Verification, shows_signature(text))
        }
        ("branch" | "tag", None, "sort") => (ProgramKind::Verification, shows_signature(text)),
        ("trailer", Some(_), "command" | "cmd") => (ProgramKind::Trailer, is_set),
        ("hook", Some(_), "command") => (ProgramKind::Hook, is_set),
        ("gc", None, "recentobjectshook") => (ProgramKind::Maintenance, is_set),
        // It writes a trace of every command, to a file or a socket.
        ("trace2", None, name) => (ProgramKind::Always, name.ends_with("target") && is_set),
        (section, _, name) if is_transport(section, name) => {
            (ProgramKind::Transport, counts_for_transport(key, value))
        }
        (section, _, name) => (ProgramKind::Other, is_other(section, name, text)),
    };
    counts.then_some(kind)
}

fn classify_core(name: &str, value: Option<&str>) -> Option<(ProgramKind, bool)> {
    let text = value.unwrap_or_default();
    let is_set = !text.is_empty();
    match name {
        "fsmonitor" => Some((ProgramKind::FileMonitor, read_bool(value).is_none())),
        "pager" => Some((ProgramKind::Pager, is_set && text != "cat")),
        "editor" => Some((ProgramKind::Editor, is_set && text != ":")),
        "sshcommand" => Some((ProgramKind::Transport, is_set && text != "ssh")),
        "askpass" | "gitproxy" | "alternaterefscommand" => Some((ProgramKind::Transport, is_set)),
        _ => None,
    }
}

/// A file of this name lies in the tree, and holds no secret by its name.
fn is_plain_revision_file(path: &str) -> bool {
    matches!(path, ".git-blame-ignore-revs" | ".gitblameignore" | ".git-ignore-revs")
}

fn is_transport(section: &str, name: &str) -> bool {
    match section {
        "credential" => name == "helper",
        "remote" => {
            matches!(name, "url" | "pushurl" | "uploadpack" | "receivepack" | "vcs" | "proxy")
        }
        "url" => matches!(name, "insteadof" | "pushinsteadof"),
        "protocol" => name == "allow",
        "uploadpack" => name == "packobjectshook",
        "transfer" | "fetch" => name == "bundleuri",
        "http" => HTTP_SETTINGS.contains(&name),
        _ => false,
    }
}

/// Settings that decide which host is reached, how it is recognised, or what it is told.
const HTTP_SETTINGS: &[&str] = &[
    "proxy",
    "curloptresolve",
    "sslverify",
    "sslcainfo",
    "sslcapath",
    "sslcert",
    "sslkey",
    "cookiefile",
    "followredirects",
    "savecookies",
    "extraheader",
];

fn counts_for_transport(key: &GitSettingKey, value: Option<&str>) -> bool {
    let text = value.unwrap_or_default();
    match (key.section, key.name) {
        ("remote", "url" | "pushurl") => runs_configured_program(text),
        ("protocol", _) => text != "never",
        ("http", "sslverify") => read_bool(value) != Some(true),
        ("url", _) => true,
        _ => !text.is_empty(),
    }
}

fn is_other(section: &str, name: &str, text: &str) -> bool {
    match section {
        "submodule" => name == "update" && text.starts_with('!'),
        "interactive" => name == "difffilter",
        "difftool" | "mergetool" | "man" | "browser" | "guitool" => {
            matches!(name, "cmd" | "path" | "viewer")
        }
        "diff" => matches!(name, "tool" | "guitool"),
        "merge" => matches!(name, "tool" | "guitool"),
        "help" => matches!(name, "browser" | "format"),
        "web" => name == "browser",
        "instaweb" | "sendemail" => true,
        "imap" => name == "tunnel",
        "tar" => name == "command",
        "init" => name == "templatedir",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boolean_is_read_as_git_reads_it() {
        for (value, expected) in [
            (None, Some(true)),
            (Some(""), Some(false)),
            (Some("TRUE"), Some(true)),
            (Some("off"), Some(false)),
            (Some("0"), Some(false)),
            (Some("12"), Some(true)),
            (Some("1k"), None),
            (Some("/x"), None),
        ] {
            assert_eq!(read_bool(value), expected, "{value:?}");
        }
    }

    #[test]
    fn a_key_is_split_at_its_first_and_its_last_dot() {
        let parts = |key| GitSettingKey::parse(key).map(|key| key.parts());
        assert_eq!(parts("core.editor"), Some(("core", None, "editor")));
        assert_eq!(parts("url.a.b/c.insteadof"), Some(("url", Some("a.b/c"), "insteadof")));
        assert_eq!(parts("remote..url"), Some(("remote", Some(""), "url")));
        assert!(parts("editor").is_none());
    }
}
