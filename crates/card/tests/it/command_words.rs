//! Cards of command lines whose words say what they reach, and what would undo them.

use crate::fixture::{card_after, with_head};
use countersign_card::{Card, CardUndo, render_lines};
use countersign_core::model::danger::{Danger, DangerKind};
use countersign_core::model::graph::Graph;
use countersign_core::model::names::{Action, Project, Tool};
use countersign_core::model::place::{Bound, Findings, GitRemote, GitRepository, Place};
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::words::{Covers, Detector, Risk};
use countersign_graph::Format;
use serde_json::json;

const GRAPH: &str = "
domains:
  shell: {autonomous: [], requires_approval: [run, stop], blocked: [], actions: {run: {categories: [shell_exec]}, stop: {risk: moderate}}}
  git:
    autonomous: []
    requires_approval: [add, tag, stash, commit, push, discard]
    blocked: []
    actions:
      add: {risk: moderate, categories: [git-local], reversible: true}
      tag: {risk: moderate, categories: [git-local], reversible: true}
      stash: {risk: moderate, categories: [git-local], reversible: true}
      commit: {risk: moderate, categories: [git-local], reversible: true}
      discard: {risk: high, categories: [git-local]}
      push: {risk: high, categories: [git-remote]}
  files:
    autonomous: [read]
    requires_approval: [edit, delete, delete_guarded]
    blocked: []
    actions:
      read: {risk: read_only, categories: [filesystem_read]}
      edit: {risk: moderate, categories: [file-edit]}
      delete: {risk: moderate, categories: [file-edit]}
      delete_guarded: {risk: high, categories: [filesystem_delete]}
  network: {autonomous: [], requires_approval: [fetch], blocked: [], actions: {fetch: {risk: high, categories: [network, http_fetch]}}}
tools:
  Bash: {actions: [shell.run], command: /command}
";

