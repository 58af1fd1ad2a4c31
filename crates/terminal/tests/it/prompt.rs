//! Lines typed at the prompt, and the answers that result.

use crate::cards::{ALL, WIDER, question};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Covers, Ending, Presence};
use countersign_terminal::{
    AfterAnswer, AnswerOutcome, CardLayout, Colours, CompactLayout, DeliverySubject, EraseMode,
    InputMode, Prompt, PromptEvent, PromptQuestion, PromptTask, QUIET_PERIOD, ReportedAnswer,
    SlashCommand, TypedAnswer,
};
use std::time::Duration;

const KEY_INTERVAL: Duration = Duration::from_millis(100);

pub struct PromptTest {
    prompt: Prompt,
    pub now: Duration,
    /// All output so far.
    pub screen: String,
    pub tasks: Vec<PromptTask>,
}

impl PromptTest {
    pub fn new() -> Self {
        Self::with_mode(InputMode::Interactive)
    }

    fn with_mode(input_mode: InputMode) -> Self {
        Self::with_layout(input_mode, CardLayout::Plain)
    }

    fn with_layout(input_mode: InputMode, layout: CardLayout) -> Self {
        let layout = Box::new(move || layout.clone());
        let mut prompt = Prompt::new(input_mode, EraseMode::Backspace, layout);
        let now = Duration::from_secs(1_000);
        prompt.start(now);
        let mut test = Self { prompt, now, screen: String::new(), tasks: Vec::new() };
        test.flush();
        test.tasks.clear();
        test.screen.clear();
        test
    }

    fn flush(&mut self) {
        self.screen.push_str(&self.prompt.take_output());
        self.tasks.extend(self.prompt.take_tasks());
        if self.prompt.has_unshown_question() {
            self.prompt.mark_shown(self.now);
        }
    }

    pub fn handle_event(&mut self, event: PromptEvent) {
        self.prompt.handle_event(event, self.now);
        self.flush();
    }

    pub fn open(&mut self, question: PromptQuestion) {
        self.handle_event(PromptEvent::RequestOpened(Box::new(question)));
    }

    fn advance(&mut self, time: Duration) {
        self.now += time;
        self.prompt.tick(self.now, self.now);
        self.flush();
    }

    /// Types by hand, after the quiet period.
    pub fn type_text(&mut self, text: &str) {
        self.advance(QUIET_PERIOD);
        for c in text.chars() {
            self.now += KEY_INTERVAL;
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).as_bytes();
            self.prompt.handle_input(bytes, self.now - KEY_INTERVAL / 2, self.now);
            self.flush();
        }
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.now += KEY_INTERVAL;
        self.prompt.handle_input(bytes, self.now - KEY_INTERVAL / 2, self.now);
        self.flush();
    }

    /// Takes the answer that was sent, if there is one.
    pub fn take_answer(&mut self) -> Option<TypedAnswer> {
        let answers: Vec<TypedAnswer> = self.tasks.drain(..).filter_map(sent_answer).collect();
        assert!(answers.len() < 2, "{answers:?}");
        answers.into_iter().next()
    }

    fn take_choice(&mut self) -> Option<Choice> {
        self.take_answer().map(|answer| answer.choices[0].1)
    }

    fn handle_outcome(&mut self, request: &str, outcome: AnswerOutcome) {
        self.prompt.handle_outcome(request, outcome);
        self.flush();
    }
}

fn sent_answer(task: PromptTask) -> Option<TypedAnswer> {
    match task {
        PromptTask::SendAnswer(answer) => Some(answer),
        _ => None,
    }
}

pub fn one_item(id: &str) -> PromptQuestion {
    question(id, "coder", &[("files.write", ALL)], None)
}

pub const A: &str = "r0aaaaa00000000000000000000000000";
const B: &str = "r0bbbbb00000000000000000000000000";

