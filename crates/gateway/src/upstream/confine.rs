//! Keeps a server process away from our own folders, where the kernel has Landlock.
//!
//! Landlock has no rule that forbids: it allows below named folders. So everything beside the way to
//! one of our folders is allowed. What is lost with that: the process cannot create entries directly
//! in a folder above ours, such as a new folder in the home folder, nor read files that others put
//! there after its start. Folders can be listed everywhere.

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Forbids this thread, and what it starts, to read and write the files of these folders. A kernel that cannot do that
/// changes nothing.
pub(super) fn restrict_thread(folders: &[PathBuf]) {
    let folders: Vec<PathBuf> =
        folders.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect();
    if folders.is_empty() {
        return;
    }
    let _unrestricted = restrict(&folders);
}

fn restrict(folders: &[PathBuf]) -> Option<()> {
    let access = AccessFs::from_write(ABI::V3) | AccessFs::ReadFile;
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let mut rules = ruleset.handle_access(access).ok()?.create().ok()?;
    for path in find_allowed(folders) {
        rules = allow_access(rules, &path)?;
    }
    rules.restrict_self().ok().map(drop)
}

/// A path that cannot be opened stays forbidden.
fn allow_access(rules: RulesetCreated, path: &Path) -> Option<RulesetCreated> {
    let Ok(opened) = PathFd::new(path) else { return Some(rules) };
    let access = AccessFs::from_write(ABI::V3) | AccessFs::ReadFile;
    let is_folder = fs::metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let access = if is_folder { access } else { access & AccessFs::from_file(ABI::V3) };
    rules.add_rule(PathBeneath::new(opened, access)).ok()
}

/// Everything beside the way from the root to one of the folders.
fn find_allowed(folders: &[PathBuf]) -> BTreeSet<PathBuf> {
    let on_the_way = |path: &Path| folders.iter().any(|folder| folder.starts_with(path));
    let mut allowed = BTreeSet::new();
    let mut above: BTreeSet<PathBuf> = BTreeSet::new();
    for folder in folders {
        above.extend(folder.ancestors().skip(1).map(Path::to_owned));
    }
    for parent in above.iter().filter(|parent| !folders.iter().any(|f| parent.starts_with(f))) {
        let Ok(entries) = fs::read_dir(parent) else { continue };
        let beside = entries.flatten().map(|entry| entry.path()).filter(|path| !on_the_way(path));
        allowed.extend(beside);
    }
    allowed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_beside_the_way_to_our_folders_is_allowed() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        for folder in ["home/data/ours", "home/data/other", "home/work", "home/graph"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let allowed = find_allowed(&[root.join("home/data/ours"), root.join("home/graph")]);
        let inside: Vec<_> = allowed.iter().filter_map(|p| p.strip_prefix(&root).ok()).collect();
        assert_eq!(inside, [Path::new("home/data/other"), Path::new("home/work")]);
    }

    /// Shows both sides: the folder is closed, and the one beside it is not.
    #[test]
    fn a_restricted_thread_can_neither_read_nor_write_in_our_folder() {
        let root = tempfile::tempdir().unwrap();
        let (ours, other) = (root.path().join("ours"), root.path().join("other"));
        fs::create_dir_all(&ours).unwrap();
        fs::create_dir_all(&other).unwrap();
        fs::write(ours.join("record"), "a").unwrap();
        let (own, beside) = (ours.clone(), other.clone());
        let tried = std::thread::spawn(move || {
            let is_enforced = restrict(&[fs::canonicalize(&own).unwrap()]).is_some();
            let written = fs::write(own.join("record"), "b").is_ok();
            let created = fs::write(own.join("new"), "b").is_ok();
            let read = fs::read_to_string(own.join("record")).is_ok();
            (is_enforced, written, created, read, fs::write(beside.join("new"), "b").is_ok())
        });
        let (is_enforced, written, created, read, beside) = tried.join().unwrap();
        let has_landlock = fs::read_to_string("/sys/kernel/security/lsm")
            .is_ok_and(|names| names.contains("landlock"));
        if is_enforced && has_landlock {
            assert!(!written && !created && !read);
        }
        assert!(beside);
    }
}
