//! `graph lock` and `graph unlock`: the immutable flag on the graph and its folder of policies.
//!
//! It says plainly what the flag is worth here. A graph is locked as a whole or not at all; where
//! the flag cannot be set, that is a failure and nothing else is claimed.

use super::count;
use crate::args::GraphLockArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::immutable::{self, Mark, Refusal, Written};
use crate::page::{BOLD, Page};
use crate::settings::Settings;
use crate::{files, out};
use countersign_graph::{Format, NodeValue, Problems, node};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub(super) fn lock(args: &GraphLockArgs, settings: &Settings) -> Result<Exit, Failure> {
    let graph = settings.graph(args.file.as_deref())?;
    let mut places = vec![graph.clone()];
    places.extend(policies(&graph)?);
    let mut done: Vec<(&Path, Written)> = Vec::new();
    for place in &places {
        match immutable::write(place, Mark::Locked) {
            Ok(written) => done.push((place, written)),
            Err(refusal) => return Err(not_locked(place, &refusal, &take_back(&done))),
        }
    }
    let mut page = Page::new();
    listed(&mut page, &done, "locked");
    page.end();
    for line in worth(&graph)? {
        page.text(&line).end();
    }
    out::show(&page)?;
    Ok(Exit::Allowed)
}

pub(super) fn unlock(args: &GraphLockArgs, settings: &Settings) -> Result<Exit, Failure> {
    let graph = settings.graph(args.file.as_deref())?;
    let mut done: Vec<(&Path, Written)> = Vec::new();
    // The file first: it may have to be repaired before it names its policies again.
    let open = |place: &Path| {
        immutable::write(place, Mark::Open).map_err(|refusal| not_unlocked(place, &refusal))
    };
    done.push((&graph, open(&graph)?));
    let policies = policies(&graph)?;
    for place in &policies {
        done.push((place, open(place)?));
    }
    let mut page = Page::new();
    listed(&mut page, &done, "unlocked");
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// What keeps a locked file from being written by us, in a sentence.
pub(super) fn refuse_if_locked(path: &Path) -> Result<(), Failure> {
    // A file system without the flag has nothing locked.
    if !matches!(immutable::read(path), Ok(Mark::Locked)) {
        return Ok(());
    }
    let name = path.display();
    let message = format!("`{name}` is locked, and nothing was written");
    let help = format!(
        "run `countersign graph unlock {name}`, do this again, and lock it with `countersign graph \
         lock {name}`"
    );
    Err(Failure::new(message, help))
}

/// The folder of policies that a graph names, and every file in it.
fn policies(graph: &Path) -> Result<Vec<PathBuf>, Failure> {
    let name = graph.display().to_string();
    let bytes = files::read(graph)?;
    let Some(format) = Format::from_path(&name) else { return Ok(Vec::new()) };
    let root = node::parse(&bytes, format)
        .map_err(|problems| Failure::from(Problems::new(&name, &bytes, problems)))?;
    let Some(NodeValue::String(folder)) = root.get("rules").map(|node| &node.value) else {
        return Ok(Vec::new());
    };
    let folder = graph.parent().unwrap_or(Path::new("")).join(folder);
    let cannot = |error: std::io::Error| {
        let help = "the graph names this folder under `rules`; make it readable, or remove the key";
        Failure::file(("read", &folder), &error, help)
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        if entry.file_type().map_err(cannot)?.is_file() {
            found.push(entry.path());
        }
    }
    found.sort();
    // Last, so that the files in it can still be reached while they are marked.
    found.push(folder);
    Ok(found)
}

/// What was locked a moment ago is opened again; what had been locked before stays so.
fn take_back(done: &[(&Path, Written)]) -> Vec<String> {
    let fresh = done.iter().filter(|(_, written)| *written == Written::Now);
    fresh
        .filter(|(place, _)| immutable::write(place, Mark::Open).is_err())
        .map(|(place, _)| place.display().to_string())
        .collect()
}

fn listed(page: &mut Page, done: &[(&Path, Written)], word: &str) {
    for (place, written) in done {
        page.styled(BOLD, &place.display().to_string()).text(": ");
        match written {
            Written::Now => page.text(word).end(),
            Written::Already => page.text(&format!("was {word} already")).end(),
        };
    }
}

fn not_locked(place: &Path, refusal: &Refusal, left: &[String]) -> Failure {
    let name = place.display();
    let system = immutable::file_system(place);
    let (why, mut help) = match refusal {
        Refusal::Unsupported => (
            format!("{system} has no immutable flag here"),
            "keep the graph on ext4, xfs or btrfs; what counts is that the agents' user cannot write it"
                .to_owned(),
        ),
        Refusal::NotPermitted => (
            "whoever runs this may not set the immutable flag".to_owned(),
            "run it as root; what counts is that the agents' user cannot write the file".to_owned(),
        ),
        Refusal::NotKept => {
            (format!("{system} did not keep the flag"), "keep the graph on another file system".to_owned())
        }
        Refusal::Io(error) => (error.to_string(), "make sure that it can be read".to_owned()),
    };
    if !left.is_empty() {
        help = format!("{} still locked: {}; {help}", count(left.len(), "file"), left.join(", "));
    }
    Failure::new(format!("`{name}` is not locked: {why}"), help)
}

fn not_unlocked(place: &Path, refusal: &Refusal) -> Failure {
    let name = place.display();
    match refusal {
        Refusal::Unsupported => Failure::new(
            format!(
                "`{name}` was never locked: {} has no immutable flag here",
                immutable::file_system(place)
            ),
            "there is nothing to undo",
        ),
        Refusal::NotPermitted => Failure::new(
            format!("`{name}` stays locked: whoever runs this may not clear the immutable flag"),
            "run it as root",
        ),
        Refusal::NotKept => Failure::new(format!("`{name}` stays locked"), "run `lsattr` on it"),
        Refusal::Io(error) => Failure::new(
            format!("`{name}` cannot be unlocked: {error}"),
            "make sure that it can be read",
        ),
    }
}

/// What the flag is worth on this file system and for whoever runs this.
fn worth(graph: &Path) -> Result<Vec<String>, Failure> {
    let known = std::fs::metadata(graph)
        .map_err(|error| Failure::file(("read", graph), &error, "make sure that it can be read"))?;
    let system = immutable::file_system(graph);
    let user = rustix::process::geteuid().as_raw();
    Ok(worth_of(&system, user, (known.uid(), known.mode() & 0o777)))
}

fn worth_of(system: &str, user: u32, (owner, mode): (u32, u32)) -> Vec<String> {
    let mut lines = vec![format!(
        "This is a tripwire and no boundary. On this {system} nothing changes, renames or deletes it \
         until somebody with CAP_LINUX_IMMUTABLE clears the flag, as `countersign graph unlock` does."
    )];
    lines.push(match user {
        0 => "You run this as root: an agent that runs as root can clear it too.".to_owned(),
        user => {
            format!("You run this as user {user}, who may clear it: so may an agent of that user.")
        }
    });
    lines.push(format!(
        "The boundary is that the agents' user cannot write the file: it belongs to user {owner} and \
         has mode {mode:04o}."
    ));
    if system == "tmpfs" {
        lines.push(
            "A tmpfs is empty after a restart: this graph is gone then, flag and all.".to_owned(),
        );
    }
    if mode & 0o022 != 0 {
        lines.push("Others than its owner may write it: `chmod go-w` takes that back.".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(failure: &Failure) -> String {
        failure.page().as_str().to_owned()
    }

    #[test]
    fn what_cannot_be_locked_is_not_called_locked() {
        let place = Path::new("/proc/self/status");
        for (refusal, why) in [
            (Refusal::Unsupported, "has no immutable flag here"),
            (Refusal::NotPermitted, "whoever runs this may not set the immutable flag"),
            (Refusal::NotKept, "did not keep the flag"),
            (Refusal::Io(std::io::Error::other("a bad day")), "a bad day"),
        ] {
            let text = said(&not_locked(place, &refusal, &[]));
            assert!(text.contains("is not locked: "), "{text}");
            assert!(text.contains(why), "{text}");
        }
        let text = said(&not_locked(place, &Refusal::Unsupported, &["a".to_owned()]));
        assert!(text.contains("1 file still locked: a"), "{text}");
    }

    #[test]
    fn what_cannot_be_unlocked_says_so() {
        let place = Path::new("/proc/self/status");
        assert!(said(&not_unlocked(place, &Refusal::Unsupported)).contains("was never locked"));
        assert!(said(&not_unlocked(place, &Refusal::NotPermitted)).contains("stays locked"));
    }

    #[test]
    fn its_worth_names_the_file_system_the_user_and_the_mode() {
        let root = worth_of("ext4", 0, (1000, 0o644)).join("\n");
        assert!(root.contains("On this ext4 ") && root.contains("as root"), "{root}");
        assert!(root.contains("user 1000 and has mode 0644"), "{root}");
        assert!(!root.contains("chmod"), "{root}");
        assert!(worth_of("tmpfs", 0, (0, 0o600)).join("").contains("gone then"));
        let open = worth_of("xfs", 7, (7, 0o666)).join("\n");
        assert!(open.contains("as user 7") && open.contains("chmod go-w"), "{open}");
    }
}
