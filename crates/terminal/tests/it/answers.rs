//! What is typed at the desk, and what comes of it.

use crate::cards::{ALL, question};
use countersign_core::model::words::{Choice, Ending, Presence};
use countersign_terminal::{
    Act, Closing, Command, Desk, Erasing, GUARD, Heard, News, Outcome, Question, Then, Told,
};
use std::time::Duration;

const KEY: Duration = Duration::from_millis(100);

struct Table {
    desk: Desk,
    now: Duration,
    /// Everything that was written.
    screen: String,
    acts: Vec<Act>,
}

impl Table {
    fn new() -> Self {
        Self::of(Heard::Typed)
    }

    fn of(heard: Heard) -> Self {
        let mut desk = Desk::new(heard, Erasing::Back);
        let now = Duration::from_secs(1_000);
        desk.begin(now);
        let mut table = Self { desk, now, screen: String::new(), acts: Vec::new() };
        table.settle();
        table.acts.clear();
        table.screen.clear();
        table
    }

    fn settle(&mut self) {
        self.screen.push_str(&self.desk.take_text());
        self.acts.extend(self.desk.take_acts());
        if self.desk.shows() {
            self.desk.shown(self.now);
        }
    }

    fn came(&mut self, news: News) {
        self.desk.came(news, self.now);
        self.settle();
    }

    fn asked(&mut self, question: Question) {
        self.came(News::Asked(Box::new(question)));
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.desk.tick(self.now, self.now);
        self.settle();
    }

    /// Types by hand, after a look at the card.
    fn types(&mut self, text: &str) {
        self.pass(GUARD);
        for letter in text.chars() {
            self.now += KEY;
            let mut bytes = [0; 4];
            let bytes = letter.encode_utf8(&mut bytes).as_bytes();
            self.desk.typed(bytes, self.now - KEY / 2, self.now);
            self.settle();
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.now += KEY;
        self.desk.typed(bytes, self.now - KEY / 2, self.now);
        self.settle();
    }

    /// The one answer that was given; none if there is none.
    fn answer(&mut self) -> Option<Told> {
        let told: Vec<Told> = self.acts.drain(..).filter_map(told).collect();
        assert!(told.len() < 2, "{told:?}");
        told.into_iter().next()
    }

    fn chosen(&mut self) -> Option<Choice> {
        self.answer().map(|told| told.choices[0].1)
    }

    fn settled(&mut self, request: &str, outcome: Outcome) {
        self.desk.settled(request, outcome);
        self.settle();
    }
}

fn told(act: Act) -> Option<Told> {
    match act {
        Act::Answer(told) => Some(told),
        _ => None,
    }
}

fn plain(id: &str) -> Question {
    question(id, "coder", &[("files.write", ALL)], None)
}

const A: &str = "req_000000000000000000000000000aaaaa";
const B: &str = "req_000000000000000000000000000bbbbb";

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
        let mut table = Table::new();
        table.asked(plain(A));
        table.types(&format!("{text}\r"));
        let told = table.answer().unwrap();
        assert_eq!((told.request.as_str(), told.digest.as_str()), (A, "012345…6789ab"));
        assert_eq!(told.choices, [("files.write".to_owned(), choice)], "{text}");
        assert_eq!((told.confirm, told.then), (None, Then::GoOn));
    }
}

#[test]
fn a_no_takes_words_along_and_can_stop() {
    let mut table = Table::new();
    table.asked(plain(A));
    table.types("n: use staging\r");
    let told = table.answer().unwrap();
    assert_eq!((told.choices[0].1, told.note.as_str()), (Choice::Decline, "use staging"));
    let mut table = Table::new();
    table.asked(plain(A));
    table.types("decline and stop: enough\r");
    let told = table.answer().unwrap();
    assert_eq!((told.then, told.note.as_str()), (Then::Stop, "enough"));
}

#[test]
fn what_was_typed_before_the_card_answers_nothing() {
    let mut table = Table::new();
    table.types("y");
    table.asked(plain(A));
    table.types("\r");
    assert_eq!(table.answer(), None);
    // The same while it still waits for the keys to be still.
    table.asked(plain(B));
    table.settled(A, Outcome::Over("gone".to_owned()));
    table.bytes(b"y");
    table.bytes(b"\r");
    assert_eq!(table.answer(), None);
    table.types("y\r");
    assert_eq!(table.answer().unwrap().request, B);
}

#[test]
fn the_rest_of_a_word_that_was_begun_before_is_nothing() {
    let mut table = Table::new();
    table.types("l");
    table.asked(plain(A));
    table.types("s\r");
    assert_eq!(table.answer(), None);
    assert!(table.screen.contains("you were typing when this was shown"), "{}", table.screen);
    table.types("s\r");
    assert_eq!(table.chosen(), Some(Choice::Session));
}

