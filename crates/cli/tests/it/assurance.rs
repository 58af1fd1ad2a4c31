//! The level of assurance in set-ups where agents run as other users. In each of them but the first,
//! another user could change something that decides.

use crate::desk::Desk;
use crate::doors::Daemon;
use insta::assert_snapshot;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

pub const SETTINGS: &str = "home/.config/countersign/settings.toml";
const GRAPH: &str = "\
rules: policies
domains:
  files: {autonomous: [read], requires_approval: [delete], blocked: []}
";
const POLICY: &str = "\
@id(\"secrets\")
forbid (principal, action in Action::\"files\", resource)
when { context.facts.secret };
";

pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A desk on which only this user can write: graph, policies, settings, program and folders.
pub fn protected_desk() -> Desk {
    let desk = Desk::empty()
        .with("etc/deep/graph.yaml", GRAPH)
        .with("etc/deep/policies/files.cedar", POLICY)
        .with("etc/deep/policies/notes.md", "no policy")
        .with("sockets/run/keep", "")
        .with("lib/keep", "")
        .with_own_program();
    let here = desk.path("").display().to_string();
    let group = rustix::process::getegid().as_raw();
    let settings = format!(
        "data = '{here}lib/data'\ngraph = '{here}etc/deep/graph.yaml'\n[agent]\nsocket = \
         '{here}sockets/run/agent.sock'\ngroup = '{group}'\n[tls]\ncertificate = \
         '{here}etc/deep/cert.pem'\nkey = '{here}etc/deep/key.pem'\n"
    );
    let desk =
        desk.with(SETTINGS, settings).with("etc/deep/cert.pem", "").with("etc/deep/key.pem", "");
    close(&desk.path(""));
    set_mode(&desk.path("etc/deep/key.pem"), 0o600);
    desk
}

/// Takes the right to write from all other users, which the umask of the tests may have left.
fn close(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            set_mode(&path, 0o755);
            close(&path);
        } else {
            let is_program = path.ends_with("bin/countersign");
            set_mode(&path, if is_program { 0o755 } else { 0o644 });
        }
    }
}

fn serve(desk: Desk) -> Daemon {
    Daemon::start(desk, &["--no-http"])
}

/// The line about assurance, without the folder of the test.
fn assurance_line(daemon: &Daemon) -> String {
    let line = daemon.greeting.lines().find(|line| line.starts_with("assurance")).unwrap();
    let here = fs::canonicalize(daemon.desk.path("")).unwrap();
    line.replace(&format!("{}/", here.display()), "")
}

fn assert_shared(desk: Desk, why: &str) {
    let daemon = serve(desk);
    assert_eq!(assurance_line(&daemon), format!("assurance L0: {why}"));
    assert!(daemon.desk.run(&["status"]).contains("assurance L0"));
}