#[test]
fn a_word_answers_the_card_that_was_shown() {
    for (text, choice) in [
        ("y", Choice::Once),
        ("once", Choice::Once),
        ("s", Choice::Session),
        ("p", Choice::Project),
        ("15m", Choice::Quarter),
        ("n", Choice::Decline),
    ] {
        let mut test = PromptTest::new();
        test.open(one_item(A));
        test.type_text(&format!("{text}\r"));
        let answer = test.take_answer().unwrap();
        assert_eq!((answer.request.as_str(), answer.digest.as_str()), (A, "012345…6789ab"));
        assert_eq!(answer.choices, [("files.write".to_owned(), choice)], "{text}");
        assert_eq!((answer.confirm, answer.after), (None, AfterAnswer::Continue));
    }
}

#[test]
fn a_choice_alone_is_the_first_offer_and_a_word_after_it_names_another() {
    for (text, choice, covers) in [
        ("s", Choice::Session, Some(Covers::Command)),
        ("s!", Choice::Session, Some(Covers::Command)),
        ("s command", Choice::Session, Some(Covers::Command)),
        ("s head", Choice::Session, Some(Covers::Head)),
        ("sh", Choice::Session, Some(Covers::Head)),
        ("15m actions", Choice::Quarter, Some(Covers::Actions)),
        ("pa: only tests", Choice::Project, Some(Covers::Actions)),
        ("y", Choice::Once, None),
    ] {
        let mut test = PromptTest::new();
        test.open(question(A, "coder", &[("test.run", WIDER)], None));
        test.type_text(&format!("{text}\r"));
        let answer = test.take_answer().unwrap();
        assert_eq!(answer.choices, [("test.run".to_owned(), choice)], "{text}");
        assert_eq!(answer.covers, covers, "{text}");
    }
}

#[test]
fn a_choice_alone_names_the_coverage_of_a_line_without_an_exact_command() {
    let several: &[&str] = &["once", "session actions", "project actions", "decline"];
    for (text, covers) in [("s", Some(Covers::Actions)), ("y", None), ("n", None)] {
        let mut test = PromptTest::new();
        test.open(question(A, "coder", &[("test.run", several)], None));
        test.type_text(&format!("{text}\r"));
        assert_eq!(test.take_answer().unwrap().covers, covers, "{text}");
    }
}

#[test]
fn an_unknown_or_missing_coverage_decides_nothing() {
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("test.run", WIDER)], None));
    for text in ["s heads", "s all", "s h", "y head", "once actions", "head", "sah", "project head"]
    {
        test.type_text(&format!("{text}\r"));
        assert_eq!(test.take_answer(), None, "{text}");
    }
    assert!(test.screen.contains("project head is not offered here"), "{}", test.screen);
    test.type_text("sa\r");
    assert_eq!(test.take_answer().unwrap().covers, Some(Covers::Actions));
}

#[test]
fn a_coverage_that_a_card_does_not_offer_is_refused() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("s actions\r");
    assert_eq!(test.take_answer(), None);
    let said = "session actions is not offered here, only once, 15m, session, project, decline";
    assert!(test.screen.contains(said), "{}", test.screen);
}

#[test]
fn the_items_of_one_card_are_allowed_to_the_same_extent() {
    let actions: &[&str] = &["once", "session actions", "decline"];
    let items: &[(&str, &[&str])] = &[("test.run", WIDER), ("build.compile", actions)];
    let answers = |lines: [&str; 2]| {
        let mut test = PromptTest::new();
        test.open(question(A, "coder", items, None));
        lines.iter().for_each(|line| test.type_text(&format!("{line}\r")));
        (test.take_answer().map(|answer| answer.covers), test.screen)
    };
    assert_eq!(answers(["sa", "s"]).0, Some(Some(Covers::Actions)));
    assert_eq!(answers(["s", "s"]).0, None);
    assert_eq!(answers(["sa", "once"]).0, Some(Some(Covers::Actions)));
    let (answer, screen) = answers(["sh", "s"]);
    assert_eq!(answer, None);
    assert!(screen.contains("allowed to the same extent; choose again"), "{screen}");
}