#[test]
fn enter_alone_decides_nothing_however_often() {
    let mut table = Table::new();
    table.asked(plain(A));
    (0..20).for_each(|_| table.types("\r"));
    assert_eq!(table.answer(), None);
    assert_eq!(table.screen.matches("Enter alone decides nothing").count(), 1);
}

#[test]
fn what_is_pasted_is_nothing_with_brackets_or_without() {
    for pasted in [&b"\x1b[200~y\r\x1b[201~"[..], b"y\r", b"\x1b[200~y\x1b[201~"] {
        let mut table = Table::new();
        table.asked(plain(A));
        table.pass(GUARD);
        table.bytes(pasted);
        table.types("\r");
        assert_eq!(table.answer(), None, "{pasted:?}");
        table.types("y\r");
        assert_eq!(table.chosen(), Some(Choice::Once));
    }
}

#[test]
fn a_line_into_which_something_was_pasted_is_nothing() {
    let mut table = Table::new();
    table.asked(plain(A));
    table.types("n: see ");
    table.bytes(b"\x1b[200~https://example.org\x1b[201~");
    table.types("\r");
    assert_eq!(table.answer(), None);
    assert!(table.screen.contains("that was pasted; an answer is typed"));
}

#[test]
fn an_unclear_reply_is_asked_once_more_and_then_a_no() {
    let mut table = Table::new();
    table.asked(plain(A));
    table.types("ok\r");
    assert_eq!(table.answer(), None);
    assert!(table.screen.contains("`ok` is no answer"), "{}", table.screen);
    table.types("sure\r");
    assert_eq!(table.chosen(), Some(Choice::Decline));
}

#[test]
fn what_is_not_offered_is_refused_and_stays_open() {
    let mut table = Table::new();
    table.asked(question(A, "coder", &[("files.write", &["once", "decline"])], None));
    for word in ["p", "s", "task", "p"] {
        table.types(&format!("{word}\r"));
    }
    assert_eq!(table.answer(), None);
    assert!(table.screen.contains("project is not offered here, only once, decline"));
    table.types("y\r");
    assert_eq!(table.chosen(), Some(Choice::Once));
}

#[test]
fn something_critical_needs_its_field_typed() {
    let once: &[&str] = &["once!", "decline"];
    let mut table = Table::new();
    table.asked(question(A, "coder", &[("bank.pay", once)], Some("4200")));
    for word in ["y", "once", "yes"] {
        table.types(&format!("{word}\r"));
    }
    assert_eq!(table.answer(), None);
    table.types("4200\r");
    let told = table.answer().unwrap();
    assert_eq!((told.choices[0].1, told.confirm.as_deref()), (Choice::Once, Some("4200")));
    let mut table = Table::new();
    table.asked(question(A, "coder", &[("bank.pay", once)], Some("4200")));
    table.types("once 4200\r");
    assert_eq!(table.chosen(), Some(Choice::Once));
    let mut table = Table::new();
    table.asked(question(A, "coder", &[("files.wipe", once)], Some("/srv/a")));
    table.types("/srv/a\r");
    assert_eq!(table.chosen(), Some(Choice::Once));
}

#[test]
fn a_field_that_is_itself_a_word_needs_more_than_that_word() {
    for word in ["y", "yes", "once", "/help"] {
        let mut table = Table::new();
        table.asked(question(A, "coder", &[("bank.pay", &["once!", "decline"])], Some(word)));
        table.types(&format!("{word}\r"));
        assert_eq!(table.answer(), None, "{word}");
        table.types(&format!("once {word}\r"));
        assert_eq!(table.chosen(), Some(Choice::Once), "{word}");
    }
    let mut table = Table::new();
    table.asked(question(A, "coder", &[("bank.pay", &["once!", "decline"])], Some("n")));
    table.types("n\r");
    assert_eq!(table.chosen(), Some(Choice::Decline));
}

#[test]
fn a_whole_project_at_high_risk_is_confirmed_a_second_time() {
    let high: &[&str] = &["once", "15m", "session", "project!", "decline"];
    let mut table = Table::new();
    table.asked(question(A, "coder", &[("servers.stop", high)], None));
    table.types("p\r");
    assert_eq!(table.answer(), None);
    table.types("p\r");
    assert_eq!(table.answer(), None, "only a yes confirms");
    table.types("p\r");
    table.types("yes\r");
    let told = table.answer().unwrap();
    assert_eq!((told.choices[0].1, told.confirm.as_deref()), (Choice::Project, Some("yes")));
}