#[test]
fn where_agents_are_other_users_that_is_found_and_recorded() {
    let daemon = serve(protected_desk());
    assert!(daemon.greeting.contains("assurance L1"), "{}", daemon.greeting);
    assert!(daemon.desk.run(&["status"]).contains("assurance L1"));
    let mode = fs::metadata(daemon.desk.path("sockets/run/agent.sock")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o660);
    assert_snapshot!(daemon.desk.run(&["gate", "--session", "s", "--action", "files.read"]), @"
    stderr: error: agents may not run as the daemon's own user here
    stderr:   help: run the agent as another user
    exit: 1
    ");
    let record = daemon.desk.run(&["ledger", "query", "--json"]);
    assert!(record.contains("\"L1\""), "{record}");
}

#[test]
fn the_folder_of_the_graph_is_writable() {
    let desk = protected_desk();
    set_mode(&desk.path("etc/deep"), 0o777);
    assert_shared(desk, "graph: all users can write etc/deep (mode 777); do: chmod 755 etc/deep");
}

#[test]
fn a_folder_further_above_the_graph_is_writable() {
    let desk = protected_desk();
    set_mode(&desk.path("etc"), 0o775);
    let daemon = serve(desk);
    let line = assurance_line(&daemon);
    assert!(line.starts_with("assurance L0: graph: users of group "), "{line}");
    assert!(line.ends_with("can write etc (mode 775); do: chmod 755 etc"), "{line}");
}

#[test]
fn the_graph_is_a_link_in_a_writable_folder() {
    let desk = protected_desk().with("agents/keep", "");
    let (graph, agents) = (desk.path("etc/deep/graph.yaml"), desk.path("agents"));
    fs::rename(&graph, desk.path("etc/real.yaml")).unwrap();
    fs::rename(desk.path("etc/deep/policies"), desk.path("agents/policies")).unwrap();
    symlink(desk.path("etc/real.yaml"), agents.join("graph.yaml")).unwrap();
    let settings = desk.text(SETTINGS).replace("etc/deep/graph.yaml", "agents/graph.yaml");
    let desk = desk.with(SETTINGS, settings);
    set_mode(&desk.path(SETTINGS), 0o644);
    set_mode(&agents, 0o777);
    assert_shared(desk, "graph: all users can write agents (mode 777); do: chmod 755 agents");
}

#[test]
fn a_link_in_the_middle_stands_in_a_writable_folder() {
    let desk = protected_desk().with("agents/keep", "");
    fs::rename(desk.path("etc/deep"), desk.path("etc/real")).unwrap();
    symlink(desk.path("agents/middle"), desk.path("etc/deep")).unwrap();
    symlink(desk.path("etc/real"), desk.path("agents/middle")).unwrap();
    set_mode(&desk.path("agents"), 0o777);
    assert_shared(desk, "graph: all users can write agents (mode 777); do: chmod 755 agents");
}

#[test]
fn the_folder_of_the_policies_is_writable() {
    let desk = protected_desk();
    set_mode(&desk.path("etc/deep/policies"), 0o1777);
    let path = "etc/deep/policies";
    let why = format!("policies: all users can write {path} (mode 1777); do: chmod 1755 {path}");
    assert_shared(desk, &why);
}

#[test]
fn a_policy_is_writable() {
    let desk = protected_desk();
    set_mode(&desk.path("etc/deep/policies/files.cedar"), 0o666);
    let path = "etc/deep/policies/files.cedar";
    let why = format!("policies: all users can write {path} (mode 666); do: chmod 644 {path}");
    assert_shared(desk, &why);
}

#[test]
fn a_policy_is_a_link_to_a_writable_file() {
    let desk = protected_desk().with("agents/files.cedar", POLICY);
    fs::remove_file(desk.path("etc/deep/policies/files.cedar")).unwrap();
    symlink(desk.path("agents/files.cedar"), desk.path("etc/deep/policies/files.cedar")).unwrap();
    set_mode(&desk.path("agents/files.cedar"), 0o646);
    let path = "agents/files.cedar";
    let why = format!("policies: all users can write {path} (mode 646); do: chmod 644 {path}");
    assert_shared(desk, &why);
}

#[test]
fn a_folder_above_the_settings_is_writable() {
    let desk = protected_desk();
    set_mode(&desk.path("home/.config"), 0o777);
    let path = "home/.config";
    assert_shared(
        desk,
        &format!("settings: all users can write {path} (mode 777); do: chmod 755 {path}"),
    );
}

#[test]
fn the_home_folder_is_writable() {
    let desk = protected_desk();
    set_mode(&desk.path("home"), 0o777);
    assert_shared(desk, "settings: all users can write home (mode 777); do: chmod 755 home");
}

#[test]
fn a_folder_above_the_data_folder_is_writable() {
    let desk = protected_desk();
    set_mode(&desk.path("lib"), 0o777);
    assert_shared(desk, "data: all users can write lib (mode 777); do: chmod 755 lib");
}

#[test]
fn a_folder_above_the_agents_socket_is_writable() {
    let desk = protected_desk();
    set_mode(&desk.path("sockets"), 0o777);
    assert_shared(desk, "sockets: all users can write sockets (mode 777); do: chmod 755 sockets");
}

#[test]
fn the_program_is_writable() {
    let desk = protected_desk();
    set_mode(&desk.path("bin"), 0o777);
    assert_shared(desk, "program: all users can write bin (mode 777); do: chmod 755 bin");
}

#[test]
fn the_private_key_is_readable() {
    let desk = protected_desk();
    set_mode(&desk.path("etc/deep/key.pem"), 0o644);
    let path = "etc/deep/key.pem";
    assert_shared(
        desk,
        &format!("keys: other users can read {path} (mode 644); do: chmod 600 {path}"),
    );
}