#[test]
fn a_no_can_have_a_note_and_can_stop_the_session() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("n: use staging\r");
    let answer = test.take_answer().unwrap();
    assert_eq!((answer.choices[0].1, answer.note.as_str()), (Choice::Decline, "use staging"));
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("decline and stop: enough\r");
    let answer = test.take_answer().unwrap();
    assert_eq!((answer.after, answer.note.as_str()), (AfterAnswer::StopSession, "enough"));
}

#[test]
fn keys_from_before_the_card_answer_nothing() {
    let mut test = PromptTest::new();
    test.type_text("y");
    test.open(one_item(A));
    test.type_text("\r");
    assert_eq!(test.take_answer(), None);
    // The same within the quiet period.
    test.open(one_item(B));
    test.handle_outcome(A, AnswerOutcome::RequestClosed("gone".to_owned()));
    test.send_bytes(b"y");
    test.send_bytes(b"\r");
    assert_eq!(test.take_answer(), None);
    test.type_text("y\r");
    assert_eq!(test.take_answer().unwrap().request, B);
}

#[test]
fn the_rest_of_a_word_that_was_started_before_the_card_answers_nothing() {
    let mut test = PromptTest::new();
    test.type_text("l");
    test.open(one_item(A));
    test.type_text("s\r");
    assert_eq!(test.take_answer(), None);
    assert!(test.screen.contains("you were typing when this was shown"), "{}", test.screen);
    test.type_text("s\r");
    assert_eq!(test.take_choice(), Some(Choice::Session));
}

#[test]
fn enter_alone_decides_nothing_however_often() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    (0..20).for_each(|_| test.type_text("\r"));
    assert_eq!(test.take_answer(), None);
    assert_eq!(test.screen.matches("Enter alone decides nothing").count(), 1);
}

#[test]
fn pasted_text_answers_nothing_with_or_without_brackets() {
    for pasted in [&b"\x1b[200~y\r\x1b[201~"[..], b"y\r", b"\x1b[200~y\x1b[201~"] {
        let mut test = PromptTest::new();
        test.open(one_item(A));
        test.advance(QUIET_PERIOD);
        test.send_bytes(pasted);
        test.type_text("\r");
        assert_eq!(test.take_answer(), None, "{pasted:?}");
        test.type_text("y\r");
        assert_eq!(test.take_choice(), Some(Choice::Once));
    }
}

#[test]
fn a_line_with_pasted_text_answers_nothing() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("n: see ");
    test.send_bytes(b"\x1b[200~https://example.org\x1b[201~");
    test.type_text("\r");
    assert_eq!(test.take_answer(), None);
    assert!(test.screen.contains("that was pasted; type the answer"));
}

#[test]
fn an_unclear_reply_is_asked_again_however_often() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    for word in ["ok", "sure", "foo", "yess", "nope", "ok", "n o", "1", "allow it", "!"] {
        test.type_text(&format!("{word}\r"));
        assert_eq!(test.take_answer(), None, "{word}");
        let said = format!("didn't understand `{word}`: type y, n or ?");
        assert!(test.screen.contains(&said), "{word}: {}", test.screen);
    }
    test.advance(QUIET_PERIOD);
    assert!(test.screen.ends_with("Allow delete letter? "), "{}", test.screen);
    test.type_text("y\r");
    assert_eq!(test.take_choice(), Some(Choice::Once));
}