fn graph() -> Graph {
    countersign_graph::load_graph("graph.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap().graph
}

/// The card of a line whose commands have these classes.
fn card(line: &str, findings: Vec<Findings>) -> Card {
    let mut draft = crate::fixture::draft_call("Bash", json!({"command": line}));
    draft.tool = Some(Tool::parse("Bash").unwrap());
    draft.project = Some(Project::parse("/srv/shop").unwrap());
    draft.command = Some(countersign_commands::analyse(line, Some("/srv/shop")));
    card_after(&graph(), &[(draft, RuleResults { findings, ..RuleResults::default() })])
}

fn class(name: &str, within: Vec<Bound>) -> Findings {
    Findings { class: Some(Action::parse(name).unwrap()), within, ..Findings::default() }
}

fn effects(card: &Card) -> Vec<String> {
    card.effects.iter().map(|effect| format!("{} {}", effect.does, effect.what)).collect()
}

fn lines(card: &Card) -> String {
    render_lines(card).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_effect_names_what_the_words_name() {
    let here = || vec![Bound::Workspace];
    let host = || vec![Bound::Host("example.org".to_owned())];
    for (line, findings, expected) in [
        ("rm a.txt", vec![class("files.delete", here())], vec!["deletes a.txt"]),
        (
            "curl -o a.html https://example.org/a",
            vec![class("network.fetch", host()), class("files.edit", here())],
            vec!["writes a.html", "fetches from example.org"],
        ),
        (
            "git push",
            vec![class("git.push", vec![origin()])],
            vec!["sends commits to the remote origin (https://example.org/a.git)"],
        ),
    ] {
        assert_eq!(effects(&card(line, findings)), expected, "{line}");
    }
}

fn origin() -> Bound {
    Bound::GitRemote(GitRemote {
        name: "origin".to_owned(),
        repository: GitRepository::Own,
        addresses: vec!["https://example.org/a.git".to_owned()],
    })
}

#[test]
fn deleting_the_workspace_says_so() {
    for line in ["rm -rf .", "rm -rf /srv/shop", "rm -rf ..", "rm -rf /srv/shop/x/.."] {
        let findings = Findings {
            paths: vec![vec![Place::WriteGuarded]],
            ..class("files.delete", vec![Bound::Workspace])
        };
        let card = card(line, vec![findings]);
        let shown = effects(&card);
        assert!(
            shown.iter().any(|effect| effect.starts_with("deletes the whole workspace")),
            "{shown:?}"
        );
        let text = lines(&card);
        assert!(text.contains("files that other programs run"), "{text}");
    }
    let shown = effects(&card("rm -rf src", vec![class("files.delete", vec![Bound::Workspace])]));
    assert!(shown.contains(&"deletes src".to_owned()), "{shown:?}");
}

#[test]
fn an_undo_is_the_one_that_works() {
    let how = |line: &str, action: &str| match card(line, vec![class(action, vec![])]).undo {
        CardUndo::Reversible { how } => how.to_string(),
        CardUndo::Irreversible => "never".to_owned(),
        CardUndo::Unknown => "unknown".to_owned(),
    };
    for (line, action, expected) in [
        ("git add a", "git.add", "unstage it: `git restore --staged`"),
        ("git tag -a v1 -m a", "git.tag", "delete the tag: `git tag -d`"),
        ("git commit -m a", "git.commit", "git keeps the earlier state: `git reflog`"),
        ("git reset --hard", "git.discard", "never"),
        ("git clean -fd", "git.discard", "never"),
        ("git stash drop", "git.discard", "never"),
        ("rm -rf /tmp/other", "files.delete", "never"),
    ] {
        assert_eq!(how(line, action), expected, "{line}");
    }
    assert_eq!(card("rm -rf /tmp/other", Vec::new()).undo, CardUndo::Irreversible);
}

#[test]
fn what_is_lost_shown_or_run_from_elsewhere_stays_done() {
    let found = |kind, does: &str| Findings {
        dangers: vec![Danger { kind, does: does.to_owned(), what: "something".to_owned() }],
        ..class("files.edit", vec![Bound::Workspace])
    };
    let undo = |line: &str, findings| card(line, vec![findings]).undo;
    for (kind, does) in [
        (DangerKind::Shared, "deletes"),
        (DangerKind::Shared, "overwrites"),
        (DangerKind::ForeignCode, "downloads and runs"),
        (DangerKind::Noted, "discards"),
    ] {
        assert_eq!(undo("own-tool", found(kind, does)), CardUndo::Irreversible, "{does}");
    }
    assert_eq!(undo("own-tool", found(DangerKind::Noted, "stops")), CardUndo::Unknown);
    let secret = Findings {
        paths: vec![vec![Place::Secret]],
        ..class("files.read", vec![Bound::Workspace])
    };
    assert_eq!(undo("cat .env", secret), CardUndo::Irreversible);
    assert_eq!(undo("git push origin", class("git.push", vec![origin()])), CardUndo::Irreversible);
}

#[test]
fn where_nobody_knows_about_an_undo_the_card_says_so_from_high_risk_on() {
    let mut card = card("own-tool", vec![class("files.edit", vec![Bound::Workspace])]);
    card.undo = CardUndo::Unknown;
    for (risk, said) in [
        (Risk::Moderate, None),
        (Risk::High, Some("not known whether it can be undone")),
        (Risk::Critical, Some("not known whether it can be undone")),
    ] {
        card.risk = risk;
        assert_eq!(card.describe_undo().as_deref(), said, "{risk}");
    }
}

#[test]
fn a_phrase_says_what_it_covers() {
    let head = |line: &str, action: &str, head: &str| {
        lines(&card(line, vec![with_head(head, class(action, vec![Bound::Workspace]))]))
    };
    let stash = head("git stash", "git.stash", "git stash");
    assert!(stash.contains("any `git stash …` but not `git stash "), "{stash}");
    let any_push = head("git push", "git.push", "git push");
    assert!(any_push.contains("any `git push …` without `--"), "{any_push}");
    let push = lines(&card("git push", vec![class("git.push", vec![Bound::Workspace, origin()])]));
    assert!(push.contains("to the remote origin (https://example.org/a.git)"), "{push}");
    let kill = lines(&card("kill 123", vec![class("shell.stop", vec![Bound::Workspace])]));
    assert!(kill.contains("stopping any process that the agent's user may stop"), "{kill}");
    assert!(!kill.contains("in this workspace"), "{kill}");
}

#[test]
fn a_risk_on_the_card_is_the_risk_of_the_item() {
    let deleted = Findings {
        detectors: vec![Detector::Recursive],
        ..class("files.delete", vec![Bound::Workspace])
    };
    let shown = lines(&card("cat a.txt; rm -rf src", vec![class("files.read", vec![]), deleted]));
    assert!(shown.contains("this covers: files.delete, high risk"), "{shown}");
}

#[test]
fn nobody_is_offered_a_wider_yes_to_an_unknown_remote() {
    let Bound::GitRemote(known) = origin() else { panic!("origin is a git remote") };
    let unknown = Bound::GitRemote(GitRemote { addresses: Vec::new(), ..known });
    let finding =
        |bound: Bound| with_head("git push", class("git.push", vec![Bound::Workspace, bound]));
    let offered = |bound| {
        let card = card("git push", vec![finding(bound)]);
        let offers = card.items.into_iter().flat_map(|item| item.offers);
        let mut covers: Vec<_> = offers.filter_map(|offer| offer.covers).collect();
        covers.dedup();
        covers
    };
    assert!(offered(origin()).contains(&Covers::Head));
    assert!(offered(unknown).iter().all(|covers| *covers == Covers::Command));
}
