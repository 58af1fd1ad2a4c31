//! Changes of real files, look by look.

use super::*;
use countersign_server::{AgentAccess, Sockets};
use countersign_setup::DaemonFiles;
use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use tempfile::TempDir;

const GRAPH: &str = "\
rules: policies
domains:
  files: {autonomous: [read], requires_approval: [delete], blocked: [wipe]}
";
const POLICY: &str = "\
@id(\"secrets\")
forbid (principal, action in Action::\"files\", resource)
when { context.facts.secret };
";

/// A graph with one policy, and a watch on both. No test waits: a look happens when it is asked for.
struct Rules {
    folder: TempDir,
    watch: RulesWatch,
}

impl Rules {
    fn open(level: Assurance) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["policies", "data", "run"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("graph.yaml"), GRAPH).unwrap();
        fs::write(at("policies/a.cedar"), POLICY).unwrap();
        for (name, mode) in [
            ("graph.yaml", 0o644),
            ("policies", 0o755),
            ("policies/a.cedar", 0o644),
            ("data", 0o700),
            ("run", 0o755),
        ] {
            fs::set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        }
        let (content, file) = GraphFile::read(at("graph.yaml"));
        let file = file.unwrap();
        let mut sockets = Sockets::in_folder(&at("run"));
        sockets.access = AgentAccess::Group(rustix::process::getegid().as_raw());
        let files = DaemonFiles {
            settings: None,
            data: at("data"),
            sockets,
            certificate: None,
            private_key: None,
            program: Some(at("graph.yaml")),
            cwd: PathBuf::from("/"),
        }
        .with_graph(&file);
        let chains = files.read_chains();
        let assurance = match level {
            Assurance::Separated => files.detect_assurance(&chains),
            Assurance::Shared => AssuranceReport { level, reason: String::new() },
        };
        assert_eq!(assurance.level, level, "{}", assurance.reason);
        let graph = WatchedGraph::new(content, file.loaded, Time::from_micros(0));
        let watch = RulesWatch::new(files, &chains, assurance, graph);
        Self { folder, watch }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.at(name), text).unwrap();
        self.set_mode(name, 0o644);
    }

    fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.at(name), Permissions::from_mode(mode)).unwrap();
    }

    fn check_files(&mut self) -> String {
        match self.watch.check_files().graph {
            GraphChange::Unchanged => "unchanged".to_owned(),
            GraphChange::Changed { loaded, .. } => {
                let policies = loaded.policies.map_or(0, |policies| policies.names().len());
                let is_read_blocked = loaded.source.unwrap().text.contains("[read, wipe]");
                format!("{policies} policies{}", if is_read_blocked { ", no reading" } else { "" })
            }
            GraphChange::Restored(_) => "restored".to_owned(),
            GraphChange::Refused(why) => why.replace(self.folder.path().to_str().unwrap(), "HERE"),
        }
    }

    /// What the second look makes of a change, after which nothing is left.
    fn settle(&mut self) -> String {
        assert_eq!(self.check_files(), "unchanged", "nothing counts at first sight");
        let second = self.check_files();
        for _ in 0..3 {
            assert_eq!(self.check_files(), "unchanged");
        }
        second
    }
}

fn blocked_reading() -> String {
    GRAPH.replace("[read]", "[]").replace("[wipe]", "[read, wipe]")
}

#[test]
fn without_a_change_nothing_is_loaded() {
    let mut rules = Rules::open(Assurance::Shared);
    assert_eq!(rules.settle(), "unchanged");
    fs::write(rules.at("neighbour"), "").unwrap();
    assert_eq!(rules.settle(), "unchanged");
}

#[test]
fn a_changed_added_replaced_or_deleted_policy_counts() {
    let mut rules = Rules::open(Assurance::Shared);
    rules.write("policies/a.cedar", &format!("{POLICY}{}", POLICY.replace("secrets", "more")));
    assert_eq!(rules.settle(), "2 policies");
    rules.write("policies/b.cedar", &POLICY.replace("secrets", "new"));
    assert_eq!(rules.settle(), "3 policies");
    rules.write("policies/.new", &POLICY.replace("secrets", "only"));
    fs::rename(rules.at("policies/.new"), rules.at("policies/a.cedar")).unwrap();
    assert_eq!(rules.settle(), "2 policies");
    fs::remove_file(rules.at("policies/b.cedar")).unwrap();
    assert_eq!(rules.settle(), "1 policies");
}

#[test]
fn a_change_of_the_same_length_and_time_counts() {
    let mut rules = Rules::open(Assurance::Shared);
    let time = fs::metadata(rules.at("policies/a.cedar")).unwrap().modified().unwrap();
    rules.write("policies/a.cedar", &POLICY.replace("secrets", "sectets"));
    let file = OpenOptions::new().write(true).open(rules.at("policies/a.cedar")).unwrap();
    file.set_modified(time).unwrap();
    drop(file);
    assert_eq!(rules.settle(), "1 policies");
}

#[test]
fn a_file_that_is_still_being_written_does_not_count() {
    let mut rules = Rules::open(Assurance::Shared);
    rules.check_files();
    // An editor truncates the file and writes it in steps. The first part is a valid graph.
    let mut file =
        OpenOptions::new().write(true).truncate(true).open(rules.at("graph.yaml")).unwrap();
    let (valid, rest) = (GRAPH.replace("rules: policies\n", ""), "rules: policies\n");
    for part in ["", &valid] {
        file.write_all(part.as_bytes()).unwrap();
        for _ in 0..5 {
            assert_eq!(rules.check_files(), "unchanged", "after `{part}`");
        }
    }
    file.write_all(rest.as_bytes()).unwrap();
    drop(file);
    rules.check_files();
    assert_eq!(rules.check_files(), "1 policies");
    // A new policy, too.
    let mut file = fs::File::create(rules.at("policies/b.cedar")).unwrap();
    file.write_all(POLICY.replace("secrets", "half").as_bytes()).unwrap();
    for _ in 0..5 {
        assert_eq!(rules.check_files(), "unchanged");
    }
    drop(file);
    assert_eq!(rules.check_files(), "2 policies");
}