#[test]
fn questions_of_the_operator_are_answered_and_decide_nothing() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    for (word, said) in [
        ("?", "session: files.write, whatever it is done to, for this session"),
        ("help", "n: reason: no, and the reason goes to the agent"),
        ("why", "asked because nobody allowed it"),
        ("approve", "for how long? y once, 15m, s session, p project, or n for no"),
        ("allow", "for how long? y once, 15m"),
    ] {
        test.screen.clear();
        for _ in 0..3 {
            test.type_text(&format!("{word}\r"));
            assert_eq!(test.take_answer(), None, "{word}");
        }
        assert!(test.screen.contains(said), "{word}: {}", test.screen);
        test.advance(QUIET_PERIOD);
        assert!(test.screen.ends_with("Allow delete letter? "), "{}", test.screen);
    }
    test.type_text("v\r");
    assert!(test.tasks.contains(&PromptTask::ShowWhole(A.to_owned())));
    assert_eq!(test.take_answer(), None);
}

#[test]
fn a_wrong_text_on_a_critical_card_says_what_is_expected() {
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("bank.pay", &["once!", "decline"])], Some("42.00")));
    for word in ["42", "42,00", "ok", "42.00 EUR"] {
        test.screen.clear();
        test.type_text(&format!("{word}\r"));
        assert_eq!(test.take_answer(), None, "{word}");
        let said = format!("didn't understand `{word}`: to allow this, type the amount: 42.00");
        assert!(test.screen.contains(&said), "{}", test.screen);
    }
    for word in ["approve", "allow", "y", "once"] {
        test.screen.clear();
        test.type_text(&format!("{word}\r"));
        assert_eq!(test.take_answer(), None, "{word}");
        let said = "this is critical: to allow it, type the amount: 42.00";
        assert!(test.screen.contains(said), "{}", test.screen);
    }
    test.type_text("42.00\r");
    assert_eq!(test.take_choice(), Some(Choice::Once));
}

#[test]
fn words_that_do_not_confirm_a_wide_choice_ask_again() {
    let high: &[&str] = &["once", "15m", "session", "project!", "decline"];
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("servers.stop", high)], None));
    test.type_text("p\r");
    for word in ["ok", "?", "allow", "sure"] {
        test.type_text(&format!("{word}\r"));
        assert_eq!(test.take_answer(), None, "{word}");
    }
    test.type_text("yes\r");
    assert_eq!(test.take_choice(), Some(Choice::Project));
}

#[test]
fn the_prompt_stays_with_its_card_whatever_arrives() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.advance(QUIET_PERIOD);
    for n in 1..=13 {
        test.open(question(&format!("r{n:032x}"), "other", &[("files.write", ALL)], None));
        let text = format!("alert {n}");
        test.handle_event(PromptEvent::NoticeRaised { id: text.clone(), urgency: "alert", text });
    }
    assert_eq!(test.screen.matches("CARD").count(), 1, "{}", test.screen);
    assert!(test.screen.ends_with("Allow delete letter? (13 more) "), "{}", test.screen);
    assert_eq!(test.screen.matches("next, ").count(), 3, "{}", test.screen);
    test.type_text("n\r");
    assert_eq!(test.take_answer().unwrap().request, A);
}

#[test]
fn what_a_notice_quotes_is_marked_where_it_goes_on_in_the_next_line() {
    let mut test = PromptTest::with_layout(InputMode::Interactive, compact(40));
    let text = format!("denied {} Allow?  y once   n no", "x".repeat(40));
    test.handle_event(PromptEvent::NoticeRaised { id: "n1".to_owned(), urgency: "alert", text });
    for line in test.screen.lines().skip(1) {
        assert!(line.starts_with("  > "), "{}", test.screen);
    }
    assert!(test.screen.lines().count() > 1);
}

fn compact(width: usize) -> CardLayout {
    let now = Time::parse("2026-01-05T09:00:00Z").unwrap();
    CardLayout::Compact(CompactLayout { width, now, home: None, colours: Colours::Absent })
}

#[test]
fn a_window_that_can_erase_shows_the_prompt_only_once() {
    let mut test = PromptTest::with_layout(InputMode::Interactive, compact(80));
    test.open(one_item(A));
    test.type_text("n: us");
    test.open(one_item(B));
    let end = test.screen.rsplit_once("\r\x1b[K").unwrap().1;
    assert_eq!(end, "Allow delete letter? (1 more) n: us");
    test.type_text("e it\r");
    assert_eq!(test.take_answer().unwrap().note, "use it");
}

