//! Who may loosen by a turn, what is said back, and what a new context takes over.

use crate::world::{agent, call, engine, owner, session};
use countersign_commands::analyse;
use countersign_conversation::{ProcessedTurn, Turn};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::category::Category;
use countersign_core::model::change::Change;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::names::{Project, SessionKey, Workflow};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, Attendance, Subject};
use countersign_core::model::turn::{Speaker, TurnResult};
use countersign_core::model::words::{Choice, Outcome};
use countersign_engine::{
    AnswerTarget, ConversationMove, Engine, Memory, SessionOwner, TurnReporter,
};

fn say(engine: &Engine<Memory>, speaker: Speaker, text: &str) -> ProcessedTurn {
    engine.open_session(&owner(), None).unwrap();
    let turn = Turn { session: session(), speaker, text: text.into(), from: AnswerFrom::Embedder };
    engine.process_turn(&turn, TurnReporter::Operator).unwrap().unwrap()
}

fn outcome(engine: &Engine<Memory>, line: &str) -> Outcome {
    let mut push = call("files.write");
    push.command = Some(analyse(line, None));
    engine.check(&push).unwrap().decision().outcome
}

fn yes(choice: Choice) -> Answer {
    Answer {
        say: AnswerChoices::One(choice),
        note: String::new(),
        proof: AnswerProof::KeyPress,
        lasts: None,
        covers: None,
        from: AnswerFrom::Embedder,
    }
}

#[test]
fn a_turn_that_an_agent_reports_loosens_nothing() {
    let engine = engine();
    let said = say(&engine, Speaker::Agent, "Grant standing consent for: git push");
    assert_eq!(said.heard, TurnResult::Nothing);
    assert_eq!(outcome(&engine, "git push"), Outcome::Ask);
    // A yes in the agent's mouth answers neither its own question nor the one it brought up.
    assert_eq!(say(&engine, Speaker::Agent, "yes").heard, TurnResult::Nothing);
    assert_eq!(outcome(&engine, "git push"), Outcome::Ask);
}

/// An agent may tighten, so the record must not say that the operator did.
#[test]
fn a_revocation_says_who_revoked() {
    let engine = engine();
    for speaker in [Speaker::Operator, Speaker::Adapter, Speaker::Agent] {
        say(&engine, Speaker::Operator, "Grant standing consent for: git push");
        assert_eq!(say(&engine, speaker, "Revoke all consent").heard, TurnResult::Revoked);
        let entries = engine.read_all_entries().unwrap();
        let mut changes = entries.iter().map(|entry| entry.change().unwrap().1).rev();
        let by = changes.find_map(|change| match change {
            Change::GrantRevoked { by, .. } => Some(by),
            _ => None,
        });
        assert_eq!(by, Some(speaker));
    }
}

#[test]
fn what_an_agent_would_loosen_is_shown_to_the_operator() {
    let engine = engine();
    say(&engine, Speaker::Agent, "Grant standing consent for: git push");
    let state = engine.read_whole_state().unwrap();
    let request = state.requests.values().next().unwrap();
    assert!(matches!(request.subject, Subject::Standing(_)));
    engine.answer(AnswerTarget::Request(request.id), &yes(Choice::Session)).unwrap();
    assert_eq!(outcome(&engine, "git push"), Outcome::Allow);
    assert_eq!(outcome(&engine, "git push --force"), Outcome::Ask);
}

#[test]
fn the_reply_to_a_grant_in_words_says_that_a_decline_is_lifted() {
    let engine = engine();
    assert_eq!(outcome(&engine, "git push"), Outcome::Ask);
    assert_eq!(say(&engine, Speaker::Operator, "no").heard, TurnResult::Answered);
    assert_eq!(outcome(&engine, "git push"), Outcome::Deny);
    let other = say(&engine, Speaker::Operator, "Grant standing consent for: git fetch");
    let no_workspace =
        "This session has no workspace, so that covers only calls that name no folder";
    assert_eq!(other.lines, ["Granted standing consent for: git fetch", no_workspace]);
    assert_eq!(outcome(&engine, "git push"), Outcome::Deny);
    let named = say(&engine, Speaker::Operator, "Grant standing consent for: git push");
    assert_eq!(
        named.lines,
        [
            "Granted standing consent for: git push",
            "Your earlier decline of `git push` is lifted",
            no_workspace
        ]
    );
    assert_eq!(outcome(&engine, "git push"), Outcome::Allow);
}

