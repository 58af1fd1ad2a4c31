//! The keys `secrets` and `guarded`, and the classes of commands, in all three formats.

use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_graph::{Format, load_graph};

fn load(text: &str, format: Format) -> Graph {
    let loaded = load_graph("g", text.as_bytes(), format);
    loaded.unwrap_or_else(|problems| panic!("{problems}\n{text}")).graph
}

/// Compares every problem of a YAML graph with `line:column: message`.
fn check_refusal(rest: &str, expected: &[&str]) {
    let text =
        format!("d: {{autonomous: [look], requires_approval: [act], blocked: [harm]}}\n{rest}");
    let problems = load_graph("g", text.as_bytes(), Format::Yaml).unwrap_err();
    let shown = problems.to_string();
    let lines: Vec<_> = shown.lines().map(|line| line.strip_prefix("g:").unwrap()).collect();
    assert_eq!(lines, expected, "\n{text}");
}

#[test]
fn the_new_keys_mean_the_same_in_every_format() {
    let yaml = "domains:\n  d: {autonomous: [look], requires_approval: [act], blocked: []}\n\
        secrets: ['*.sqlite', '!a.sqlite']\nguarded: [./deploy]\n\
        commands: {classes: {d.look: [git log *], d.act: [git commit *]}}\n\
        presets: {quick: {autonomous: [d.act]}}\npreset: quick\n";
    let toml = "secrets = ['*.sqlite', '!a.sqlite']\nguarded = ['./deploy']\npreset = 'quick'\n\
        [domains.d]\nautonomous = ['look']\nrequires_approval = ['act']\nblocked = []\n\
        [commands.classes]\n'd.look' = ['git log *']\n'd.act' = ['git commit *']\n\
        [presets.quick]\nautonomous = ['d.act']\n";
    let json = r#"{"domains": {"d": {"autonomous": ["look"], "requires_approval": ["act"], "blocked": []}},
        "secrets": ["*.sqlite", "!a.sqlite"], "guarded": ["./deploy"],
        "commands": {"classes": {"d.look": ["git log *"], "d.act": ["git commit *"]}},
        "presets": {"quick": {"autonomous": ["d.act"]}}, "preset": "quick"}"#;
    let graph = load(yaml, Format::Yaml);
    for (text, format) in [(toml, Format::Toml), (json, Format::Json)] {
        assert_eq!(Graph { hash: graph.hash, ..load(text, format) }, graph);
    }
    assert_eq!(graph.secrets, ["*.sqlite", "!a.sqlite"]);
    assert_eq!(graph.guarded, ["./deploy"]);
    let class = |name: &str, rule: &str| (Action::parse(name).unwrap(), vec![rule.to_owned()]);
    let expected = [class("d.look", "git log *"), class("d.act", "git commit *")];
    assert_eq!(graph.commands.classes, expected);
}

#[test]
fn a_wrong_place_pattern_is_refused_at_its_fault() {
    check_refusal(
        "secrets: ['a/../b', '**/x', '']\nguarded:\n  - ~ana/x\n  - 7\n",
        &[
            "2:14: `a/../b` is not a place pattern: `.` and `..` are not names",
            "2:22: `**/x` is not a place pattern: `**` has no meaning here",
            "2:30: `` is not a place pattern: it names no file",
            "4:5: `~ana/x` is not a place pattern: `~` stands for the home folder only in front, as `~/`",
            "5:5: `guarded` should be text, but this is a number",
        ],
    );
}

#[test]
fn a_place_pattern_occurs_once() {
    check_refusal(
        "secrets: [a.db, A.DB]\nguarded: [b, '!b']\n",
        &["2:17: the pattern `A.DB` occurs twice", "3:14: `b` and `!b` cancel each other"],
    );
}

#[test]
fn too_many_place_patterns_are_refused() {
    let names: Vec<_> = (0..1_001).map(|number| format!("n{number}")).collect();
    check_refusal(
        &format!("secrets: [{}]\n", names.join(", ")),
        &["2:10: `secrets` has more than 1000 patterns"],
    );
}

/// The position is that of the entry, which may be hard to see in a long list.
#[test]
fn a_pattern_without_quotes_is_refused_with_its_line() {
    check_refusal_starts("secrets:\n  - !a.db\n", "g:3:");
    check_refusal_starts("secrets:\n  - *.db\n", "g:3:");
}

fn check_refusal_starts(rest: &str, start: &str) {
    let text = format!("d: {{autonomous: [], requires_approval: [], blocked: []}}\n{rest}");
    let shown = load_graph("g", text.as_bytes(), Format::Yaml).unwrap_err().to_string();
    assert!(shown.starts_with(start), "{shown}");
}

#[test]
fn a_class_names_a_known_action_that_is_not_blocked() {
    check_refusal(
        "commands:\n  classes:\n    d.loko: [git log *]\n    d.harm: [git push *]\n",
        &[
            "4:5: `classes` names `d.loko`, which is in no list of the graph",
            "5:5: `classes` names `d.harm`, which is blocked",
        ],
    );
}

#[test]
fn a_wrong_rule_of_a_class_is_refused_at_its_place() {
    check_refusal(
        "commands:\n  classes:\n    d.look: ['git \"log', 7]\n    d.act: ls\n",
        &[
            "4:19: `git \\\"log` is not a command rule: a quote is not closed",
            "4:26: `d.look` should be text, but this is a number",
            "5:12: `d.act` should be a list, but this is text",
        ],
    );
    check_refusal(
        "commands: {classes: [d.look]}\n",
        &["2:21: `classes` should be a map, but this is a list"],
    );
}

#[test]
fn a_command_rule_is_in_one_list() {
    check_refusal(
        "commands:\n  allow: [ls]\n  deny: [rm *]\n  classes:\n    d.look: [git log *, ls]\n    \
         d.act: [git  log *, rm *, git commit *, git commit *]\n",
        &[
            "6:25: `ls` is listed in both `allow` and the class `d.look`",
            "7:13: `git  log *` is listed in both the class `d.act` and the class `d.look`",
            "7:25: `rm *` is listed in both `deny` and the class `d.act`",
            "7:45: the command rule `git commit *` occurs twice",
        ],
    );
}

#[test]
fn a_rule_of_a_class_that_covers_nothing_gets_a_warning() {
    let text = "d: {autonomous: [look], requires_approval: [], blocked: []}\n\
        commands: {classes: {d.look: [ls, python *]}}\n";
    let warnings = load_graph("g", text.as_bytes(), Format::Yaml).unwrap().warnings;
    let messages: Vec<_> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    let expected = "`python *` covers nothing: an interpreter runs whatever it is given; the rule \
                    has to name its script";
    assert_eq!(messages, [expected]);
}