#[test]
fn several_things_on_one_card_are_answered_one_by_one() {
    let mut table = Table::new();
    let items: &[(&str, &[&str])] = &[("files.write", ALL), ("files.read", &["once", "decline"])];
    table.asked(question(A, "coder", items, None));
    table.types("s\r");
    assert_eq!(table.answer(), None);
    table.types("n: not that\r");
    let told = table.answer().unwrap();
    let chosen = [("files.write", Choice::Session), ("files.read", Choice::Decline)];
    assert_eq!(told.choices, chosen.map(|(action, choice)| (action.to_owned(), choice)));
    assert_eq!(told.note, "not that");
}

#[test]
fn one_question_after_the_other_and_each_is_shown_before_it_is_answered() {
    let mut table = Table::new();
    table.asked(plain(A));
    table.asked(plain(B));
    assert!(table.screen.contains(&format!("CARD {A}")));
    assert!(!table.screen.contains(&format!("CARD {B}")));
    assert!(table.screen.contains("waits behind this, 0bbbbb: coder asks."), "{}", table.screen);
    table.types("y 0bbbbb\r");
    assert_eq!(table.answer(), None, "it has only been shown now");
    assert!(table.screen.contains(&format!("CARD {B}")));
    table.types("y 0bbbbb\r");
    assert_eq!(table.answer().unwrap().request, B);
    table.settled(B, Outcome::Taken(Vec::new()));
    table.types("n\r");
    assert_eq!(table.answer().unwrap().request, A);
}

#[test]
fn a_yes_that_something_came_into_is_typed_again_and_a_no_is_not() {
    let mut table = Table::new();
    table.asked(plain(A));
    table.types("y");
    table.asked(plain(B));
    table.types("\r");
    assert_eq!(table.answer(), None);
    table.types("n: use");
    let text = "files.wipe is blocked".to_owned();
    table.came(News::Told { id: "note_1".to_owned(), urgency: "alert", text });
    assert!(table.screen.ends_with("answer 0aaaaa, y is once: n: use"), "{}", table.screen);
    table.bytes(b"\x1b[I");
    table.types(" ");
    assert!(table.screen.ends_with("answer 0aaaaa, y is once: n: use "), "{}", table.screen);
    table.types("it\r");
    assert_eq!(table.answer().unwrap().note, "use it");
}

#[test]
fn what_ends_elsewhere_says_so_and_takes_the_half_typed_line_along() {
    let closing = |ending, surface: Option<&str>| {
        News::Closed(Closing {
            request: A.to_owned(),
            ending: Some(ending),
            surface: surface.map(str::to_owned),
            at: "2026-01-05T09:10:00Z".to_owned(),
        })
    };
    let mut table = Table::new();
    table.asked(plain(A));
    table.asked(plain(B));
    table.types("y");
    table.came(closing(Ending::Approved, Some("phone")));
    assert!(
        table.screen.contains("0aaaaa was answered on phone at 2026-01-05T09:10:00Z: approved")
    );
    table.types("\r");
    assert_eq!(table.answer(), None);
    let mut table = Table::new();
    table.asked(plain(A));
    table.came(closing(Ending::Expired, None));
    assert!(table.screen.contains("0aaaaa expired at 2026-01-05T09:10:00Z; nothing was allowed"));
    table.types("y\r");
    assert_eq!(table.answer(), None);
}

#[test]
fn a_card_that_changes_is_shown_again_and_answered_as_it_is_now() {
    let mut table = Table::new();
    table.asked(plain(A));
    table.types("y");
    let question = question(A, "coder", &[("files.write", ALL)], None);
    table.asked(Question { digest: "ffffff…ffffff".to_owned(), ..question });
    table.types("\r");
    assert_eq!(table.answer(), None);
    table.types("y\r");
    assert_eq!(table.answer().unwrap().digest, "ffffff…ffffff");
}

#[test]
fn an_answer_that_was_not_taken_leaves_the_question_where_it_is() {
    let mut table = Table::new();
    table.asked(plain(A));
    table.types("y\r");
    table.answer().unwrap();
    table.settled(A, Outcome::Refused("no daemon answers".to_owned()));
    assert!(table.screen.contains("no daemon answers; the request stays open"));
    table.types("y\r");
    assert_eq!(table.answer().unwrap().request, A);
}

