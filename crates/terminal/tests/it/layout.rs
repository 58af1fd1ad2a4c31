//! Cards as the compact layout draws them.

use crate::cards::{ALL, WIDER, card, field};
use crate::fuzz::SeededRng;
use countersign_api::CardView;
use countersign_card::{
    CardEffect, CardField, CardLine, CardProgram, CardUndo, DisplayText, EffectWeight, LeftOut,
    PinnedFor, ProgramPresence,
};
use countersign_core::model::time::Time;
use countersign_core::model::words::Risk;
use countersign_terminal::{CardLayout, Colours, CompactLayout};
use unicode_width::UnicodeWidthStr;

const ID: &str = "r3e22a1019b8d16e8e070008000000000";

fn text(text: &str) -> DisplayText {
    DisplayText::from_untrusted(text)
}

fn layout(width: usize, colours: Colours) -> CardLayout {
    CardLayout::Compact(CompactLayout {
        width,
        now: Time::parse("2026-01-05T09:00:00Z").unwrap(),
        home: Some("/home/ada".to_owned()),
        colours,
    })
}

fn draw(view: &CardView, width: usize) -> String {
    layout(width, Colours::Absent).render(view, "r3e22a1").join("\n")
}

fn effect(does: &'static str, what: DisplayText) -> CardEffect {
    CardEffect { does: does.into(), what, weight: EffectWeight::Ordinary }
}

#[test]
fn a_danger_has_a_line_of_its_own_that_stands_out() {
    let mut view = push();
    let danger = effect("deletes", text("your home folder"));
    view.card.effects.push(CardEffect { weight: EffectWeight::Danger, ..danger });
    let plain = draw(&view, 80);
    assert!(plain.contains("\n  danger: deletes your home folder\n"), "{plain}");
    let painted = layout(80, Colours::Shown).render(&view, "r3e22a1").join("\n");
    assert!(painted.contains("\x1b[1;31m  danger: deletes your home folder\x1b[0m"), "{painted}");
}

/// A push, as `countersign run` asks for it.
fn push() -> CardView {
    let offers: &[&str] = &["once", "15m", "session", "project!", "decline"];
    let mut view = card(ID, "claude", &[("git.push", offers)], None);
    let card = &mut view.card;
    (card.risk, card.undo) = (Risk::High, CardUndo::Irreversible);
    card.headline = text("git push origin main");
    card.exact = vec![field("command", "git push origin main")];
    let weight = EffectWeight::Destination;
    card.effects = vec![CardEffect { weight, ..effect("sends commits to", text("origin")) }];
    card.who.extend([
        field("project", "shop"),
        field("tool", "Bash"),
        field("folder", "/home/ada/src/shop"),
        field("started by", "agent"),
    ]);
    card.news = vec![text("no list of the graph names this")];
    card.claims = vec![field("reason", "others are waiting"), field("if not", "I tell them")];
    card.why = vec![text("git.push is of high risk, and you haven't allowed it yet")];
    view
}

#[test]
fn a_card_for_a_one_line_call_takes_at_most_ten_lines() {
    let drawn = draw(&push(), 80);
    assert_eq!(
        drawn,
        "\
!! HIGH  can't be undone
  | git push origin main
  effect: sends commits to origin
  asked by   claude in shop
  new        no list of the graph names this
  15m, s, p  allow files.write, whatever it is done to
Allow?  y once   15m   s session   p project   n no   ? more   v all   w why
  claude says     \"others are waiting\"
  if no, it says  \"I tell them\"
  in  ~/src/shop · r3e22a1 · 012345…6789ab · 2 h left · session s1 · tool Bash"
    );
    assert!(drawn.lines().count() <= 10, "{drawn}");
}

/// A test run of a class, from a program that the agent could replace.
fn test_run() -> CardView {
    let mut view = card(ID, "claude", &[("test.run", WIDER)], None);
    let card = &mut view.card;
    card.headline = text("Run the tests: cargo test -q");
    card.exact = vec![field("command", "cargo test -q")];
    card.effects = vec![effect("runs", text("cargo"))];
    card.who.extend([field("project", "shop"), field("folder", "/home/ada/src/shop")]);
    card.news.clear();
    card.why = vec![text("you haven't allowed test.run yet")];
    for offer in &mut card.items[0].offers {
        offer.spared = match offer.covers.map(|covers| covers.word()) {
            Some("head") => 1,
            Some("actions") => 4,
            _ => 0,
        };
    }
    view
}

