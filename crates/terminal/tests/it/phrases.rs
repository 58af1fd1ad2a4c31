//! Sentences of the conversation at the prompt: where they go, and what they never do.

use crate::cards::question;
use crate::prompt::{A, PromptTest, one_item};
use countersign_terminal::{PromptEvent, PromptTask, SlashCommand};
use std::time::Duration;

const GRANT: &str = "Grant standing consent for: git push";

/// What was said, and in which session.
fn take_said(test: &mut PromptTest) -> Vec<(Option<String>, String)> {
    let said = test.tasks.drain(..).filter_map(|task| match task {
        PromptTask::RunCommand(SlashCommand::Say { session, words }) => Some((session, words)),
        _ => None,
    });
    said.collect()
}

#[test]
fn a_sentence_goes_to_the_session_of_the_card_and_answers_nothing() {
    for words in [GRANT, "What have I consented to?", "Revoke all consent", "no, wait", "done"] {
        let mut test = PromptTest::new();
        test.open(one_item(A));
        test.type_text(&format!("{words}\r"));
        let session = Some("coder/s1".to_owned());
        assert_eq!(take_said(&mut test), [(session, words.to_owned())], "{words}");
        assert_eq!(test.take_answer(), None, "{words}");
    }
}

#[test]
fn without_a_card_a_sentence_names_no_session() {
    let mut test = PromptTest::new();
    for words in [GRANT, "stop", "/stop"] {
        test.type_text(&format!("{words}\r"));
        assert_eq!(take_said(&mut test), [(None, words.to_owned())], "{words}");
    }
    test.type_text("/say coder/s2 Revoke all consent\r");
    let named = (Some("coder/s2".to_owned()), "Revoke all consent".to_owned());
    assert_eq!(take_said(&mut test), [named]);
}

#[test]
fn a_yes_in_other_words_stays_unclear() {
    for words in ["go ahead", "sounds good", "ship it", "/commit", "please grant git push"] {
        let mut test = PromptTest::new();
        test.open(one_item(A));
        test.type_text(&format!("{words}\r"));
        assert_eq!(take_said(&mut test), [], "{words}");
        assert_eq!(test.take_answer(), None, "{words}");
    }
}

#[test]
fn a_grant_is_typed_as_carefully_as_a_yes_and_a_stop_is_not() {
    let disturb = |test: &mut PromptTest, words: &str| {
        test.open(one_item(A));
        let (head, rest) = words.split_at(3);
        test.type_text(head);
        test.handle_event(PromptEvent::Message("something happened".to_owned()));
        for c in format!("{rest}\r").chars() {
            test.send_bytes(c.to_string().as_bytes());
        }
    };
    let mut test = PromptTest::new();
    disturb(&mut test, GRANT);
    assert_eq!(take_said(&mut test), []);
    assert!(test.screen.contains("something appeared while you typed"), "{}", test.screen);
    let mut test = PromptTest::new();
    disturb(&mut test, "please stop");
    assert_eq!(take_said(&mut test).len(), 1);
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("");
    test.send_bytes(format!("\x1b[200~{GRANT}\x1b[201~\r").as_bytes());
    assert_eq!(take_said(&mut test), []);
}

#[test]
fn the_text_of_a_critical_card_that_is_also_a_sentence_is_neither() {
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("files.write", &["once", "decline"])], Some("stop.sh")));
    test.type_text("stop.sh\r");
    assert_eq!(take_said(&mut test), []);
    assert!(test.screen.contains("type: once stop.sh"), "{}", test.screen);
    test.type_text("once stop.sh\r");
    let answer = test.take_answer().unwrap();
    assert_eq!(answer.confirm.as_deref(), Some("stop.sh"));
}

#[test]
fn an_announcement_is_shown_once_in_a_while() {
    let mut test = PromptTest::new();
    let line = "Using session allowlist: git push";
    let announced =
        || PromptEvent::Announced { session: "coder/s1".to_owned(), lines: vec![line.to_owned()] };
    let count =
        |test: &PromptTest| test.screen.matches("coder/s1: Using session allowlist").count();
    (0..3).for_each(|_| test.handle_event(announced()));
    assert_eq!(count(&test), 1);
    test.now += Duration::from_secs(3_600);
    test.handle_event(announced());
    assert_eq!(count(&test), 2);
}