#[test]
fn more_than_five_questions_in_a_minute_are_one_card_that_pauses_first() {
    let mut table = Table::new();
    let ids: Vec<String> = (1..=8).map(|n| format!("req_{n:032x}")).collect();
    ids.iter().for_each(|id| table.asked(plain(id)));
    let all = table.screen.find("coder asked 6 times in a minute").expect(&table.screen);
    let pause = table.screen.find("choice pause:").unwrap();
    assert!(all < pause && pause < table.screen.find("choice review:").unwrap());
    assert!(!table.screen.contains("waits behind this, 000007"), "{}", table.screen);
    for word in ["y", "s", "n", "x"] {
        table.types(&format!("{word}\r"));
    }
    assert_eq!(table.answer(), None);
    table.types("pause\r");
    assert!(table.acts.contains(&Act::Command(Command::Pause("coder".to_owned()))));
    table.desk.answered(&["coder is paused".to_owned()]);
    table.settle();
    table.types("y\r");
    assert_eq!(table.answer().unwrap().request, ids[0]);
}

#[test]
fn a_note_that_looks_like_a_secret_goes_nowhere() {
    let mut table = Table::new();
    table.asked(plain(A));
    table.types("n: token=ghp_abcdefghijklmnopqrstuvwxyz0123456789\r");
    assert_eq!(table.answer(), None);
    assert!(table.screen.contains("looks like it holds a secret"));
}

#[test]
fn without_a_terminal_everything_is_shown_and_nothing_answered() {
    let mut table = Table::of(Heard::Nothing);
    table.asked(plain(A));
    table.asked(plain(B));
    table.types("y\r");
    table.types("y\r");
    assert_eq!(table.answer(), None);
    assert!(table.screen.contains(&format!("CARD {A}")));
    assert!(table.screen.contains(&format!("CARD {B}")));
    assert!(!table.acts.iter().any(|act| matches!(act, Act::Presence(_))));
}

#[test]
fn presence_is_known_from_keys_and_ends_with_them() {
    let mut table = Table::new();
    let said = |table: &mut Table| {
        let acts = table.acts.drain(..);
        acts.filter_map(|act| match act {
            Act::Presence(presence) => Some(presence),
            _ => None,
        })
        .collect::<Vec<_>>()
    };
    table.pass(Duration::from_secs(119));
    assert_eq!(said(&mut table), []);
    table.pass(Duration::from_secs(1));
    assert_eq!(said(&mut table), [Presence::Idle]);
    table.pass(Duration::from_secs(800));
    assert_eq!(said(&mut table), [Presence::Away]);
    table.types("\r");
    assert_eq!(said(&mut table), [Presence::Active]);
    // Whoever was told may be gone.
    table.came(News::Lost("it ended".to_owned()));
    table.came(News::Back { open: None });
    assert_eq!(said(&mut table), [Presence::Active]);
    // A word ends with its surface.
    table.bytes(b"\x04");
    assert_eq!(said(&mut table), []);
    assert!(table.desk.is_over());
}

#[test]
fn ctrl_c_clears_a_line_and_then_ends_and_neither_is_an_answer() {
    let mut table = Table::new();
    table.asked(plain(A));
    table.types("y");
    table.desk.interrupted();
    table.settle();
    assert!(!table.desk.is_over());
    table.desk.interrupted();
    table.settle();
    assert!(table.desk.is_over());
    assert_eq!(table.answer(), None);
    assert!(table.screen.contains("1 request stays open, unanswered"));
}

#[test]
fn a_lost_daemon_is_told_once_and_so_is_its_return() {
    let mut table = Table::new();
    table.asked(plain(A));
    for _ in 0..3 {
        table.came(News::Lost("it ended".to_owned()));
    }
    table.came(News::Back { open: None });
    assert_eq!(table.screen.matches("lost the daemon").count(), 1);
    assert_eq!(table.screen.matches("the daemon is back").count(), 1);
    table.asked(plain(A));
    assert_eq!(table.screen.matches("CARD").count(), 1, "what is known is not shown again");
    table.came(News::Lost("it ended".to_owned()));
    table.came(News::Back { open: Some(Vec::new()) });
    assert!(table.screen.contains("0aaaaa is no longer open"));
}

#[test]
fn what_repeats_is_told_once_a_minute() {
    let mut table = Table::new();
    let told = |n: usize| News::Told {
        id: format!("note_{n}"),
        urgency: "alert",
        text: "files.wipe is blocked (coder)".to_owned(),
    };
    (0..5).for_each(|n| table.came(told(n)));
    assert_eq!(table.screen.matches("files.wipe is blocked").count(), 1);
    table.pass(Duration::from_secs(61));
    table.came(told(9));
    assert_eq!(table.screen.matches("files.wipe is blocked").count(), 2);
}
