//! Consent in a conversation, between an agent, its adapter and the operator.

use crate::adapters::AdapterTest;
use serde_json::{Value, json};

const GRAPH: &str = "
domains:
  git:
    autonomous: []
    requires_approval: [push, commit]
    blocked: []
    actions: {push: {risk: high, categories: [git-remote]}, commit: {categories: [git-local]}}
  edit:
    autonomous: []
    requires_approval: [file]
    blocked: []
    actions: {file: {categories: [file-edit]}}
tools:
  Push: {actions: [git.push], command: /command}
  Commit: {actions: [git.commit], command: /command}
  Edit: {actions: [edit.file], target: /path}
workflows:
  feature-x: {actions: []}
";

struct Conversation(AdapterTest);

impl Conversation {
    fn open() -> Self {
        Self(AdapterTest::with_graph(GRAPH))
    }

    /// What the operator says, as the adapter reports it.
    fn say(&self, text: &str) -> Value {
        self.0.post_as_adapter("/v1/turns", &json!({"session": "s1", "text": text}))
    }

    /// What the operator says on a surface.
    fn say_as_operator(&self, text: &str) -> Value {
        let said = json!({"session": "s1", "text": text});
        self.0.server.operator().post("/v1/say", &said).unwrap()
    }

    fn check(&self, tool: &str, args: &Value, run: Option<&Value>) -> Value {
        let mut call = json!({"session": "s1", "tool": tool, "args": args});
        if let Some(run) = run {
            call["run"] = run.clone();
        }
        self.0.post_as_agent("/v1/check", &call)
    }

    fn push(&self) -> Value {
        self.check("Push", &json!({"command": "git push"}), None)
    }

    fn edit(&self, path: &str, run: &Value) -> Value {
        self.check("Edit", &json!({"path": path}), Some(run))
    }

    fn start_run(&self) -> Value {
        let start = json!({"session": "s1", "workflow": "feature-x"});
        self.0.post_as_agent("/v1/runs", &start)["run_id"].clone()
    }

    fn record_move(&self, kind: &str) -> Value {
        self.0.post_as_adapter("/v1/moved", &json!({"session": "s1", "kind": kind}))
    }
}

#[test]
fn a_standing_command_is_announced_until_it_is_revoked() {
    let talk = Conversation::open();
    let events = talk.0.server.events(None).unwrap();
    assert_eq!(talk.push()["announcements"], json!(["Risky operation, always requires consent"]));
    let granted = talk.say("Grant standing consent for: git push");
    assert_eq!(granted["heard"], "granted");
    assert_eq!(granted["lines"][0], "Granted standing consent for: git push");
    for _ in 0..2 {
        let pushed = talk.push();
        assert_eq!(pushed["status"], "allowed");
        assert_eq!(pushed["announcements"], json!(["Using session allowlist: git push"]));
    }
    let listed = talk.say("please show active allowlist");
    assert_eq!(listed["lines"], json!(["Session Allowlist:", "- git push (used 2 times)"]));
    let revoked = talk.say("Please revoke my consent for: git push");
    assert_eq!(revoked["heard"], "revoked");
    assert_eq!(talk.push()["status"], "pending");
    let announced: Vec<(String, Vec<String>)> = events
        .map(Result::unwrap)
        .filter(|event| !event.data.announcements.is_empty())
        .map(|event| (event.data.session.clone().unwrap(), event.data.announcements.clone()))
        .take(3)
        .collect();
    let using = |line: &str| ("claude/s1".to_owned(), vec![line.to_owned()]);
    assert_eq!(
        announced,
        [
            using("Risky operation, always requires consent"),
            using("Using session allowlist: git push"),
            using("Using session allowlist: git push"),
        ]
    );
}

#[test]
fn workflow_consent_is_asked_for_used_and_cleared_aloud() {
    let talk = Conversation::open();
    talk.say("Implement feature X");
    let run = talk.start_run();
    let asked = talk.edit("/srv/a", &run);
    assert_eq!(asked["status"], "pending");
    assert_eq!(asked["announcements"], json!(["First file edit in workflow, asking consent"]));
    assert_eq!(talk.say("yes")["heard"], "answered");
    let edited = talk.edit("/srv/b", &run);
    assert_eq!(edited["status"], "allowed");
    assert_eq!(
        edited["announcements"],
        json!(["Using workflow consent for file edits (granted turn 2)"])
    );
    let commit = talk.check("Commit", &json!({"command": "git commit -m x"}), Some(&run));
    assert_eq!(commit["announcements"], json!(["First git command in workflow, asking consent"]));
    let other = talk.start_run();
    let path = format!("/v1/runs/{}/end", other.as_str().unwrap());
    let ended = talk.0.post_as_agent(&path, &json!({"session": "s1"}));
    assert_eq!(ended["announcements"], json!(["Workflow complete, clearing consent state"]));
    let done = talk.say("Done, thanks!");
    assert_eq!(done["lines"], json!(["Workflow complete, clearing consent state"]));
    assert_ne!(talk.edit("/srv/c", &run)["status"], "allowed");
}