#[test]
fn the_wider_choices_of_a_command_take_one_line() {
    let drawn = draw(&test_run(), 80);
    assert_eq!(
        drawn,
        "\
! MODERATE
  Run the tests
  | cargo test -q
  effect: runs cargo
  asked by   claude in shop
  15m, s, p  allow files.write, whatever it is done to
Allow?  y once   15m   s session   p project   n no   ? more   v all   w why
  in  ~/src/shop · r3e22a1 · 012345…6789ab · 2 h left · session s1"
    );
}

#[test]
fn a_program_is_shown_with_its_hash_and_what_a_yes_does() {
    let mut view = push();
    let program = |path: &str, sha256: Option<&str>, pinned_for| CardProgram {
        path: text(path),
        sha256: sha256.map(str::to_owned),
        presence: ProgramPresence::Found,
        pinned_for,
    };
    view.card.programs = vec![
        program("/home/ada/.cargo/bin/rg", Some("1a2b3c…9f8e7d"), PinnedFor::Project),
        program("/opt/x", None, PinnedFor::Nothing),
    ];
    view.card.items[0].only_once = Some(text("it runs code that its words don't show"));
    let drawn = draw(&view, 100);
    for line in [
        "  program    ~/.cargo/bin/rg (sha256 1a2b3c…9f8e7d), which the agent could replace; a yes",
        "  program    /opt/x, which the agent could replace and nobody can read; a yes is for this",
        "  only once  because it runs code that its words don't show",
    ] {
        assert!(drawn.contains(line), "{drawn}");
    }
}

#[test]
fn a_narrow_window_shows_the_same() {
    assert_eq!(
        draw(&push(), 40),
        "\
!! HIGH  can't be undone
  | git push origin main
  effect: sends commits to origin
  asked by  claude in shop
  new  no list of the graph names this
  15m, s, p  allow files.write,\x20
  > whatever it is done to
Allow?  y once  15m  s session
  p project  n no  ? more  v all  w why
  claude says  \"others are waiting\"
  if no, it says  \"I tell them\"
  in  ~/src/shop · r3e22a1 ·\x20
  > 012345…6789ab · 2 h left"
    );
}

#[test]
fn a_critical_card_says_what_to_type_and_has_its_own_shape() {
    let mut view = card(ID, "claude", &[("bank.pay", &["once!", "decline"])], Some("42.00"));
    (view.card.risk, view.card.undo) = (Risk::Critical, CardUndo::Irreversible);
    view.card.headline = text("Pay 42.00 to acme");
    view.card.exact = vec![field("amount", "42.00"), field("payee", "acme")];
    view.card.news.clear();
    assert_eq!(
        draw(&view, 80),
        "\
!!! CRITICAL  can't be undone
  Pay 42.00 to acme
  amount    42.00
  payee     acme
  asked by  claude
  to allow  type the amount: 42.00
Allow?  type the amount   n no   ? more   v all   w why
  r3e22a1 · 012345…6789ab · 2 h left · session s1"
    );
}

#[test]
fn scripts_and_changes_are_blocks_in_which_each_line_is_marked() {
    let mut view = push();
    view.card.headline = text("Run a script");
    let lines = [
        CardLine::Text(text("set -e")),
        CardLine::Text(text("Allow?  y once")),
        CardLine::LeftOut(text("363 more lines")),
        CardLine::Text(text("echo done")),
    ];
    let change =
        [CardLine::Text(text("a")), CardLine::Removed(text("b")), CardLine::Added(text("c"))];
    let named = |name: &str, lines: &[CardLine]| CardField {
        name: text(name),
        lines: lines.to_vec(),
        left_out: LeftOut::default(),
    };
    view.card.exact = vec![named("command", &lines), named("change", &change)];
    let drawn = draw(&view, 80);
    assert!(
        drawn.contains(
            "\n  Run a script\n  | set -e\n  | Allow?  y once\n  ... 363 more lines ...\n  | echo done\n  change\n  |   a\n  | - b\n  | + c\n"
        ),
        "{drawn}"
    );
}

