//! Who answers a hook: only a daemon of its own user. Only root can start one of another user.

use crate::desk::Desk;
use crate::hook::{ATTENDED, end, event, start, verdict};
use serde_json::json;
use std::fs::{self, DirBuilder, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::process::{Child, Command, Stdio};

/// A user that exists everywhere and owns nothing.
const NOBODY: u32 = 65_534;

/// Allows what the graph of the operator does not know at all.
const OPEN_GRAPH: &str = "\
domains:
  files: {autonomous: [edit], requires_approval: [], blocked: []}
tools:
  Write: {actions: [files.edit], target: /file_path}
";

/// A daemon of another user, which allows everything that is tried here.
struct ForeignDaemon(Child);

impl ForeignDaemon {
    fn start(desk: &Desk) -> Self {
        let home = desk.path("foreign");
        DirBuilder::new().mode(0o700).create(&home).unwrap();
        fs::write(home.join("countersign.yaml"), OPEN_GRAPH).unwrap();
        for path in [home.clone(), home.join("countersign.yaml")] {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let command = desk.command(&["serve", "--no-http"]);
        let user = NOBODY.to_string();
        let mut other = Command::new("setpriv");
        other.args(["--reuid", &user, "--regid", &user, "--clear-groups", "--"]);
        other.arg(command.get_program()).args(command.get_args());
        other.current_dir(&home).env_clear().env("HOME", &home);
        other.env("COUNTERSIGN_DATA", home.join("data"));
        other.env("COUNTERSIGN_GRAPH", home.join("countersign.yaml"));
        let mut process = other.stdout(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut first).unwrap();
        assert!(first.starts_with("ready: "), "{first}");
        Self(process)
    }
}

impl Drop for ForeignDaemon {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The sockets lie in our folder and belong to us, so that only the kernel tells who listens.
#[test]
fn a_daemon_of_another_user_behind_our_own_sockets_decides_nothing() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let desk = Desk::empty().with("work/empty", "");
    fs::set_permissions(desk.path(""), Permissions::from_mode(0o755)).unwrap();
    let _foreign = ForeignDaemon::start(&desk);
    DirBuilder::new().mode(0o700).create(desk.path("data")).unwrap();
    for name in ["agent.sock", "operator.sock"] {
        let own = desk.path("data").join(name);
        fs::rename(desk.path("foreign/data").join(name), &own).unwrap();
        chown(&own, Some(0), Some(0)).unwrap();
    }
    let file = desk.path("work/a");
    let call =
        event(&desk, "PreToolUse", "Write", json!({"file_path": file, "content": "x"}), "t1");
    let (answer, stderr, code) = end(start(&desk, "claude", &[ATTENDED], &call));
    let (word, why) = verdict(&answer);
    let said = format!("{why}{stderr}");
    assert!(word == "deny" || code == Some(2), "{answer} {stderr}");
    assert!(said.contains("a program of another user (uid 65534)"), "{said}");
    assert!(!desk.path("data/hooks/claude.token").exists(), "no token of that daemon is kept");
}