#[test]
fn another_task_a_reported_move_and_idling_clear_consent_aloud() {
    let talk = Conversation::open();
    for (cleared, line) in [
        (0, "Workflow complete, clearing consent state"),
        (1, "Workflow complete, clearing consent state"),
        (2, "Context switched, clearing consent state"),
        (3, "Workflow idle, clearing consent state"),
    ] {
        let run = talk.start_run();
        let asked = talk.edit(&format!("/srv/{cleared}"), &run);
        assert_eq!(asked["status"], "pending", "{cleared}");
        talk.say("yes");
        assert_eq!(talk.edit("/srv/b", &run)["status"], "allowed", "{cleared}");
        let reply = match cleared {
            0 => talk.say("Actually, let's work on feature Y instead"),
            1 => talk.record_move("topic"),
            2 => talk.record_move("context"),
            _ => {
                (1..10).for_each(|turn| drop(talk.say(&format!("turn {turn}"))));
                talk.say("turn 10")
            }
        };
        assert_eq!(reply["lines"], json!([line]), "{cleared}");
        assert_ne!(talk.edit("/srv/c", &run)["status"], "allowed", "{cleared}");
        talk.say("stop");
        talk.say("the next one");
    }
}

#[test]
fn everything_that_is_consented_to_is_listed_with_its_turn() {
    let talk = Conversation::open();
    talk.say("hello");
    talk.say("Grant standing consent for: git push");
    talk.push();
    let run = talk.start_run();
    talk.edit("/srv/a", &run);
    talk.say("yes");
    talk.check("Commit", &json!({"command": "git commit"}), None);
    talk.say("go on");
    let card = talk.0.server.card();
    talk.0.server.answer_card(&card, "session").unwrap();
    let project = json!({"session": "s1", "action": "edit.file", "scope": "session"});
    talk.0.server.operator().post("/v1/grants", &project).unwrap();
    let listed = talk.say_as_operator("What have I consented to?");
    assert_eq!(
        listed["lines"],
        json!([
            "Session Allowlist:",
            "- git push (used 1 time)",
            "",
            "Session consent:",
            "- command `git commit` (granted turn 4, session, used 0 times)",
            "- action edit.file (granted turn 4, session, used 0 times)",
            "",
            "Current Workflow: \"feature-x\"",
            "- Consented operations: file-edit (granted turn 3)",
            "- No risky operations consented",
            "",
            "Operations:",
            "- git.push (high): granted turn 2 (standing)",
            "- edit.file (moderate): granted turn 3 (category)",
            "- git.commit (moderate): granted turn 4 (answer)",
            "",
            "To revoke: \"Revoke consent for: <command>\" or \"Revoke all consent\"",
        ])
    );
}

#[test]
fn a_no_in_front_of_a_correction_declines_too() {
    let talk = Conversation::open();
    let operation = talk.push()["operation_id"].clone();
    let corrected = talk.say("No, that's wrong");
    assert_eq!(corrected["heard"], "reset");
    assert_eq!(corrected["lines"], json!(["Corrected: 0 grants cleared", "Declined"]));
    let path = format!("/v1/operations/{}/retry", operation.as_str().unwrap());
    let retried = talk.0.post_as_agent(&path, &json!({"session": "s1"}));
    assert_eq!(retried["reason"], "declined_before");
}

#[test]
fn after_fifty_turns_the_card_asks_whether_the_work_goes_on() {
    let talk = Conversation::open();
    let run = talk.start_run();
    talk.edit("/srv/a", &run);
    talk.say("yes");
    for turn in 2..=50 {
        talk.say(&format!("turn {turn}"));
        if turn % 9 == 0 {
            assert_eq!(talk.edit(&format!("/srv/{turn}"), &run)["status"], "allowed", "{turn}");
        }
    }
    let asked = talk.edit("/srv/z", &run);
    let question = "Still working on feature-x, consent still valid?";
    assert_eq!(asked["announcements"], json!([question]));
    let card = talk.0.server.card();
    assert_eq!(card["news"], json!([question]));
    assert_eq!(
        card["why"],
        json!(["50 turns have passed in this workflow; a yes confirms its consent"])
    );
    talk.0.server.answer_card(&card, "once").unwrap();
    assert_eq!(talk.edit("/srv/y", &run)["status"], "allowed");
}