#[test]
fn a_choice_that_is_not_offered_is_refused_and_the_request_stays_open() {
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("files.write", &["once", "decline"])], None));
    for word in ["p", "s", "task", "p"] {
        test.type_text(&format!("{word}\r"));
    }
    assert_eq!(test.take_answer(), None);
    assert!(test.screen.contains("project is not offered here, only once, decline"));
    test.type_text("y\r");
    assert_eq!(test.take_choice(), Some(Choice::Once));
}

#[test]
fn a_critical_request_needs_its_text_typed() {
    let once: &[&str] = &["once!", "decline"];
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("bank.pay", once)], Some("4200")));
    for word in ["y", "once", "yes"] {
        test.type_text(&format!("{word}\r"));
    }
    assert_eq!(test.take_answer(), None);
    test.type_text("4200\r");
    let answer = test.take_answer().unwrap();
    assert_eq!((answer.choices[0].1, answer.confirm.as_deref()), (Choice::Once, Some("4200")));
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("bank.pay", once)], Some("4200")));
    test.type_text("once 4200\r");
    assert_eq!(test.take_choice(), Some(Choice::Once));
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("files.wipe", once)], Some("/srv/a")));
    test.type_text("/srv/a\r");
    assert_eq!(test.take_choice(), Some(Choice::Once));
}

#[test]
fn a_confirmation_text_that_is_also_a_word_needs_once_before_it() {
    for word in ["y", "yes", "once", "/help", "v", "why", "allow"] {
        let mut test = PromptTest::new();
        test.open(question(A, "coder", &[("bank.pay", &["once!", "decline"])], Some(word)));
        test.type_text(&format!("{word}\r"));
        assert_eq!(test.take_answer(), None, "{word}");
        test.type_text(&format!("once {word}\r"));
        assert_eq!(test.take_choice(), Some(Choice::Once), "{word}");
    }
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("bank.pay", &["once!", "decline"])], Some("n")));
    test.type_text("n\r");
    assert_eq!(test.take_choice(), Some(Choice::Decline));
}

#[test]
fn a_whole_project_at_high_risk_is_confirmed_a_second_time() {
    let high: &[&str] = &["once", "15m", "session", "project!", "decline"];
    let mut test = PromptTest::new();
    test.open(question(A, "coder", &[("servers.stop", high)], None));
    test.type_text("p\r");
    assert_eq!(test.take_answer(), None);
    test.type_text("p\r");
    assert_eq!(test.take_answer(), None, "only a yes confirms");
    test.type_text("p\r");
    test.type_text("yes\r");
    let answer = test.take_answer().unwrap();
    assert_eq!((answer.choices[0].1, answer.confirm.as_deref()), (Choice::Project, Some("yes")));
}

#[test]
fn several_items_on_one_card_are_answered_one_by_one() {
    let mut test = PromptTest::new();
    let items: &[(&str, &[&str])] = &[("files.write", ALL), ("files.read", &["once", "decline"])];
    test.open(question(A, "coder", items, None));
    test.type_text("s\r");
    assert_eq!(test.take_answer(), None);
    test.type_text("n: not that\r");
    let answer = test.take_answer().unwrap();
    let chosen = [("files.write", Choice::Session), ("files.read", Choice::Decline)];
    assert_eq!(answer.choices, chosen.map(|(action, choice)| (action.to_owned(), choice)));
    assert_eq!(answer.note, "not that");
}

