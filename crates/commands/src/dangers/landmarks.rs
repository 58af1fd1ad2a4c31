//! Folders whose loss is a catastrophe, and the workspace.

use crate::context::{CommandContext, Landmark, is_below, normalize};
use crate::denied_path::expand_braces;
use crate::loose::{USER_NAME, Word};
use crate::working_folders::FolderSet;
use countersign_core::model::danger::DangerKind;

/// Folders without which a system does not work, or that hold all data of it.
const SYSTEM_FOLDERS: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/proc",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/lib",
    "/home",
    "/mnt",
    "/media",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/private",
    "/private/etc",
    "/private/var",
    "/nix",
    "/snap",
    "/export/home",
    "/boot/efi",
    "/var/log",
    "/lost+found",
];

/// A folder that a command names, and whether it is meant with or without itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedFolder {
    pub(super) kind: DangerKind,
    /// `your home folder`, `everything in /usr`.
    pub(super) what: String,
}

/// Whether a program follows a link that is the last part of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLink {
    Followed,
    Kept,
}

/// The first folder of this kind that a word may stand for.
pub(super) fn find_folder(
    word: &Word,
    last_link: LastLink,
    folders: &FolderSet,
    context: &CommandContext,
) -> Option<NamedFolder> {
    let readings = word.list_readings();
    let expanded = readings.iter().flat_map(|reading| expand_braces(reading));
    let patterns = if word.is_literal() { Patterns::Literal } else { Patterns::Expanded };
    let reader = FolderReader { last_link, patterns, folders, context };
    let mut found: Vec<NamedFolder> = expanded.filter_map(|text| reader.read(&text)).collect();
    found.sort_by_key(|folder| folder.kind);
    found.into_iter().next()
}

/// Whether a folder is meant, or everything directly in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FolderExtent {
    Itself,
    Content,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Patterns {
    Literal,
    Expanded,
}

struct FolderReader<'a> {
    last_link: LastLink,
    patterns: Patterns,
    folders: &'a FolderSet,
    context: &'a CommandContext<'a>,
}

impl FolderReader<'_> {
    fn read(&self, text: &str) -> Option<NamedFolder> {
        let text = text.strip_prefix("file://").unwrap_or(text);
        let (path, extent) = match self.patterns {
            Patterns::Expanded => strip_patterns(text),
            Patterns::Literal => (text.to_owned(), FolderExtent::Itself),
        };
        if path.contains(crate::loose::UNKNOWN_VALUE) {
            return None;
        }
        if let Some(home) = read_home(&path) {
            return Some(name_folder(DangerKind::Catastrophe, &home, extent));
        }
        self.resolve(&path, extent).iter().find_map(|place| self.classify(place, extent))
    }

    /// Every absolute path that the text may lead to.
    fn resolve(&self, path: &str, extent: FolderExtent) -> Vec<String> {
        let last = path.rsplit('/').next().unwrap_or_default();
        let keeps_link = self.last_link == LastLink::Kept
            && extent == FolderExtent::Itself
            && !["", ".", "..", "~"].contains(&last);
        let absolute = [String::new()];
        let starts = match path.starts_with('/') {
            true => absolute.as_slice(),
            false => self.folders.known.as_slice(),
        };
        let mut places = Vec::new();
        for folder in starts {
            let folder = Some(folder.as_str()).filter(|folder| !folder.is_empty());
            places.push(normalize(path, folder));
            match path.rsplit_once('/').filter(|_| keeps_link) {
                _ if !keeps_link => places.extend(self.context.resolve_from(path, folder).0),
                Some((above, name)) => {
                    let above = if above.is_empty() { "/" } else { above };
                    let above = self.context.resolve_from(above, folder).0;
                    places.extend(above.iter().map(|above| format!("{above}/{name}")));
                }
                None => {}
            }
        }
        places
    }

    fn classify(&self, path: &str, extent: FolderExtent) -> Option<NamedFolder> {
        let path = normalize(path, None);
        let found = |what: &str| Some(name_folder(DangerKind::Catastrophe, what, extent));
        if path == "/" {
            return found("everything on this machine");
        }
        let landmark = self.context.disk.find_landmark(&path);
        if landmark == Some(Landmark::Home) {
            return found("your home folder");
        }
        if let Some(home) = name_home(&path) {
            return found(&home);
        }
        if self.context.workspace == Some(path.as_str()) {
            return Some(name_folder(DangerKind::Workspace, "the workspace", extent));
        }
        if self.context.workspace.is_some_and(|workspace| is_below(workspace, &path)) {
            return found(&format!("{path}, a folder above the workspace"));
        }
        match landmark {
            Some(Landmark::Mount) => found(&format!("the mounted file system {path}")),
            _ if SYSTEM_FOLDERS.contains(&path.as_str()) => {
                found(&format!("the system folder {path}"))
            }
            _ => None,
        }
    }
}

fn name_folder(kind: DangerKind, what: &str, extent: FolderExtent) -> NamedFolder {
    let what = match (kind, extent) {
        (_, FolderExtent::Content) if !what.starts_with("everything") => {
            format!("everything in {what}")
        }
        (DangerKind::Workspace, FolderExtent::Itself) => "the whole workspace".to_owned(),
        (_, _) => what.to_owned(),
    };
    NamedFolder { kind, what }
}

/// `~`, `~NAME` and what goes up from there, by the text alone.
fn read_home(path: &str) -> Option<String> {
    let rest = path.strip_prefix('~')?;
    let (user, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let mut depth = 0_usize;
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return Some("the folder of all home folders".to_owned()),
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    match (depth, user) {
        (0, "" | "+" | "-") => Some("your home folder".to_owned()),
        (0, user) => Some(format!("the home folder of {user}")),
        (_, _) => None,
    }
}

/// A home folder by where such folders are.
fn name_home(path: &str) -> Option<String> {
    let is_root = ["/root", "/var/root", "/private/var/root"].contains(&path);
    let user = ["/home/", "/Users/", "/export/home/"]
        .iter()
        .find_map(|start| path.strip_prefix(start))
        .filter(|user| !user.contains('/') && *user != "Shared");
    match user {
        Some(USER_NAME) => Some("your home folder".to_owned()),
        Some(user) => Some(format!("the home folder of {user}")),
        None => is_root.then(|| "the home folder of root".to_owned()),
    }
}

/// The path in front of patterns that match every name, and whether there are any.
fn strip_patterns(text: &str) -> (String, FolderExtent) {
    let mut path = text;
    let mut extent = FolderExtent::Itself;
    loop {
        let trimmed = path.trim_end_matches('/');
        let (above, last) = trimmed.rsplit_once('/').unwrap_or(("", trimmed));
        if !matches_everything(last) {
            break;
        }
        extent = FolderExtent::Content;
        path = match (above, trimmed.starts_with('/')) {
            ("", true) => return ("/".to_owned(), FolderExtent::Content),
            ("", false) => return (".".to_owned(), FolderExtent::Content),
            (above, _) => above,
        };
    }
    (path.to_owned(), extent)
}

/// `*`, `.*`, `?*`, `.[!.]*`, `..?*`, `[!.]*` and their like.
fn matches_everything(pattern: &str) -> bool {
    let has_star = pattern.contains('*');
    let plain = pattern.strip_prefix("..").or_else(|| pattern.strip_prefix('.')).unwrap_or(pattern);
    let plain = plain.replace("[!.]", "").replace("[^.]", "").replace("[a-z]", "");
    has_star && !plain.is_empty() && plain.chars().all(|c| matches!(c, '*' | '?'))
}
