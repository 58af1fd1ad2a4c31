//! Common mistakes: each message says what is wrong.

use crate::daemon::Daemon;
use crate::desk::Desk;
use insta::assert_snapshot;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_second_daemon_and_an_erasure_beside_a_daemon_say_that_one_is_running() {
    let daemon = Daemon::open();
    assert_snapshot!(daemon.desk.run(&["serve", "--no-http"]), @"
    stderr: error: another process uses this record, probably a running daemon: it has locked `data/countersign.lock`
    stderr:   help: stop it first, or name another folder
    exit: 1
    ");
    assert_eq!(daemon.ask("email.read", "a"), 0);
    assert_snapshot!(daemon.desk.run(&["ledger", "erase", "--before", "1d"]), @"
    stderr: error: another process uses this record, probably a running daemon: it has locked `data/countersign.lock`
    stderr:   help: stop it first, or name another folder
    exit: 1
    ");
}

#[test]
fn a_file_in_place_of_the_data_folder_is_named() {
    let desk = Desk::new().with("file", "");
    assert_snapshot!(desk.run(&["serve", "--data", "file"]), @"
    stderr: error: `file` is a file, but the record is in a folder
    stderr:   help: name a folder
    exit: 1
    ");
    assert_snapshot!(desk.run(&["status", "--data", "file"]), @"
    stderr: error: `file` is a file, but the daemon's data is in a folder
    stderr:   help: name the folder with `--data DIR`
    exit: 1
    ");
    assert_snapshot!(desk.run(&["log", "--data", "file"]), @"
    stderr: error: `file` is a file, but the record is in a folder
    stderr:   help: name a folder
    exit: 1
    ");
    assert_snapshot!(desk.run(&["ledger", "erase", "--before", "1d", "--data", "file"]), @"
    stderr: error: `file` is a file, but the record is in a folder
    stderr:   help: name a folder
    exit: 1
    ");
}

/// A process of another user. Only root can start one.
#[test]
fn another_user_is_told_whose_daemon_it_is() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let daemon = Daemon::open();
    let open = |name: &str| {
        std::fs::set_permissions(daemon.desk.path(name), std::fs::Permissions::from_mode(0o755))
    };
    open("").unwrap();
    for words in [&["status"][..], &["gate", "--session", "s", "--action", "email.read"], &["log"]]
    {
        let command = daemon.desk.command(words);
        let mut other = std::process::Command::new("setpriv");
        other.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]);
        other.arg(command.get_program()).args(command.get_args());
        other.current_dir(daemon.desk.path("")).env_clear();
        other.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = other.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("no daemon answers"), "{stderr}");
        assert!(stderr.contains("run this as the user that runs the daemon"), "{stderr}");
    }
}