#[test]
fn one_question_after_the_other_and_each_is_shown_before_it_is_answered() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.open(one_item(B));
    assert!(test.screen.contains(&format!("CARD {A}")));
    assert!(!test.screen.contains(&format!("CARD {B}")));
    assert!(test.screen.contains("next, r0bbbbb: coder asks."), "{}", test.screen);
    test.type_text("y r0bbbbb\r");
    assert_eq!(test.take_answer(), None, "it is shown first");
    assert!(test.screen.contains(&format!("CARD {B}")));
    test.type_text("y r0bbbbb\r");
    assert_eq!(test.take_answer().unwrap().request, B);
    test.handle_outcome(B, AnswerOutcome::Accepted(Vec::new()));
    test.type_text("n\r");
    assert_eq!(test.take_answer().unwrap().request, A);
}

#[test]
fn any_beginning_of_an_id_names_a_request_unless_several_start_so() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.open(one_item(B));
    for line in ["y r0", "n r0"] {
        test.screen.clear();
        test.type_text(&format!("{line}\r"));
        assert_eq!(test.take_answer(), None, "{line}");
        let said = "r0 can be several requests: r0aaaaa, r0bbbbb";
        assert!(test.screen.contains(said), "{}", test.screen);
    }
    test.type_text("n r0a\r");
    assert_eq!(test.take_answer().unwrap().request, A);
}

#[test]
fn a_disturbed_yes_is_typed_again_and_a_disturbed_no_counts() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("y");
    test.open(one_item(B));
    test.type_text("\r");
    assert_eq!(test.take_answer(), None);
    test.type_text("n: use");
    let text = "files.wipe is blocked".to_owned();
    test.handle_event(PromptEvent::NoticeRaised {
        id: "note_1".to_owned(),
        urgency: "alert",
        text,
    });
    assert!(test.screen.ends_with("Allow delete letter? (1 more) n: use"), "{}", test.screen);
    test.send_bytes(b"\x1b[I");
    test.type_text(" ");
    assert!(test.screen.ends_with("Allow delete letter? (1 more) n: use "), "{}", test.screen);
    test.type_text("it\r");
    assert_eq!(test.take_answer().unwrap().note, "use it");
}

#[test]
fn a_request_that_ends_elsewhere_is_reported_and_discards_the_half_typed_line() {
    let answered = |ending, surface: Option<&str>| {
        PromptEvent::RequestAnswered(ReportedAnswer {
            request: A.to_owned(),
            ending: Some(ending),
            surface: surface.map(str::to_owned),
            at: "2026-01-05T09:10:00Z".to_owned(),
        })
    };
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.open(one_item(B));
    test.type_text("y");
    test.handle_event(answered(Ending::Approved, Some("phone")));
    assert!(
        test.screen.contains("r0aaaaa was answered on phone at 2026-01-05T09:10:00Z: approved")
    );
    test.type_text("\r");
    assert_eq!(test.take_answer(), None);
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.handle_event(answered(Ending::Expired, None));
    assert!(test.screen.contains("r0aaaaa expired at 2026-01-05T09:10:00Z; nothing was allowed"));
    test.type_text("y\r");
    assert_eq!(test.take_answer(), None);
}

#[test]
fn a_card_that_changes_is_shown_again_and_answered_as_it_is_now() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("y");
    let mut changed = one_item(A);
    changed.view.card.digest = "ffffff…ffffff".to_owned();
    test.open(changed);
    test.type_text("\r");
    assert_eq!(test.take_answer(), None);
    test.type_text("y\r");
    assert_eq!(test.take_answer().unwrap().digest, "ffffff…ffffff");
}

#[test]
fn a_refused_answer_leaves_the_question_open() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("y\r");
    test.take_answer().unwrap();
    test.handle_outcome(A, AnswerOutcome::Refused("no daemon answers".to_owned()));
    assert!(test.screen.contains("no daemon answers; the request stays open"));
    test.type_text("y\r");
    assert_eq!(test.take_answer().unwrap().request, A);
}

