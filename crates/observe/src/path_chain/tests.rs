//! Chains on a disk of computed metadata, and some on the real one.

use super::*;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

const DAEMON: u32 = 900;
const AGENT: u32 = 1001;

/// A disk that exists only as metadata, so that every owner can be tried by every user.
#[derive(Default)]
struct FakeDisk(BTreeMap<String, (EntryStatus, EntryKind)>);

impl FakeDisk {
    /// `/`, `/etc`, `/srv` and `/srv/countersign` are folders that only root can write.
    fn new() -> Self {
        let mut disk = Self::default();
        for path in ["/", "/etc", "/srv", "/srv/countersign"] {
            disk.put(path, EntryKind::Folder, 0, 0o755);
        }
        disk
    }

    fn put(&mut self, path: &str, entry: EntryKind, uid: u32, mode: u32) {
        let kind = match entry {
            EntryKind::Folder => StatusKind::Folder,
            EntryKind::Link(_) => StatusKind::Link,
            EntryKind::Missing | EntryKind::Other => StatusKind::Other,
        };
        let status = EntryStatus {
            kind,
            uid,
            gid: uid,
            mode,
            has_access_list: false,
            has_unknown_access_list: false,
            identity: (1, self.0.len() as u64),
            content: None,
        };
        self.0.insert(path.to_owned(), (status, entry));
    }

    fn with(mut self, path: &str, entry: EntryKind, uid: u32, mode: u32) -> Self {
        self.put(path, entry, uid, mode);
        self
    }

    fn folder(self, path: &str, uid: u32, mode: u32) -> Self {
        self.with(path, EntryKind::Folder, uid, mode)
    }

    fn file(self, path: &str, uid: u32, mode: u32) -> Self {
        self.with(path, EntryKind::Other, uid, mode)
    }

    fn link(self, path: &str, target: &str, uid: u32) -> Self {
        self.with(path, EntryKind::Link(target.to_owned()), uid, 0o777)
    }

    fn chain(&self, path: &str, others: OtherUsersAccess) -> PathChain {
        let read_status = Box::new(|path: &str| Ok(self.0.get(path).cloned()));
        let trusted = TrustedUsers(vec![DAEMON, 0]);
        let mut reader = ChainReader { trusted, read_status, known: BTreeMap::new() };
        reader.read_chain(path, "/srv/countersign", others).unwrap()
    }

    /// The sentence about the first weak entry; empty if there is none.
    fn weakness(&self, path: &str) -> String {
        explain(&self.chain(path, OtherUsersAccess::Read))
    }
}

fn explain(chain: &PathChain) -> String {
    let explained = chain.find_weak_entry().and_then(ChainEntry::explain_weakness);
    explained.map(|(sentence, _)| sentence).unwrap_or_default()
}

#[test]
fn a_file_below_folders_of_root_and_the_daemon_is_protected() {
    let disk = FakeDisk::new()
        .file("/srv/countersign/graph.yaml", 0, 0o644)
        .folder("/srv/own", DAEMON, 0o755)
        .file("/srv/own/graph.yaml", DAEMON, 0o600)
        .link("/etc/graph.yaml", "../srv/own/graph.yaml", 0);
    for path in ["/srv/countersign/graph.yaml", "graph.yaml", "/etc/graph.yaml"] {
        assert_eq!(disk.weakness(path), "", "{path}");
    }
    assert_eq!(disk.weakness("/srv/own/not-there.yaml"), "", "nobody else can create it");
}

#[test]
fn whoever_owns_or_can_write_the_file_is_named() {
    let disk = FakeDisk::new()
        .file("/srv/owned", AGENT, 0o444)
        .file("/srv/group", 0, 0o664)
        .file("/srv/all", 0, 0o646);
    assert_eq!(disk.weakness("/srv/owned"), "user 1001 owns /srv/owned");
    assert_eq!(disk.weakness("/srv/group"), "users of group 0 can write /srv/group (mode 664)");
    assert_eq!(disk.weakness("/srv/all"), "all users can write /srv/all (mode 646)");
}

#[test]
fn a_folder_anywhere_above_counts() {
    let disk = FakeDisk::new()
        .folder("/home", 0, 0o777)
        .folder("/home/op", 0, 0o755)
        .file("/home/op/g", 0, 0o644)
        .folder("/agent", AGENT, 0o755)
        .folder("/agent/op", DAEMON, 0o700)
        .file("/agent/op/g", DAEMON, 0o600);
    assert_eq!(disk.weakness("/home/op/g"), "all users can write /home (mode 777)");
    assert_eq!(disk.weakness("/agent/op/g"), "user 1001 owns /agent");
}

#[test]
fn every_link_on_the_way_counts_with_the_folders_above_it() {
    let disk = FakeDisk::new()
        .file("/srv/countersign/g", 0, 0o644)
        .folder("/agent", AGENT, 0o755)
        .link("/agent/middle", "/srv/countersign", AGENT)
        .link("/srv/first", "/agent/middle", 0)
        .link("/etc/good", "/srv/countersign", AGENT);
    assert_eq!(disk.weakness("/srv/first/g"), "user 1001 owns /agent");
    // Nobody can change the target of a link, and its folder is root's.
    assert_eq!(disk.weakness("/etc/good/g"), "");
}