#[test]
fn colours_only_add_to_words_and_shapes() {
    let coloured = layout(80, Colours::Shown).render(&push(), "r3e22a1").join("\n");
    assert!(coloured.starts_with("\u{1b}[1;31m!! HIGH\u{1b}[0m  can't be undone"), "{coloured}");
    // The command is strong, its destination has a colour of its own, keys stand out, and what the
    // agent says is dim.
    for part in [
        "\u{1b}[1m  | git push origin main\u{1b}[0m",
        "to \u{1b}[1;36morigin\u{1b}[0m",
        "\u{1b}[1;4ms\u{1b}[0m session",
        "\u{1b}[2m  claude says",
        "\u{1b}[2m  in  ~/src/shop",
    ] {
        assert!(coloured.contains(part), "{part:?} is not in {coloured:?}");
    }
    let mut plain = coloured;
    for code in ["1;31", "1;36", "1;4", "1", "2", "0"] {
        plain = plain.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(plain, draw(&push(), 80));
}

#[test]
fn a_choice_that_needs_no_phrase_gets_none() {
    let mut view = push();
    view.card.items[0].offers.retain(|offer| matches!(offer.choice.word(), "once" | "decline"));
    let drawn = draw(&view, 80);
    assert!(drawn.contains("\nAllow?  y once   n no   ? more   v all   w why\n"), "{drawn}");
    assert!(!drawn.contains("whatever"), "{drawn}");
}

/// Characters that only the agent uses.
const AGENT: [char; 5] = ['ж', '今', 'é', '\u{301}', '𝒳'];

fn agent_text(rng: &mut SeededRng) -> String {
    let length = rng.below(300);
    let words = (0..length).map(|_| if rng.one_in(6) { ' ' } else { *rng.pick(&AGENT) });
    words.collect()
}

fn hostile_card(rng: &mut SeededRng) -> CardView {
    let offers = *rng.pick(&[ALL, WIDER, &["once!", "decline"]]);
    let mut view = card(ID, "claude", &[("git.push", offers)], None);
    let card = &mut view.card;
    card.headline = text(&format!("Delete {}", agent_text(rng)));
    let several = |rng: &mut SeededRng| {
        let lines = (0..rng.between(1, 6)).map(|_| match rng.below(4) {
            0 => CardLine::Added(text(&agent_text(rng))),
            1 => CardLine::Removed(text(&agent_text(rng))),
            _ => CardLine::Text(text(&agent_text(rng))),
        });
        lines.collect::<Vec<_>>()
    };
    let block =
        |name: &str, lines| CardField { name: text(name), lines, left_out: LeftOut::default() };
    card.exact = vec![
        block("command", several(rng)),
        field("path", &agent_text(rng)),
        block(&format!("argument {}", agent_text(rng)), several(rng)),
        field(&format!("argument {}", agent_text(rng)), &agent_text(rng)),
    ];
    card.effects = vec![effect("writes", text(&agent_text(rng)))];
    card.who.push(field("folder", &format!("/{}", agent_text(rng))));
    let (path, pinned_for) = (text(&agent_text(rng)), PinnedFor::Session);
    let presence = ProgramPresence::Found;
    card.programs = vec![CardProgram { path, sha256: None, presence, pinned_for }];
    card.news = vec![text(&format!("so far such went to {}", agent_text(rng)))];
    card.claims = vec![block("reason", several(rng)), field("if not", &agent_text(rng))];
    for offer in &mut card.items[0].offers {
        offer.lets = text(&format!("the command `{}` {}", agent_text(rng), offer.choice));
    }
    view
}

#[test]
fn text_of_an_agent_never_looks_like_a_line_of_ours_at_any_width() {
    let ours = [
        "  Delete ",
        "  path  ",
        "  argument",
        "  effect: ",
        "  asked by  ",
        "  new  ",
        "  claude says  ",
        "  if no, it s",
        "  in  ",
        "  15m",
        "  s, p  ",
        "  s  ",
        "  p  ",
        "  program  ",
    ];
    for seed in 0..40 {
        let mut rng = SeededRng::new(seed);
        let view = hostile_card(&mut rng);
        for width in 20..=200 {
            for line in layout(width, Colours::Absent).render(&view, "r3e22a1") {
                assert!(line.width() <= width, "{width}: {line}");
                let is_marked = line.starts_with("  | ") || line.starts_with("  > ");
                let is_ours = ours.iter().any(|start| line.starts_with(start));
                let is_agents = line.contains(AGENT);
                assert!(!is_agents || is_marked || is_ours, "seed {seed}, width {width}: {line}");
            }
        }
    }
}