#[test]
fn an_agent_that_asks_too_often_can_be_paused_first_and_its_calls_stay_answerable() {
    let mut test = PromptTest::new();
    let ids: Vec<String> = (1..=8).map(|n| format!("r{n:032x}")).collect();
    ids.iter().for_each(|id| test.open(one_item(id)));
    assert!(!test.screen.contains("next, r000007"), "{}", test.screen);
    test.type_text("y\r");
    assert_eq!(test.take_answer().unwrap().request, ids[0]);
    test.screen.clear();
    test.handle_outcome(&ids[0], AnswerOutcome::Accepted(Vec::new()));
    // Only what is open is counted and listed, above the card of the next one.
    let burst = test.screen.find("coder asked 8 times in a minute, 7 wait: P pauses it").unwrap();
    assert!(burst < test.screen.find(&format!("CARD {}", ids[1])).unwrap(), "{}", test.screen);
    assert_eq!(test.screen.matches("  Delete letter").count(), 5, "{}", test.screen);
    assert!(test.screen.contains("  and 1 more; /ls lists them"), "{}", test.screen);
    test.type_text("n\r");
    assert_eq!(test.take_answer().unwrap().request, ids[1]);
    test.handle_outcome(&ids[1], AnswerOutcome::Accepted(Vec::new()));
    test.type_text("P\r");
    assert!(test.tasks.contains(&PromptTask::RunCommand(SlashCommand::Pause("coder".to_owned()))));
    // A minute without a question later it is over.
    test.advance(Duration::from_secs(60));
    test.screen.clear();
    test.type_text("later\r");
    assert!(test.screen.contains(&format!("CARD {}", ids[3])), "{}", test.screen);
    assert!(!test.screen.contains("times in a minute"), "{}", test.screen);
}

#[test]
fn what_an_answer_allowed_is_taken_back_with_one_letter() {
    let mut test = PromptTest::new();
    test.type_text("u\r");
    assert!(test.screen.contains("there is no answer of yours to take back"), "{}", test.screen);
    test.open(one_item(A));
    test.type_text("s\r");
    test.take_answer().unwrap();
    test.handle_outcome(A, AnswerOutcome::Accepted(Vec::new()));
    test.type_text("u\r");
    let command = SlashCommand::RevokeAnswer(A.to_owned());
    assert!(test.tasks.contains(&PromptTask::RunCommand(command)));
}

#[test]
fn nothing_is_written_between_a_card_and_its_prompt() {
    let mut test = PromptTest::with_layout(InputMode::Interactive, compact(80));
    test.open(one_item(A));
    test.advance(QUIET_PERIOD);
    test.screen.clear();
    test.tasks.clear();
    test.open(one_item(B));
    let text = "files.wipe is blocked".to_owned();
    test.handle_event(PromptEvent::NoticeRaised { id: "n1".to_owned(), urgency: "alert", text });
    let lines = vec!["Using session allowlist: git push".to_owned()];
    test.handle_event(PromptEvent::Announced { session: "coder/s1".to_owned(), lines });
    test.handle_event(PromptEvent::ConnectionLost("it ended".to_owned()));
    assert!(!test.screen.contains('\n'), "{:?}", test.screen);
    assert!(test.screen.ends_with("Allow delete letter? (1 more, 3 messages: /m) "));
    assert!(!test.tasks.iter().any(is_notice), "not shown yet");
    test.type_text("/m\r");
    assert!(test.tasks.iter().any(is_notice));
    let card = test.screen.find("CARD").unwrap();
    for said in ["alert n1: files.wipe is blocked", "git push", "lost the daemon"] {
        assert!(test.screen.find(said).unwrap() < card, "{}", test.screen);
    }
    test.type_text("n\r");
    assert_eq!(test.take_answer().unwrap().request, A);
}

fn is_notice(task: &PromptTask) -> bool {
    matches!(task, PromptTask::ReportDelivery { subject: DeliverySubject::Notice(_), .. })
}

#[test]
fn a_note_that_looks_like_a_secret_is_refused() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("n: token=ghp_abcdefghijklmnopqrstuvwxyz0123456789\r");
    assert_eq!(test.take_answer(), None);
    assert!(test.screen.contains("looks like it contains a secret"));
}

