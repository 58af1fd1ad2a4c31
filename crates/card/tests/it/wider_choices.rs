//! Cards of calls about whose commands and paths something was found: how far each choice goes, what
//! is at a special place, and which programs a yes pins.

use crate::fixture::{card_after, draft_call, with_head};
use countersign_card::{Card, render_lines};
use countersign_core::model::call::CallDraft;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::{Action, Project, SessionKey, Tool};
use countersign_core::model::place::{Bound, ConsentReach, Findings, PinnedProgram, Place};
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::words::{Choice, Covers};
use countersign_graph::Format;
use insta::assert_snapshot;
use serde_json::json;

const GRAPH: &str = "
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {categories: [shell_exec]}}}
  test: {autonomous: [], requires_approval: [run], blocked: [], actions: {run: {risk: moderate, categories: [test]}}}
  build: {autonomous: [], requires_approval: [compile], blocked: [], actions: {compile: {risk: moderate, categories: [build]}}}
  git:
    autonomous: []
    requires_approval: [status, commit, push]
    blocked: []
    actions:
      status: {risk: read_only}
      commit: {risk: moderate, categories: [git-local], reversible: true}
      push: {risk: high, categories: [git-remote]}
  files:
    autonomous: [read]
    requires_approval: [edit, edit_guarded, read_outside_workspace]
    blocked: []
    actions:
      read: {risk: read_only, categories: [filesystem_read]}
      read_outside_workspace: {risk: moderate, categories: [filesystem_read]}
      edit: {risk: moderate, categories: [file-edit]}
      edit_guarded: {risk: high, categories: [file-edit]}
  network: {autonomous: [], requires_approval: [fetch], blocked: [], actions: {fetch: {risk: moderate}}}
  mcp: {autonomous: [], requires_approval: [call], blocked: [], actions: {call: {risk: moderate}}}
tools:
  Bash: {actions: [shell.run], command: /command}
  Deployer: {actions: [shell.run], command: /command, categories: [git_push]}
  Read: {actions: [files.read], target: /file_path}
  Edit: {actions: [files.edit], target: /file_path}
  WebFetch: {actions: [network.fetch], target: /url}
  mcp__github__*: {actions: [mcp.call]}
";

