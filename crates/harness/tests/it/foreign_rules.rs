//! Rules of the programs, and what becomes of them.

use countersign_harness::{ForeignRules, Program};

fn check(program: Program, text: &str, allow: &[&str], deny: &[&str], skipped: &[(&str, &str)]) {
    let rules = ForeignRules::read(program, text);
    let found: Vec<(&str, &str)> =
        rules.skipped.iter().map(|skipped| (skipped.rule.as_str(), skipped.why)).collect();
    assert_eq!((&rules.allow[..], &rules.deny[..]), (&owned(allow)[..], &owned(deny)[..]));
    assert_eq!(found, skipped);
}

fn owned(rules: &[&str]) -> Vec<String> {
    rules.iter().map(|rule| (*rule).to_owned()).collect()
}

#[test]
fn commands_of_claude_code_become_command_rules() {
    let text = r#"{
      // mine
      "permissions": {
        "allow": ["Bash(git diff:*)", "Bash(npm run test)", "Bash(cargo build *)", "Bash(git diff:*)"],
        "deny": ["Bash(git push:*)", "Bash(curl:*)"],
      }
    }"#;
    let allow = ["git diff *", "npm run test", "cargo build *"];
    check(Program::ClaudeCode, text, &allow, &["git push *", "curl *"], &[]);
}

#[test]
fn a_rule_is_never_made_wider_than_it_was() {
    let text = r#"{"permissions": {"allow": [
      "Bash", "Bash(*)", "Bash(:*)", "Bash(git * main)", "Bash(echo $HOME)", "Bash(a && b)",
      "Bash(npm run te*)", "Read(./src/**)", "WebFetch(domain:example.org)", "mcp__tracker__list",
      "Bash(unclosed"
    ]}}"#;
    let every = "it covers every command line";
    let plain = "a command rule has only plain words and a `*` at its end";
    let skipped = [
        ("Bash", every),
        ("Bash(*)", every),
        ("Bash(:*)", every),
        ("Bash(git * main)", plain),
        ("Bash(echo $HOME)", plain),
        ("Bash(a && b)", plain),
        ("Bash(npm run te*)", plain),
        ("Read(./src/**)", "the actions of `files` decide about files"),
        ("WebFetch(domain:example.org)", "a host is allowed by your answer, or by a policy"),
        ("mcp__tracker__list", "give the tool an action below `tools`, and list that action"),
        ("Bash(unclosed", every),
    ];
    check(Program::ClaudeCode, text, &[], &[], &skipped);
}

#[test]
fn denied_paths_hold_for_command_lines() {
    let text = r#"{"permissions": {"deny": [
      "Read(./secrets/**)", "Edit(~/.aws/*)", "Read(//etc/shadow)", "Read(**/.env)", "Read(/x/**)"
    ], "ask": ["Bash(git push:*)"]}}"#;
    let partly = "imported for command lines only; for file tools, write a policy";
    let pattern = "write a policy for files that match a pattern";
    let skipped = [
        ("Read(./secrets/**)", partly),
        ("Edit(~/.aws/*)", partly),
        ("Read(//etc/shadow)", partly),
        ("Read(**/.env)", pattern),
        ("Read(/x/**)", pattern),
        (
            "Bash(git push:*)",
            "Countersign has no list for this: it asks unless the graph allows it",
        ),
    ];
    let deny = ["path ./secrets", "path ~/.aws", "path /etc/shadow"];
    check(Program::ClaudeCode, text, &[], &deny, &skipped);
}

#[test]
fn prefix_rules_of_codex_become_command_rules() {
    let text = r#"
# what I allow
prefix_rule(pattern = ["git", ["status", "diff"]])   # decision is allow
prefix_rule(
    pattern=["rm", "-rf"],
    decision="forbidden",
    justification="use trash, not rm (really)",
    match=[["rm", "-rf", "x"]],
)
prefix_rule(pattern = ['echo', 'two words'], decision = "allow")
prefix_rule(pattern = ["git", "push"], decision = "prompt")
prefix_rule(pattern = WORDS, decision = "allow")
prefix_rule(pattern = ["x"], decision = "perhaps")
host_executable(name = "git", paths = ["/usr/bin/git"])
"#;
    let skipped = [
        (
            "prefix_rule(pattern = [\"git\", \"push\"], decision = \"prompt\")",
            "Countersign has no list for this: it asks unless the graph allows it",
        ),
        (
            "prefix_rule(pattern = WORDS, decision = \"allow\")",
            "its pattern is not a list of words",
        ),
        ("prefix_rule(pattern = [\"x\"], decision = \"perhaps\")", "its decision is unknown"),
    ];
    let allow = ["git status *", "git diff *", "echo 'two words' *"];
    check(Program::Codex, text, &allow, &["rm -rf *"], &skipped);
}

#[test]
fn a_file_that_cannot_be_read_has_no_rules() {
    assert!(ForeignRules::read(Program::ClaudeCode, "{broken").is_empty());
    assert!(ForeignRules::read(Program::Codex, "").is_empty());
    check(
        Program::Codex,
        "prefix_rule(pattern = [\"a\"",
        &[],
        &[],
        &[("prefix_rule", "its arguments are not written out")],
    );
}