#[test]
fn a_sticky_folder_protects_what_others_do_not_own() {
    let disk = FakeDisk::new()
        .folder("/tmp", 0, 0o1777)
        .folder("/tmp/own", DAEMON, 0o700)
        .file("/tmp/own/g", DAEMON, 0o600)
        .link("/tmp/link", "/tmp/own", AGENT)
        .link("/tmp/own-link", "/tmp/own", DAEMON)
        .file("/tmp/theirs", AGENT, 0o444)
        .folder("/agent-tmp", AGENT, 0o1777)
        .folder("/agent-tmp/own", DAEMON, 0o700);
    assert_eq!(disk.weakness("/tmp/own/g"), "");
    assert_eq!(disk.weakness("/tmp/own-link/g"), "");
    assert_eq!(disk.weakness("/tmp/link/g"), "user 1001 owns /tmp/link");
    assert_eq!(disk.weakness("/tmp/theirs"), "user 1001 owns /tmp/theirs");
    assert_eq!(disk.weakness("/agent-tmp/own"), "user 1001 owns /agent-tmp");
    let missing = "/tmp/missing does not exist, and other users can create it in /tmp";
    assert_eq!(disk.weakness("/tmp/missing"), missing);
    assert_eq!(disk.weakness("/tmp/missing/deeper"), missing);
    // At the end of a chain stands what is read from it: anybody can add to it.
    assert_eq!(disk.weakness("/tmp"), "all users can write /tmp (mode 1777)");
}

#[test]
fn what_nobody_else_may_read_or_everybody_must_enter_is_checked_at_the_end() {
    let disk = FakeDisk::new()
        .folder("/srv/data", DAEMON, 0o750)
        .folder("/srv/run", DAEMON, 0o700)
        .folder("/srv/open", DAEMON, 0o750);
    let weakness = |path, others| explain(&disk.chain(path, others));
    let readable = "other users can read /srv/data (mode 750)";
    assert_eq!(weakness("/srv/data", OtherUsersAccess::DoNothing), readable);
    assert_eq!(weakness("/srv/run", OtherUsersAccess::DoNothing), "");
    let closed = "agents cannot enter /srv/run (mode 700)";
    assert_eq!(weakness("/srv/run", OtherUsersAccess::ReadAndMustEnter), closed);
    assert_eq!(weakness("/srv/open", OtherUsersAccess::ReadAndMustEnter), "");
}

#[test]
fn an_access_list_of_an_unknown_kind_counts_as_writable() {
    let mut disk = FakeDisk::new().file("/srv/g", 0, 0o644);
    disk.0.get_mut("/srv/g").unwrap().0.has_unknown_access_list = true;
    assert!(disk.weakness("/srv/g").contains("cannot read"), "{}", disk.weakness("/srv/g"));
}

fn read_real(path: &Path) -> PathChain {
    let mut reader = ChainReader::new(TrustedUsers::own_user_and_root());
    reader.read_chain(path.to_str().unwrap(), "/", OtherUsersAccess::Read).unwrap()
}

/// The weakness at this path alone, because the folders above are those of the machine.
fn weakness_at(path: &Path) -> Option<ChainWeakness> {
    let path = fs::canonicalize(path.parent().unwrap()).unwrap().join(path.file_name().unwrap());
    let chain = read_real(&path);
    chain.entries.into_iter().find(|entry| entry.path == path.to_str().unwrap())?.weakness
}

#[test]
fn an_access_list_that_lets_another_user_write_is_found_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(weakness_at(&file), None);
    // Version 2; then tag, permissions and id: owner rw, user 1001 rw, group r, mask rw, others r.
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in [
        (1_u16, 6_u16, u32::MAX),
        (2, 6, AGENT),
        (4, 4, u32::MAX),
        (16, 6, u32::MAX),
        (32, 4, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    let flags = rustix::fs::XattrFlags::empty();
    if let Err(error) = rustix::fs::setxattr(&file, "system.posix_acl_access", &list, flags) {
        return eprintln!("skipped: this file system has no access lists: {error}");
    }
    let found = weakness_at(&file);
    assert_eq!(found, Some(ChainWeakness::WritableByAccessList { right_mode: 0o644 }));
    // The mask takes the right away from everybody in the list.
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(weakness_at(&file), None);
}

#[test]
fn an_owner_is_found_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g");
    fs::write(&file, "").unwrap();
    if chown(&file, Some(AGENT), None).is_err() {
        return eprintln!("skipped: only root can give a file away");
    }
    assert_eq!(weakness_at(&file), Some(ChainWeakness::OwnedBy { uid: AGENT }));
}

#[test]
fn a_chain_changes_with_the_file_and_not_with_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("g"), folder.path().join("link"));
    fs::write(&file, "one").unwrap();
    symlink(&file, &link).unwrap();
    let first = read_real(&link);
    assert_eq!(first.end.as_str(), fs::canonicalize(&file).unwrap().to_str().unwrap());
    fs::write(folder.path().join("neighbour"), "").unwrap();
    assert_eq!(read_real(&link), first);
    let inode = fs::metadata(&file).unwrap().ino();
    fs::write(folder.path().join("new"), "two").unwrap();
    fs::rename(folder.path().join("new"), &file).unwrap();
    assert_ne!(fs::metadata(&file).unwrap().ino(), inode);
    let second = read_real(&link);
    assert_ne!(second, first);
    fs::remove_file(&file).unwrap();
    assert_ne!(read_real(&link), second);
}