pub fn graph() -> Graph {
    countersign_graph::load_graph("graph.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap().graph
}

pub fn draft(tool: &str, args: serde_json::Value) -> CallDraft {
    let graph = graph();
    let mut draft = draft_call("Bash", json!({"command": "true"}));
    let mapping = graph.tool(tool).unwrap();
    draft.actions = mapping.actions.clone();
    draft.tool = Some(Tool::parse(tool).unwrap());
    draft.command = mapping.command.as_ref().map(|pointer| {
        let line = args.pointer(pointer).and_then(|line| line.as_str()).unwrap();
        countersign_commands::analyse(line, Some("/srv/shop"))
    });
    draft.args = args;
    draft
}

fn bash(line: &str) -> CallDraft {
    draft("Bash", json!({"command": line}))
}

pub fn action(name: &str) -> Option<Action> {
    Some(Action::parse(name).unwrap())
}

/// A command of a class, inside of the workspace.
pub fn class(name: &str) -> Findings {
    Findings { class: action(name), within: vec![Bound::Workspace], ..Findings::default() }
}

pub fn ruled(findings: Vec<Findings>) -> RuleResults {
    RuleResults { findings, ..RuleResults::default() }
}

fn card(draft: CallDraft, findings: Vec<Findings>) -> Card {
    card_after(&graph(), &[(draft, ruled(findings))])
}

/// The lines of a card without those that are the same on all of them.
fn lines(card: &Card) -> String {
    let common = ["agent:", "session:", "project:", "started by:", "digest:", "request:"];
    let mut lines = render_lines(card);
    lines.retain(|line| !common.iter().any(|start| line.starts_with(start)));
    lines.join("\n")
}

#[test]
fn a_line_of_a_class_goes_by_its_class() {
    let card = card(bash("cargo test -q"), vec![class("test.run")]);
    assert_snapshot!(lines(&card), @"
    MODERATE risk
    Run the tests: cargo test -q
    command: cargo test -q
    effect: runs cargo
    tool: Bash
    choice once: this exact call, once
    choice 15m command: the command `cargo test -q`, for 15 minutes
    choice 15m actions: running tests in this workspace, for 15 minutes
    choice session command: the command `cargo test -q`, for this session, a day at most
    choice session actions: running tests in this workspace, for this session, a day at most
    choice project command: the command `cargo test -q`, in this project, until its review
    choice project actions: running tests in this workspace, in this project, until its review
    choice decline: nothing; the agent is told
    asked because you haven't allowed running tests yet
    ");
}

#[test]
fn a_class_that_can_be_undone_says_so() {
    // The tool can do what cannot be undone; this line does not.
    for tool in ["Bash", "Deployer"] {
        let call = draft(tool, json!({"command": "git commit -m x"}));
        let card = card(call, vec![class("git.commit")]);
        assert!(lines(&card).starts_with(
            "MODERATE risk, can be undone: git keeps the earlier state: `git reflog`\n\
             Commit to git: git commit -m x\n"
        ));
    }
}

#[test]
fn a_head_is_offered_beside_the_command() {
    let inside = Findings { within: vec![Bound::Workspace], ..Findings::default() };
    let found = with_head("gh pr view", inside);
    assert_snapshot!(lines(&card(bash("gh pr view 5"), vec![found])), @"
    HIGH risk, not known whether it can be undone
    Run gh pr view 5
    command: gh pr view 5
    effect: runs gh
    tool: Bash
    choice once: this exact call, once
    choice 15m head: any `gh pr view …` in this workspace, for 15 minutes
    choice 15m command: the command `gh pr view 5`, for 15 minutes
    choice session head: any `gh pr view …` in this workspace, for this session, a day at most
    choice session command: the command `gh pr view 5`, for this session, a day at most
    choice project head: any `gh pr view …` in this workspace, in this project, until its review, to be confirmed a second time
    choice project command: the command `gh pr view 5`, in this project, until its review, to be confirmed a second time
    choice decline: nothing; the agent is told
    asked because you haven't allowed running commands yet
    ");
}

#[test]
fn a_composed_line_of_classes_offers_only_its_actions() {
    let found = vec![class("build.compile"), class("test.run")];
    assert_snapshot!(lines(&card(bash("cargo build && cargo test"), found)), @"
    MODERATE risk
    Build the project; Run the tests
    command: cargo build && cargo test
    effect: runs cargo
    tool: Bash
    build.compile: Build the project (moderate risk):
    choice once: this exact call, once
    choice 15m actions: building the project in this workspace, for 15 minutes
    choice session actions: building the project in this workspace, for this session, a day at most
    choice project actions: building the project in this workspace, in this project, until its review
    choice decline: nothing; the agent is told
    test.run: Run the tests (moderate risk):
    choice once: this exact call, once
    choice 15m actions: running tests in this workspace, for 15 minutes
    choice session actions: running tests in this workspace, for this session, a day at most
    choice project actions: running tests in this workspace, in this project, until its review
    choice decline: nothing; the agent is told
    asked because you haven't allowed building the project yet
    asked because you haven't allowed running tests yet
    ");
}

#[test]
fn an_interpreter_is_allowed_only_once() {
    let found = Findings { widest: ConsentReach::Once, ..Findings::default() };
    assert_snapshot!(lines(&card(bash("python3 fix.py"), vec![found])), @"
    HIGH risk, not known whether it can be undone
    Run python3 fix.py
    command: python3 fix.py
    effect: runs python3
    tool: Bash
    choice once: this exact call, once
    choice decline: nothing; the agent is told
    only once: it runs code that its words don't show
    asked because you haven't allowed running commands yet
    ");
}

#[test]
fn a_push_names_the_remote() {
    let found = Findings {
        class: action("git.push"),
        within: vec![Bound::Remote("origin".to_owned())],
        ..Findings::default()
    };
    let card = card(bash("git push origin main"), vec![found]);
    let lets: Vec<_> = card.items[0].offers.iter().map(|offer| offer.lets.as_str()).collect();
    assert!(lets.contains(&"pushing commits to the remote origin"), "{lets:?}");
}

#[test]
fn a_secret_is_named() {
    let found = Findings {
        paths: vec![vec![Place::Secret, Place::ReadOutside]],
        within: vec![Bound::Folder("/home/ada/.ssh".to_owned())],
        ..Findings::default()
    };
    let read = draft("Read", json!({"file_path": "/home/ada/.ssh/id_rsa"}));
    assert_snapshot!(lines(&card(read, vec![found])), @"
    HIGH risk, can't be undone
    Read /home/ada/.ssh/id_rsa, outside the workspace
    target: /home/ada/.ssh/id_rsa
    effect: reads /home/ada/.ssh/id_rsa
    tool: Read
    new: reads a secret: /home/ada/.ssh/id_rsa
    choice once: this exact call, once
    choice 15m: reading files, also secret ones, in /home/ada/.ssh, for 15 minutes
    choice session: reading files, also secret ones, in /home/ada/.ssh, for this session, a day at most
    choice project: reading files, also secret ones, in /home/ada/.ssh, in this project, until its review, to be confirmed a second time
    choice decline: nothing; the agent is told
    asked because it is a secret, and you haven't allowed reading files outside of the workspace yet
    ");
}

#[test]
fn a_file_that_runs_by_itself_is_named() {
    let found = Findings {
        paths: vec![vec![Place::WriteGuarded]],
        within: vec![Bound::Workspace],
        ..Findings::default()
    };
    let edit = draft("Edit", json!({"file_path": ".github/workflows/ci.yml"}));
    assert_snapshot!(lines(&card(edit, vec![found])), @"
    HIGH risk, not known whether it can be undone
    Edit .github/workflows/ci.yml, which other programs run unasked
    path: .github/workflows/ci.yml
    effect: writes .github/workflows/ci.yml
    tool: Edit
    new: writes a file that other programs run unasked: .github/workflows/ci.yml
    choice once: this exact call, once
    choice 15m: editing files that other programs run unasked in this workspace, for 15 minutes
    choice session: editing files that other programs run unasked in this workspace, for this session, a day at most
    choice project: editing files that other programs run unasked in this workspace, in this project, until its review, to be confirmed a second time
    choice decline: nothing; the agent is told
    asked because you haven't allowed editing files that other programs run unasked yet
    ");
}

#[test]
fn a_read_outside_of_the_workspace_is_bounded_by_its_folder() {
    let found = Findings {
        paths: vec![vec![Place::ReadOutside]],
        within: vec![Bound::Folder("/etc".to_owned())],
        ..Findings::default()
    };
    let read = draft("Read", json!({"file_path": "/etc/hosts"}));
    assert_snapshot!(lines(&card(read, vec![found])), @"
    MODERATE risk
    Read /etc/hosts, outside the workspace
    target: /etc/hosts
    effect: reads /etc/hosts
    tool: Read
    new: reads outside of the workspace: /etc/hosts
    choice once: this exact call, once
    choice 15m: any read in /etc, for 15 minutes
    choice session: any read in /etc, for this session, a day at most
    choice project: reading files in /etc, in this project, until its review
    choice decline: nothing; the agent is told
    asked because you haven't allowed reading files outside of the workspace yet
    ");
}

#[test]
fn of_several_paths_none_is_singled_out() {
    let found = Findings { paths: vec![vec![Place::Secret]], ..Findings::default() };
    let mut read = draft("Read", json!({}));
    read.target = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    let card = card(read, vec![found]);
    let news: Vec<_> = card.news.iter().map(|news| news.as_str()).collect();
    assert_eq!(news, ["reads a secret: one or more of a, b, c and 1 more"]);
}

#[test]
fn a_command_line_says_the_kind_of_place() {
    let found = Findings {
        paths: vec![vec![Place::Secret], vec![Place::ReadOutside]],
        within: vec![Bound::Folder("/etc".to_owned())],
        ..Findings::default()
    };
    let card = card(bash("wc /etc/hosts ~/.netrc"), vec![found]);
    let news: Vec<_> = card.news.iter().map(|news| news.as_str()).collect();
    assert_eq!(news, ["reaches a secret", "reads outside of the workspace: /etc"]);
}

#[test]
fn a_fetched_page_is_bounded_by_its_host() {
    let found =
        Findings { within: vec![Bound::Host("example.org".to_owned())], ..Findings::default() };
    let fetch = draft("WebFetch", json!({"url": "https://example.org/a"}));
    assert_snapshot!(lines(&card(fetch, vec![found])), @"
    MODERATE risk
    Fetch https://example.org/a
    address: https://example.org/a
    effect: unknown
    tool: WebFetch
    choice once: this exact call, once
    choice 15m: fetching pages at example.org, for 15 minutes
    choice session: fetching pages at example.org, for this session, a day at most
    choice project: fetching pages at example.org, in this project, until its review
    choice decline: nothing; the agent is told
    asked because you haven't allowed fetching pages yet
    ");
}

#[test]
fn an_mcp_call_is_bounded_by_its_tool() {
    let tool = "mcp__github__create_issue";
    let found =
        Findings { within: vec![Bound::Tool(Tool::parse(tool).unwrap())], ..Findings::default() };
    let call = draft(tool, json!({"title": "Broken link"}));
    assert_snapshot!(lines(&card(call, vec![found])), @r#"
    MODERATE risk
    Call the MCP tool create_issue of github with title "Broken link"
    argument title: Broken link
    effect: unknown
    tool: mcp__github__create_issue
    choice once: this exact call, once
    choice 15m: calls of the MCP tool create_issue of github, for 15 minutes
    choice session: calls of the MCP tool create_issue of github, for this session, a day at most
    choice project: calls of the MCP tool create_issue of github, in this project, until its review
    choice decline: nothing; the agent is told
    asked because you haven't allowed calling MCP tools yet
    "#);
}

fn program(hash: &str) -> PinnedProgram {
    PinnedProgram { path: "/home/ada/.cargo/bin/rg".to_owned(), hash: hash.to_owned() }
}

#[test]
fn a_program_that_the_agent_could_replace_is_shown_with_its_hash() {
    let mut ruled = ruled(vec![Findings::default()]);
    ruled.programs = vec![program(&format!("1a2b3c{}9f8e7d", "0".repeat(52)))];
    let card = card_after(&graph(), &[(bash("rg needle"), ruled)]);
    assert_snapshot!(lines(&card), @"
    HIGH risk, not known whether it can be undone
    Run rg needle
    command: rg needle
    effect: runs rg
    tool: Bash
    program: /home/ada/.cargo/bin/rg (sha256 1a2b3c…9f8e7d), which the agent could replace; a yes pins this content for all your projects
    choice once: this exact call, once
    choice 15m command: the command `rg needle`, for 15 minutes
    choice session command: the command `rg needle`, for this session, a day at most
    choice project command: the command `rg needle`, in this project, until its review, to be confirmed a second time
    choice decline: nothing; the agent is told
    asked because you haven't allowed running commands yet
    ");
}

#[test]
fn a_program_that_nobody_can_read_leaves_only_once() {
    let mut ruled = ruled(vec![Findings::default()]);
    ruled.programs = vec![program("")];
    let card = card_after(&graph(), &[(bash("rg needle"), ruled)]);
    assert_snapshot!(lines(&card), @"
    HIGH risk, not known whether it can be undone
    Run rg needle
    command: rg needle
    effect: runs rg
    tool: Bash
    program: /home/ada/.cargo/bin/rg, which the agent could replace and nobody can read; a yes is for this call only
    choice once: this exact call, once
    choice decline: nothing; the agent is told
    only once: nobody can read a program that it starts
    asked because you haven't allowed running commands yet
    ");
}

/// The number of approvals that each coverage of the choice *session* would have spared.
fn spared(card: &Card) -> Vec<(Option<Covers>, usize)> {
    let offers = card.items[0].offers.iter().filter(|offer| offer.choice == Choice::Session);
    offers.map(|offer| (offer.covers, offer.spared)).collect()
}

#[test]
fn each_wider_choice_says_how_many_approvals_it_would_have_spared() {
    let test = |line: &str, head: &str, turn: u32| {
        let call = draft("Bash", json!({"command": line, "turn": turn}));
        (call, ruled(vec![with_head(head, class("test.run"))]))
    };
    let calls = [
        test("cargo test -q", "cargo test", 1),
        test("cargo test --lib", "cargo test", 2),
        test("npm test", "npm test", 3),
        (bash("cargo build"), ruled(vec![class("build.compile")])),
        test("cargo test -q", "cargo test", 4),
    ];
    let card = card_after(&graph(), &calls);
    let expected = [(Covers::Actions, 2), (Covers::Command, 0), (Covers::Head, 1)];
    assert_eq!(spared(&card), expected.map(|(covers, count)| (Some(covers), count)));
    let text = lines(&card);
    assert!(text.contains("would have spared 1 of your approvals"), "{text}");
    assert!(text.contains("a day at most, would have spared 2 of your approvals"), "{text}");
}

#[test]
fn approvals_in_other_sessions_of_the_project_count_for_what_would_have_reached_them() {
    let test = |session: &str, project: Option<&str>, turn: u32| {
        let mut call = draft("Bash", json!({"command": "cargo test", "turn": turn}));
        call.session = SessionKey::parse(session).unwrap();
        call.agent = call.session.to_agent();
        call.project = project.map(|name| Project::parse(name).unwrap());
        (call, ruled(vec![with_head("cargo test", class("test.run"))]))
    };
    let shop = Some("shop");
    let calls = [
        test("coder s1", shop, 1),
        test("coder s1", shop, 2),
        test("coder s1", shop, 3),
        test("coder s2", shop, 4),
        test("coder s3", Some("blog"), 5),
        test("coder s4", None, 6),
        test("bolt s1", shop, 7),
        test("coder s5", shop, 8),
    ];
    let count = |card: &Card, choice| {
        let offers = card.items[0].offers.iter().filter(|offer| offer.choice == choice);
        offers.map(|offer| offer.spared).collect::<Vec<_>>()
    };
    let card = card_after(&graph(), &calls);
    // The first question of each session would still have been asked.
    assert_eq!(count(&card, Choice::Session), [2, 2, 2]);
    assert_eq!(count(&card, Choice::Project), [3, 3, 3]);
    let alone = [
        test("coder s1", None, 1),
        test("coder s1", None, 2),
        test("coder s2", None, 3),
        test("coder s1", None, 4),
    ];
    let card = card_after(&graph(), &alone);
    assert_eq!(count(&card, Choice::Project), [1, 1, 1]);
}

#[test]
fn an_approval_elsewhere_or_at_a_worse_place_would_not_have_been_spared() {
    let read = |path: &str, folder: &str, places: &[Place]| {
        let found = Findings {
            paths: vec![places.to_vec()],
            within: vec![Bound::Folder(folder.to_owned())],
            ..Findings::default()
        };
        (draft("Read", json!({"file_path": path})), ruled(vec![found]))
    };
    let calls = [
        read("/etc/hosts", "/etc", &[Place::ReadOutside]),
        read("/etc/group", "/etc", &[Place::ReadOutside]),
        read("/etc/key", "/etc", &[Place::Secret, Place::ReadOutside]),
        read("/srv/data/x", "/srv/data", &[Place::ReadOutside]),
        read("/etc/passwd", "/etc", &[Place::ReadOutside]),
    ];
    assert_eq!(spared(&card_after(&graph(), &calls)), [(None, 1)]);
}