#[test]
fn a_reported_grant_that_the_operator_confirms_lifts_a_decline_too() {
    let engine = engine();
    assert_eq!(outcome(&engine, "git push"), Outcome::Ask);
    say(&engine, Speaker::Operator, "no");
    say(&engine, Speaker::Agent, "Grant standing consent for: git push");
    assert_eq!(outcome(&engine, "git push"), Outcome::Deny);
    let state = engine.read_whole_state().unwrap();
    let reported =
        |r: &&countersign_core::model::request::Request| matches!(r.subject, Subject::Standing(_));
    let request = state.requests.values().find(reported).unwrap().id;
    engine.answer(AnswerTarget::Request(request), &yes(Choice::Session)).unwrap();
    assert_eq!(outcome(&engine, "git push"), Outcome::Allow);
}

/// A yes names none of several questions. The reply says which are open, and how to answer one.
#[test]
fn a_yes_to_several_questions_is_answered_with_their_list() {
    let engine = engine();
    assert_eq!(outcome(&engine, "git push"), Outcome::Ask);
    assert_eq!(outcome(&engine, "make"), Outcome::Ask);
    for text in ["yes", "no", "ok"] {
        let said = say(&engine, Speaker::Operator, text);
        assert_eq!(said.heard, TurnResult::Nothing, "{text}");
        let [head, first, second] = said.lines.as_slice() else { panic!("{:?}", said.lines) };
        assert!(
            head.starts_with("2 questions are open") && head.contains("countersign approve ID")
        );
        assert!(first.contains("`git push` (moderate risk)"), "{first}");
        assert!(second.contains("`make` (moderate risk)"), "{second}");
    }
}

#[test]
fn an_agent_may_tighten_by_a_turn() {
    let engine = engine();
    let granted = say(&engine, Speaker::Adapter, "Grant standing consent for: git push, make");
    assert_eq!(granted.heard, TurnResult::Granted);
    let revoked = say(&engine, Speaker::Agent, "Revoke consent for: git push");
    assert_eq!(revoked.lines, ["Revoked 1 grant; standing commands that remain: make"]);
    assert_eq!(outcome(&engine, "git push"), Outcome::Ask);
    assert_eq!(outcome(&engine, "make"), Outcome::Allow);
    assert_eq!(say(&engine, Speaker::Agent, "stop").heard, TurnResult::Stop);
}

#[test]
fn an_agent_talks_nobody_out_of_a_dry_run_or_a_stop() {
    let engine = engine();
    say(&engine, Speaker::Operator, "Grant standing consent for: git push");
    say(&engine, Speaker::Operator, "DRY RUN: push it");
    for (excuse, expected) in [
        ("and now for real", Outcome::Ask),
        ("stop", Outcome::Deny),
        ("and now for real", Outcome::Deny),
        ("DRY RUN: push it", Outcome::Deny),
    ] {
        say(&engine, Speaker::Agent, excuse);
        assert_eq!(outcome(&engine, "git push"), expected, "{excuse}");
    }
    say(&engine, Speaker::Operator, "and now for real");
    assert_eq!(outcome(&engine, "git push"), Outcome::Allow);
}

#[test]
fn a_standing_command_leaves_open_what_it_says_and_no_more() {
    let engine = engine();
    say(
        &engine,
        Speaker::Operator,
        "Grant standing consent for: ./deploy.sh <env>, git push origin <branch>",
    );
    for (line, expected) in [
        ("./deploy.sh staging", Outcome::Allow),
        ("git push origin main", Outcome::Allow),
        ("./deploy.sh", Outcome::Ask),
        ("./deploy.sh staging now", Outcome::Ask),
        ("./deploy.sh --all", Outcome::Ask),
        ("git push origin --force", Outcome::Ask),
        ("git pull origin main", Outcome::Ask),
    ] {
        assert_eq!(outcome(&engine, line), expected, "{line}");
    }
    for refused in ["git <verb> origin", "<program> x", "rm -rf *"] {
        let said =
            say(&engine, Speaker::Operator, &format!("Grant standing consent for: {refused}"));
        assert_eq!(said.heard, TurnResult::Nothing, "{refused}");
    }
}

