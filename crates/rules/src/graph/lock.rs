//! `graph lock` and `graph unlock`: the immutable flag on the graph and its policy folder.
//!
//! A graph is locked as a whole or not at all. The output says how much the flag protects here.

use super::args::GraphLockArgs;
use super::pluralize;
use crate::RulesContext;
use countersign_console::{BOLD, Exit, Failure, Page, out};
use countersign_graph::{Format, NodeValue, Problems, node};
use countersign_setup::files;
use countersign_setup::immutable::{self, FlagError, FlagWrite, ImmutableFlag};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub(super) fn lock(args: &GraphLockArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let graph = args.graph.search(args.daemon.path.as_deref(), context.graph_places()).find()?.path;
    let mut paths = vec![graph.clone()];
    paths.extend(policy_paths(&graph)?);
    let mut done: Vec<(&Path, FlagWrite)> = Vec::new();
    for path in &paths {
        match immutable::write_flag(path, ImmutableFlag::Set) {
            Ok(result) => done.push((path, result)),
            Err(error) => return Err(lock_error(path, &error, &roll_back(&done))),
        }
    }
    let mut page = Page::new();
    list_paths(&mut page, &done, "locked");
    page.end();
    for line in describe_protection(&graph)? {
        page.text(&line).end();
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

pub(super) fn unlock(args: &GraphLockArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let graph = args.graph.search(args.daemon.path.as_deref(), context.graph_places()).find()?.path;
    let mut done: Vec<(&Path, FlagWrite)> = Vec::new();
    let clear = |path: &Path| {
        immutable::write_flag(path, ImmutableFlag::Clear)
            .map_err(|error| unlock_error(path, &error))
    };
    // The graph first: a broken graph has to be repaired before its policies can be found.
    done.push((&graph, clear(&graph)?));
    let policies = policy_paths(&graph)?;
    for path in &policies {
        done.push((path, clear(path)?));
    }
    let mut page = Page::new();
    list_paths(&mut page, &done, "unlocked");
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// Fails before a write to a locked file would fail with a less clear message.
pub fn refuse_if_locked(path: &Path) -> Result<(), Failure> {
    // On a file system without the flag, nothing is locked.
    if !matches!(immutable::read_flag(path), Ok(ImmutableFlag::Set)) {
        return Ok(());
    }
    let name = path.display();
    let message = format!("`{name}` is locked; nothing was written");
    let help = format!(
        "run `countersign graph unlock {name}`, try again, then run `countersign graph lock {name}`"
    );
    Err(Failure::new(message, help))
}

/// Every file in the policy folder of a graph, then the folder itself.
fn policy_paths(graph: &Path) -> Result<Vec<PathBuf>, Failure> {
    let name = graph.display().to_string();
    let bytes = files::read(graph)?;
    let Some(format) = Format::from_path(&name) else { return Ok(Vec::new()) };
    let root = node::parse(&bytes, format)
        .map_err(|problems| Failure::from(Problems::new(&name, &bytes, problems)))?;
    let Some(NodeValue::String(folder)) = root.get("rules").map(|node| &node.value) else {
        return Ok(Vec::new());
    };
    let folder = graph.parent().unwrap_or(Path::new("")).join(folder);
    let fail = |error: std::io::Error| {
        let help = "the graph names this folder under `rules`; make it readable, or remove the key";
        Failure::file("read", &folder, &error, help)
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if entry.file_type().map_err(fail)?.is_file() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    paths.push(folder);
    Ok(paths)
}

/// Unlocks what this command has locked, and returns what it could not unlock.
fn roll_back(done: &[(&Path, FlagWrite)]) -> Vec<String> {
    let changed = done.iter().filter(|(_, result)| *result == FlagWrite::Changed);
    changed
        .filter(|(path, _)| immutable::write_flag(path, ImmutableFlag::Clear).is_err())
        .map(|(path, _)| path.display().to_string())
        .collect()
}

fn list_paths(page: &mut Page, done: &[(&Path, FlagWrite)], word: &str) {
    for (path, result) in done {
        page.styled(BOLD, &path.display().to_string()).text(": ");
        match result {
            FlagWrite::Changed => page.text(word).end(),
            FlagWrite::Unchanged => page.text(&format!("was {word} already")).end(),
        };
    }
}

fn lock_error(path: &Path, error: &FlagError, left: &[String]) -> Failure {
    let name = path.display();
    let system = immutable::file_system_name(path);
    let (why, mut help) = match error {
        FlagError::Unsupported => (
            format!("{system} has no immutable flag here"),
            "use ext4, xfs or btrfs; what protects the graph is that the agents' user cannot write it"
                .to_owned(),
        ),
        FlagError::NotPermitted => (
            "this user may not set the immutable flag".to_owned(),
            "run it as root; what protects the graph is that the agents' user cannot write it".to_owned(),
        ),
        FlagError::NotKept => {
            (format!("{system} did not keep the flag"), "use another file system".to_owned())
        }
        FlagError::Io(error) => (error.to_string(), "make sure that it can be read".to_owned()),
    };
    if !left.is_empty() {
        help =
            format!("{} still locked: {}; {help}", pluralize(left.len(), "file"), left.join(", "));
    }
    Failure::new(format!("`{name}` is not locked: {why}"), help)
}

fn unlock_error(path: &Path, error: &FlagError) -> Failure {
    let name = path.display();
    match error {
        FlagError::Unsupported => Failure::new(
            format!(
                "`{name}` was never locked: {} has no immutable flag here",
                immutable::file_system_name(path)
            ),
            "there is nothing to undo",
        ),
        FlagError::NotPermitted => Failure::new(
            format!("`{name}` stays locked: this user may not clear the immutable flag"),
            "run it as root",
        ),
        FlagError::NotKept => Failure::new(format!("`{name}` stays locked"), "run `lsattr` on it"),
        FlagError::Io(error) => Failure::new(
            format!("`{name}` cannot be unlocked: {error}"),
            "make sure that it can be read",
        ),
    }
}

/// How much the flag protects, on this file system and against this user.
fn describe_protection(graph: &Path) -> Result<Vec<String>, Failure> {
    let metadata = std::fs::metadata(graph)
        .map_err(|error| Failure::file("read", graph, &error, "make sure that it can be read"))?;
    Ok(protection_lines(&LockProtection {
        system: immutable::file_system_name(graph),
        user: rustix::process::geteuid().as_raw(),
        owner: metadata.uid(),
        mode: metadata.mode() & 0o777,
    }))
}

/// What the protection of a locked graph depends on.
struct LockProtection {
    system: String,
    /// The user of this process.
    user: u32,
    owner: u32,
    mode: u32,
}

fn protection_lines(protection: &LockProtection) -> Vec<String> {
    let LockProtection { system, user, owner, mode } = protection;
    let mut lines = vec![format!(
        "This is a tripwire, not a boundary. On this {system} nobody can change, rename or delete it \
         until a process with CAP_LINUX_IMMUTABLE clears the flag, as `countersign graph unlock` does."
    )];
    lines.push(match user {
        0 => "You run this as root: an agent that runs as root can clear the flag too.".to_owned(),
        user => {
            format!("You run this as user {user}, who can clear the flag: an agent of that user can too.")
        }
    });
    lines.push(format!(
        "The boundary is that the agents' user cannot write the file: its owner is user {owner} and its \
         mode is {mode:04o}."
    ));
    if system == "tmpfs" {
        lines.push("A tmpfs is empty after a restart: the graph is lost then.".to_owned());
    }
    if mode & 0o022 != 0 {
        lines.push("Other users can write it: run `chmod go-w` on it.".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(failure: &Failure) -> String {
        failure.page().as_str().to_owned()
    }

    #[test]
    fn a_file_that_cannot_be_locked_is_not_called_locked() {
        let path = Path::new("/proc/self/status");
        for (error, why) in [
            (FlagError::Unsupported, "has no immutable flag here"),
            (FlagError::NotPermitted, "this user may not set the immutable flag"),
            (FlagError::NotKept, "did not keep the flag"),
            (FlagError::Io(std::io::Error::other("a bad day")), "a bad day"),
        ] {
            let message = text(&lock_error(path, &error, &[]));
            assert!(message.contains("is not locked: "), "{message}");
            assert!(message.contains(why), "{message}");
        }
        let message = text(&lock_error(path, &FlagError::Unsupported, &["a".to_owned()]));
        assert!(message.contains("1 file still locked: a"), "{message}");
    }

    #[test]
    fn a_file_that_cannot_be_unlocked_says_so() {
        let path = Path::new("/proc/self/status");
        assert!(text(&unlock_error(path, &FlagError::Unsupported)).contains("was never locked"));
        assert!(text(&unlock_error(path, &FlagError::NotPermitted)).contains("stays locked"));
    }

    #[test]
    fn the_protection_names_the_file_system_the_user_and_the_mode() {
        let lines = |system: &str, user, owner, mode| {
            protection_lines(&LockProtection { system: system.to_owned(), user, owner, mode })
                .join("\n")
        };
        let root = lines("ext4", 0, 1000, 0o644);
        assert!(root.contains("On this ext4 ") && root.contains("as root"), "{root}");
        assert!(root.contains("user 1000 and its mode is 0644"), "{root}");
        assert!(!root.contains("chmod"), "{root}");
        assert!(lines("tmpfs", 0, 0, 0o600).contains("is lost then"));
        let open = lines("xfs", 7, 7, 0o666);
        assert!(open.contains("as user 7") && open.contains("chmod go-w"), "{open}");
    }
}
