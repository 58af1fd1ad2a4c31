//! What the screen shows, at several sizes.

use crate::cards::{ALL, WIDER, field, question};
use crate::display::layout;
use crate::emulator::Emulator;
use countersign_card::{CardEffect, CardUndo, DisplayText, EffectWeight};
use countersign_core::model::time::Time;
use countersign_core::model::words::Risk;
use countersign_inbox::FullScreen;
use countersign_terminal::{
    Colours, Console, InputStatus, PanelLine, Prompt, PromptEvent, PromptQuestion, PromptTask,
    QUIET_PERIOD,
};
use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::BorrowedFd;
use std::rc::Rc;
use std::time::Duration;

/// Collects what is written.
#[derive(Clone, Default)]
struct Paper {
    written: Rc<RefCell<String>>,
}

impl Console for Paper {
    fn write(&mut self, text: &str) -> io::Result<()> {
        self.written.borrow_mut().push_str(text);
        Ok(())
    }

    fn read_available(&mut self, _buffer: &mut Vec<u8>) -> io::Result<InputStatus> {
        Ok(InputStatus::Open)
    }

    fn release(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn acquire(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn input_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

struct ScreenTest {
    prompt: Prompt,
    screen: Option<FullScreen<Paper>>,
    paper: Paper,
    size: Rc<Cell<(u16, u16)>>,
    emulator: Emulator,
    now: Duration,
    tasks: Vec<PromptTask>,
}

impl ScreenTest {
    fn new(columns: u16, rows: u16) -> Self {
        Self::with_colours(columns, rows, Colours::Absent)
    }

    fn with_colours(columns: u16, rows: u16, colours: Colours) -> Self {
        let (paper, size) = (Paper::default(), Rc::new(Cell::new((columns, rows))));
        let shared = Rc::clone(&size);
        let screen =
            FullScreen::open(paper.clone(), Box::new(move || shared.get()), layout(colours));
        let mut prompt = Prompt::on_full_screen(layout(colours));
        let now = Duration::from_secs(1_000);
        prompt.start(now);
        let emulator = Emulator::new(columns, rows);
        let screen = Some(screen.unwrap());
        let mut test = Self { prompt, screen, paper, size, emulator, now, tasks: Vec::new() };
        test.flush();
        test
    }

    /// What the driver does, with tasks that are only collected.
    fn flush(&mut self) {
        self.screen.as_mut().unwrap().show(&mut self.prompt).unwrap();
        let written = std::mem::take(&mut *self.paper.written.borrow_mut());
        self.emulator.write(&written).unwrap();
        self.tasks.extend(self.prompt.take_tasks());
        if self.prompt.has_unshown_question() {
            self.prompt.mark_shown(self.now);
        }
    }

    fn open(&mut self, question: PromptQuestion) {
        self.handle_event(PromptEvent::RequestOpened(Box::new(question)));
    }

    fn handle_event(&mut self, event: PromptEvent) {
        self.prompt.handle_event(event, self.now);
        self.flush();
    }

    fn rest(&mut self) {
        self.now += QUIET_PERIOD;
        self.prompt.tick(self.now, self.now);
        self.flush();
    }

    fn press(&mut self, bytes: &[u8]) {
        self.now += Duration::from_millis(100);
        let since = self.now - Duration::from_millis(50);
        self.prompt.handle_input(bytes, since, self.now);
        self.flush();
    }

    /// After the quiet period.
    fn type_text(&mut self, text: &str) {
        self.rest();
        text.bytes().for_each(|byte| self.press(&[byte]));
    }

    fn answers(&mut self) -> Vec<(String, String)> {
        let answer = |task| match task {
            PromptTask::SendAnswer(answer) => {
                Some((answer.request, answer.choices[0].1.to_string()))
            }
            _ => None,
        };
        self.tasks.drain(..).filter_map(answer).collect()
    }

    fn screen(&self) -> String {
        self.emulator.lines().join("\n")
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.size.set((columns, rows));
        self.emulator.resize(columns, rows);
        self.prompt.handle_resize();
        self.flush();
    }
}

const A: &str = "r3e22a1019b8d16e8e070008000000000";
const B: &str = "r77aa01019b8d16e8e070008000000000";
const C: &str = "r91c0de019b8d16e8e070008000000000";

fn text(text: &str) -> DisplayText {
    DisplayText::from_untrusted(text)
}

fn push() -> PromptQuestion {
    let mut asked = question(
        A,
        "claude",
        &[("git.push", &["once", "15m", "session", "project!", "decline"])],
        None,
    );
    let card = &mut asked.view.card;
    (card.risk, card.undo) = (Risk::High, CardUndo::Irreversible);
    card.headline = text("Run git push origin main");
    card.exact = vec![field("command", "git push origin main")];
    let weight = EffectWeight::Destination;
    card.effects =
        vec![CardEffect { does: "sends commits to".into(), what: text("origin"), weight }];
    card.who.extend([
        field("project", "shop"),
        field("tool", "Bash"),
        field("folder", "/home/ada/src/shop"),
    ]);
    card.news = vec![text("first time to this remote")];
    card.claims = vec![field("reason", "others are waiting")];
    card.why = vec![text("pushing commits is of high risk, and you haven't allowed it yet")];
    asked
}

fn tests() -> PromptQuestion {
    let mut asked = question(B, "codex", &[("test.run", WIDER)], None);
    let card = &mut asked.view.card;
    card.headline = text("Run the tests: cargo test -q");
    card.exact = vec![field("command", "cargo test -q")];
    card.news.clear();
    card.opened_at = Time::parse("2026-01-05T08:57:00Z").unwrap();
    asked
}

fn payment() -> PromptQuestion {
    let mut asked = question(C, "books", &[("bank.pay", &["once", "decline"])], Some("42.00"));
    let card = &mut asked.view.card;
    card.undo = CardUndo::Irreversible;
    (card.risk, card.headline) = (Risk::Critical, text("Pay 42.00 USD to Acme Hosting"));
    card.news = vec![text("first payment to Acme Hosting")];
    asked
}

fn evening(columns: u16, rows: u16) -> ScreenTest {
    let mut test = ScreenTest::new(columns, rows);
    for asked in [push(), tests(), payment()] {
        test.open(asked);
    }
    test.rest();
    test
}

#[test]
fn the_screen_at_several_sizes() {
    for (columns, rows) in [(60, 16), (80, 24), (120, 40)] {
        let test = evening(columns, rows);
        insta::assert_snapshot!(format!("inbox_{columns}x{rows}"), test.screen());
    }
}

#[test]
fn the_details_of_a_card_and_the_other_screens() {
    let mut test = evening(80, 24);
    test.press(b"w");
    insta::assert_snapshot!("why", test.screen());
    test.press(b"\x1b[B");
    test.rest();
    test.press(b"e");
    insta::assert_snapshot!("coverage", test.screen());
    test.rest();
    test.press(b"?");
    insta::assert_snapshot!("keys", test.screen());
    test.press(b"q");
    test.press(b"\x1b[B");
    test.rest();
    insta::assert_snapshot!("critical", test.screen());
    test.press(b"\t");
    assert!(test.tasks.contains(&PromptTask::FetchOverview));
    test.prompt.show_overview(vec![
        PanelLine::Heading("Agents at work".to_owned()),
        PanelLine::Text("  claude in shop".to_owned()),
    ]);
    test.flush();
    insta::assert_snapshot!("overview", test.screen());
}

#[test]
fn the_selected_card_is_answered_and_no_other() {
    let mut test = evening(80, 24);
    test.type_text("y\r");
    assert_eq!(test.answers(), [(A.to_owned(), "once".to_owned())]);
    let mut test = evening(80, 24);
    test.press(b"\x1b[B");
    // The selection has just changed.
    test.press(b"y");
    test.press(b"\r");
    assert_eq!(test.answers(), []);
    test.type_text("n: not now\r");
    assert_eq!(test.answers(), [(B.to_owned(), "decline".to_owned())]);
}

#[test]
fn a_word_that_is_half_typed_when_the_selection_changes_answers_nothing() {
    let mut test = evening(80, 24);
    test.type_text("y");
    test.press(b"\x1b[B");
    test.type_text("\r");
    test.type_text("es\r");
    assert_eq!(test.answers(), []);
}

#[test]
fn every_row_of_a_card_is_seen_before_a_yes() {
    let mut long = push();
    let lines: Vec<String> = (1..40).map(|n| format!("line {n}")).collect();
    long.view.card.exact = lines.iter().map(|line| field("file", line)).collect();
    let mut test = ScreenTest::new(80, 24);
    test.open(long);
    let is_reported = |test: &ScreenTest| {
        test.tasks.iter().any(|task| matches!(task, PromptTask::ReportDelivery { .. }))
    };
    assert!(!is_reported(&test), "a part was drawn");
    test.type_text("y\r");
    assert_eq!(test.answers(), []);
    assert!(test.screen().contains("PgDn shows the rest"), "{}", test.screen());
    for _ in 0..6 {
        test.press(b"\x1b[6~");
    }
    assert!(is_reported(&test));
    test.press(b"y");
    test.press(b"\r");
    assert_eq!(test.answers(), [], "other rows have just appeared");
    test.type_text("y\r");
    assert_eq!(test.answers().len(), 1);
}

#[test]
fn nothing_can_be_answered_while_something_covers_the_card() {
    let mut test = evening(80, 24);
    test.press(b"v");
    assert!(test.tasks.contains(&PromptTask::ShowWhole(A.to_owned())));
    test.prompt.show_whole(A, (0..50).map(|n| format!("line {n}")).collect());
    test.flush();
    assert_eq!(test.emulator.card_id(), None);
    assert!(!test.tasks.contains(&PromptTask::ReportWhole(A.to_owned())));
    test.type_text("yes\r");
    assert_eq!(test.answers(), []);
    test.rest();
    test.press(b"v");
    test.prompt.show_whole(A, (0..50).map(|n| format!("line {n}")).collect());
    test.flush();
    (0..4).for_each(|_| test.press(b" "));
    assert!(test.tasks.contains(&PromptTask::ReportWhole(A.to_owned())));
    test.press(b"q");
    assert_eq!(test.emulator.card_id().as_deref(), Some("r3e22a1"));
}

#[test]
fn a_burst_is_said_while_it_lasts_and_its_calls_stay() {
    let mut test = ScreenTest::new(80, 24);
    let ids: Vec<String> = (1..=7).map(|n| format!("r{n:06x}{:026}", 0)).collect();
    ids.iter().for_each(|id| test.open(question(id, "coder", &[("files.write", ALL)], None)));
    test.rest();
    insta::assert_snapshot!("burst", test.screen());
    test.type_text("n\r");
    assert_eq!(test.answers(), [(ids[0].clone(), "decline".to_owned())]);
    test.prompt.handle_outcome(&ids[0], countersign_terminal::AnswerOutcome::Accepted(Vec::new()));
    test.flush();
    assert!(test.screen().contains("6 wait: P pauses it"), "{}", test.screen());
    test.now += Duration::from_secs(60);
    test.rest();
    assert!(!test.screen().contains("pauses it"), "{}", test.screen());
}

#[test]
fn a_small_window_shows_a_sentence_and_takes_no_yes() {
    let mut test = evening(80, 24);
    test.resize(50, 10);
    assert!(test.screen().contains("3 calls wait."), "{}", test.screen());
    test.type_text("y\r");
    assert_eq!(test.answers(), []);
    test.resize(80, 24);
    test.type_text("y\r");
    assert_eq!(test.answers().len(), 1);
}

#[test]
fn messages_have_a_line_of_their_own_and_search_selects() {
    let mut test = evening(80, 24);
    let text = "files.wipe is blocked".to_owned();
    test.handle_event(PromptEvent::NoticeRaised { id: "n1".to_owned(), urgency: "alert", text });
    assert_eq!(test.emulator.lines()[1], " alert n1: files.wipe is blocked · /m");
    test.type_text("/acme\r");
    assert_eq!(test.emulator.card_id().as_deref(), Some("r91c0de"));
    test.type_text("/m\r");
    assert!(test.screen().contains("Messages"), "{}", test.screen());
    test.press(b"\x1b");
    test.rest();
    assert_eq!(test.emulator.card_id().as_deref(), Some("r91c0de"), "Escape closes it");
}

#[test]
fn the_terminal_is_left_as_it_was() {
    let mut test = evening(80, 24);
    assert_eq!(test.emulator.title, "(3) countersign");
    assert!(test.emulator.is_other_screen);
    drop(test.screen.take());
    let written = test.paper.written.borrow().clone();
    test.emulator.write(&written).unwrap();
    assert!(!test.emulator.is_other_screen && test.emulator.is_cursor_shown);
    assert!(written.ends_with("\x1b[23;2t"), "the title is the one from before: {written:?}");
}