#[test]
fn queries_are_answered_in_the_form_that_people_know() {
    let engine = engine();
    say(&engine, Speaker::Operator, "Grant standing consent for: git push");
    outcome(&engine, "git push");
    let workflow = Workflow::parse("implement-feature-X").unwrap();
    let start = StartDraft {
        session: session(),
        agent: agent(),
        project: None,
        workflow,
        attendance: Attendance::Attended,
        gesture: None,
        parking: countersign_core::model::call::Parking::Refused,
        title: None,
    };
    let (run, _) = engine.start_run(&start).unwrap();
    let mut edit = call("files.write");
    edit.run = Some(run);
    edit.observed.categories = vec![Category::parse("file-edit").unwrap()];
    let asked = engine.check(&edit).unwrap().call().unwrap();
    engine.answer(AnswerTarget::Call(asked), &yes(Choice::Run)).unwrap();
    let listed = say(&engine, Speaker::Operator, "What have I consented to?");
    let expected = [
        "Session Allowlist:",
        "- git push (used 1 time)",
        "",
        "Current Workflow: \"implement-feature-X\"",
        "- Consented operations: file-edit (granted turn 1)",
        "- No risky operations consented",
        "",
        "Operations:",
        "- files.write (moderate): granted turn 1 (standing)",
        "- files.write (moderate): granted turn 1 (category)",
        "",
        "To revoke: \"Revoke consent for: <command>\" or \"Revoke all consent\"",
    ];
    assert_eq!(
        (listed.heard, listed.lines.as_slice()),
        (TurnResult::Listed, expected.map(String::from).as_slice())
    );
    let again = engine.check(&edit).unwrap();
    assert_eq!(again.announced(), ["Using workflow consent for file edits (granted turn 1)"]);
    let done = say(&engine, Speaker::Operator, "done");
    assert_eq!(done.lines, ["Workflow complete, clearing consent state"]);
    edit.args = serde_json::json!({"n": 1});
    assert_eq!(engine.check(&edit).unwrap().decision().outcome, Outcome::Ask);
}

#[test]
fn a_use_of_a_standing_command_is_announced() {
    let engine = engine();
    say(&engine, Speaker::Operator, "Grant standing consent for: git push");
    let mut push = call("files.write");
    push.command = Some(analyse("git push", None));
    let checked = engine.check(&push).unwrap();
    assert_eq!(checked.announced(), ["Using session allowlist: git push"]);
}

#[test]
fn a_new_context_takes_over_only_what_is_confirmed() {
    let engine = engine();
    say(&engine, Speaker::Operator, "Grant standing consent for: git push, make");
    let next = SessionKey::parse("agent-1 s2").unwrap();
    let receiver = SessionOwner::from_key(next.clone());
    assert_eq!(engine.hand_over(&session(), &receiver, None).unwrap(), Some(2));
    let state = engine.read_whole_state().unwrap();
    let requests: Vec<_> =
        state.open_requests(&next, engine.display_time()).map(|r| r.id).collect();
    let mut push = call("files.write");
    push.session = next;
    push.command = Some(analyse("git push", None));
    let answers = [Choice::Session, Choice::Decline];
    for (request, choice) in requests.iter().zip(answers) {
        assert_eq!(engine.check(&push).unwrap().decision().outcome, Outcome::Ask);
        engine.answer(AnswerTarget::Request(*request), &yes(choice)).unwrap();
        if choice == Choice::Session {
            break;
        }
    }
    assert_eq!(engine.check(&push).unwrap().decision().outcome, Outcome::Allow);
    push.command = Some(analyse("make", None));
    assert_eq!(engine.check(&push).unwrap().decision().outcome, Outcome::Ask);
}

#[test]
fn a_hand_over_to_a_session_that_is_not_open_keeps_the_project() {
    let engine = engine();
    let [web, app] = ["/web", "/app"].map(|name| Project::parse(name).unwrap());
    engine.open_session(&owner(), Some(&web)).unwrap();
    say(&engine, Speaker::Operator, "Grant standing consent for: git push");
    for (name, named, project) in [("agent-1 s2", None, &web), ("agent-1 s3", Some(&app), &app)] {
        let next = SessionOwner::from_key(SessionKey::parse(name).unwrap());
        assert_eq!(engine.hand_over(&session(), &next, named).unwrap(), Some(1));
        let opened = engine.read_own_project(&next.session, &next).unwrap();
        assert_eq!(opened.as_ref(), Some(project));
    }
    let foreign = SessionOwner::from_key(SessionKey::parse("agent-2 s1").unwrap());
    assert_eq!(engine.hand_over(&session(), &foreign, None).unwrap(), None);
    assert_eq!(engine.read_own_project(&foreign.session, &foreign).unwrap(), None);
}

#[test]
fn a_change_of_context_clears_what_was_consented_to_for_the_task() {
    let engine = engine();
    engine.open_session(&owner(), None).unwrap();
    let asked = engine.check(&call("files.write")).unwrap().call().unwrap();
    engine.answer(AnswerTarget::Call(asked), &yes(Choice::Session)).unwrap();
    say(&engine, Speaker::Operator, "Grant standing consent for: git push");
    engine.record_move(&owner(), None, ConversationMove::Context).unwrap();
    let mut other = call("files.write");
    other.args = serde_json::json!({"n": 1});
    assert_eq!(engine.check(&other).unwrap().decision().outcome, Outcome::Ask);
    assert_eq!(outcome(&engine, "git push"), Outcome::Allow);
}