#[test]
fn without_a_terminal_cards_are_shown_and_not_answered() {
    let mut test = PromptTest::with_mode(InputMode::DisplayOnly);
    test.open(one_item(A));
    test.open(one_item(B));
    test.type_text("y\r");
    test.type_text("y\r");
    assert_eq!(test.take_answer(), None);
    assert!(test.screen.contains(&format!("CARD {A}")));
    assert!(test.screen.contains(&format!("CARD {B}")));
    assert!(!test.tasks.iter().any(|task| matches!(task, PromptTask::ReportPresence(_))));
}

#[test]
fn presence_is_known_from_keys_and_ends_with_them() {
    let mut test = PromptTest::new();
    let reported = |test: &mut PromptTest| {
        let tasks = test.tasks.drain(..);
        tasks
            .filter_map(|task| match task {
                PromptTask::ReportPresence(presence) => Some(presence),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    test.advance(Duration::from_secs(119));
    assert_eq!(reported(&mut test), []);
    test.advance(Duration::from_secs(1));
    assert_eq!(reported(&mut test), [Presence::Idle]);
    test.advance(Duration::from_secs(800));
    assert_eq!(reported(&mut test), [Presence::Away]);
    test.type_text("\r");
    assert_eq!(reported(&mut test), [Presence::Active]);
    // A restarted daemon does not know the last report.
    test.handle_event(PromptEvent::ConnectionLost("it ended".to_owned()));
    test.handle_event(PromptEvent::ConnectionRestored { open_requests: None });
    assert_eq!(reported(&mut test), [Presence::Active]);
    // Presence ends with the connection, without a report.
    test.send_bytes(b"\x04");
    assert_eq!(reported(&mut test), []);
    assert!(test.prompt.is_finished());
}

#[test]
fn ctrl_c_clears_the_line_and_then_ends_the_prompt_without_an_answer() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    test.type_text("y");
    test.prompt.handle_interrupt();
    test.flush();
    assert!(!test.prompt.is_finished());
    test.prompt.handle_interrupt();
    test.flush();
    assert!(test.prompt.is_finished());
    assert_eq!(test.take_answer(), None);
    assert!(test.screen.contains("1 request stays open, unanswered"));
}

#[test]
fn a_lost_connection_is_reported_once_and_so_is_its_return() {
    let mut test = PromptTest::new();
    test.open(one_item(A));
    for _ in 0..3 {
        test.handle_event(PromptEvent::ConnectionLost("it ended".to_owned()));
    }
    test.handle_event(PromptEvent::ConnectionRestored { open_requests: None });
    assert_eq!(test.screen.matches("lost the daemon").count(), 1);
    assert_eq!(test.screen.matches("the daemon is back").count(), 1);
    test.open(one_item(A));
    assert_eq!(test.screen.matches("CARD").count(), 1, "a known card is not shown again");
    test.handle_event(PromptEvent::ConnectionLost("it ended".to_owned()));
    test.handle_event(PromptEvent::ConnectionRestored { open_requests: Some(Vec::new()) });
    let restored = test.screen.rsplit("the daemon is back; ").next().unwrap_or_default();
    assert!(restored.starts_with("what happened meanwhile is not shown"), "{restored}");
    assert!(test.screen.contains("r0aaaaa is no longer open"));
}

#[test]
fn a_repeated_notice_is_shown_once_a_minute() {
    let mut test = PromptTest::new();
    let notice = |n: usize| PromptEvent::NoticeRaised {
        id: format!("note_{n}"),
        urgency: "alert",
        text: "files.wipe is blocked (coder)".to_owned(),
    };
    (0..5).for_each(|n| test.handle_event(notice(n)));
    assert_eq!(test.screen.matches("files.wipe is blocked").count(), 1);
    test.advance(Duration::from_secs(61));
    test.handle_event(notice(9));
    assert_eq!(test.screen.matches("files.wipe is blocked").count(), 2);
}