#[test]
fn an_invalid_or_missing_rule_is_refused_once_and_loaded_when_it_is_valid_again() {
    let mut rules = Rules::open(Assurance::Shared);
    rules.write("policies/b.cedar", "forbid (principal, action, resour");
    let why = rules.settle();
    let start = "HERE/graph.yaml is not in force: HERE/policies/b.cedar:1:";
    assert!(why.starts_with(start), "{why}");
    assert!(why.ends_with("; still using the version of 1970-01-01T00:00:00Z"), "{why}");
    fs::remove_file(rules.at("policies/b.cedar")).unwrap();
    assert_eq!(rules.settle(), "restored");
    fs::remove_file(rules.at("graph.yaml")).unwrap();
    let why = rules.settle();
    assert!(why.contains("cannot read `HERE/graph.yaml`"), "{why}");
    rules.write("graph.yaml", &blocked_reading());
    assert_eq!(rules.settle(), "1 policies, no reading");
    fs::remove_file(rules.at("policies/a.cedar")).unwrap();
    let why = rules.settle();
    assert!(why.contains("contains no policy"), "{why}");
}

#[test]
fn another_policy_folder_is_watched_from_the_moment_it_is_named() {
    let mut rules = Rules::open(Assurance::Shared);
    fs::create_dir(rules.at("other")).unwrap();
    rules.write("other/a.cedar", POLICY);
    rules.write("graph.yaml", &GRAPH.replace("rules: policies", "rules: other"));
    assert_eq!(rules.settle(), "1 policies");
    rules.write("other/b.cedar", &POLICY.replace("secrets", "new"));
    assert_eq!(rules.settle(), "2 policies");
    rules.write("graph.yaml", &GRAPH.replace("rules: policies\n", ""));
    assert_eq!(rules.settle(), "0 policies");
}

#[test]
fn with_agents_of_other_users_a_rule_that_they_can_write_is_refused() {
    let mut rules = Rules::open(Assurance::Separated);
    assert_eq!(rules.settle(), "unchanged");
    rules.write("graph.yaml", &blocked_reading());
    rules.set_mode("graph.yaml", 0o666);
    assert!(
        rules
            .watch
            .check_files()
            .assurance
            .is_some_and(|change| { change.level == Assurance::Shared && change.alert.is_some() })
    );
    let why = rules.check_files();
    assert!(why.contains("all users can write HERE/graph.yaml (mode 666)"), "{why}");
    assert!(why.contains("chmod 644 HERE/graph.yaml"), "{why}");
    assert_eq!(rules.check_files(), "unchanged");
    // Each further change is refused, too.
    fs::write(rules.at("graph.yaml"), GRAPH).unwrap();
    assert!(rules.settle().contains("mode 666"));
    // Protected again, it counts.
    rules.write("graph.yaml", &blocked_reading());
    let change = rules.watch.check_files().assurance.unwrap();
    assert_eq!((change.level, change.alert), (Assurance::Separated, None));
    assert_eq!(rules.check_files(), "1 policies, no reading");
}

#[test]
fn a_policy_folder_that_others_can_write_is_refused_even_if_it_is_new() {
    let mut rules = Rules::open(Assurance::Separated);
    fs::create_dir(rules.at("open")).unwrap();
    rules.write("open/a.cedar", POLICY);
    rules.set_mode("open", 0o777);
    rules.write("graph.yaml", &GRAPH.replace("rules: policies", "rules: open"));
    let why = rules.settle();
    assert!(why.contains("all users can write HERE/open (mode 777)"), "{why}");
    rules.set_mode("open", 0o755);
    assert_eq!(rules.settle(), "1 policies");
    fs::remove_file(rules.at("open/a.cedar")).unwrap();
    rules.write("agents.cedar", POLICY);
    symlink(rules.at("agents.cedar"), rules.at("open/a.cedar")).unwrap();
    rules.set_mode("agents.cedar", 0o646);
    let why = rules.settle();
    assert!(why.contains("all users can write HERE/agents.cedar (mode 646)"), "{why}");
}

#[test]
fn with_agents_of_the_same_user_all_valid_rules_count() {
    let mut rules = Rules::open(Assurance::Shared);
    fs::write(rules.at("graph.yaml"), blocked_reading()).unwrap();
    rules.set_mode("graph.yaml", 0o666);
    assert_eq!(rules.settle(), "1 policies, no reading");
}

#[test]
fn the_first_of_several_mistakes_is_named_and_the_others_are_counted() {
    let mut rules = Rules::open(Assurance::Shared);
    rules.write("graph.yaml", &format!("{GRAPH}one: 1\ntwo: 2\nthree: 3\n"));
    let why = rules.settle();
    assert!(why.starts_with("HERE/graph.yaml is not in force: HERE/graph.yaml:4:1: "), "{why}");
    assert!(why.contains(" (and 2 more); still using the version of "), "{why}");
}

#[test]
fn a_change_says_what_became_looser() {
    let mut rules = Rules::open(Assurance::Shared);
    rules.write("graph.yaml", &GRAPH.replace("[read]", "[read, delete]").replace("[delete]", "[]"));
    rules.check_files();
    let GraphChange::Changed { summary, .. } = rules.watch.check_files().graph else { panic!() };
    let line = "graph.yaml changed: 1 looser (files.delete tier: requires_approval → autonomous)";
    assert!(summary.ends_with(line), "{summary}");
}
