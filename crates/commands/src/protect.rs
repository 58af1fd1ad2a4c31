//! Our own names: an agent that names the gate, its files or its port is refused, rule or no rule.
//!
//! So is one that types for the operator. Looking up whether the gate runs is left to a question.

use crate::loose::Word;
use crate::reach::Visitor;
use crate::wrappers::base_name;

/// The program, and with it `/etc/countersign`, `/run/countersign`, `COUNTERSIGN_…`.
const NAME: &str = "countersign";
/// Where the operator's side listens.
const PORT: &str = "7777";

/// Programs that only look a name up.
const LOOKUPS: &[&str] = &["pidof", "pgrep", "which", "whereis"];

/// Programs that press keys, and what they need to be told for it; nothing is needed where the
/// list is empty.
const TYPISTS: &[(&str, &[&str])] = &[
    ("xdotool", &[]),
    ("ydotool", &[]),
    ("dotool", &[]),
    ("kdotool", &[]),
    ("wtype", &[]),
    ("xte", &[]),
    ("xvkbd", &[]),
    ("wlrctl", &[]),
    ("evemu-event", &[]),
    ("evemu-play", &[]),
    ("cliclick", &[]),
    ("ttyecho", &[]),
    ("tmux", &["send", "paste"]),
    ("screen", &["stuff", "paste"]),
    ("kitty", &["send-text", "send-key"]),
    ("kitten", &["send-text", "send-key"]),
    ("wezterm", &["send-text"]),
    ("zellij", &["write"]),
    ("adb", &["input"]),
    ("osascript", &["keystroke", "key code", "system events"]),
];

/// Ways to press keys that no program's name gives away.
const DEVICES: &[&str] = &["tiocsti", "/dev/uinput", "sendkeys", "pyautogui", "pynput"];

#[derive(Default)]
pub(crate) struct Guard {
    /// Names that were only looked up.
    excused: usize,
    pub(crate) found: Option<&'static str>,
}

const NAMED: &str = "it names countersign itself, its files or its port";
const TYPED: &str = "it types for the operator";

impl Guard {
    /// The whole text as a last look, so that nothing depends on how it was read.
    pub(crate) fn conclude(mut self, text: &str) -> Option<&'static str> {
        let text: String =
            text.replace("\\\n", "").chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        if self.found.is_none() && named(&text.to_ascii_lowercase()) > self.excused {
            self.found = Some(NAMED);
        }
        self.found
    }

    fn look(&mut self, word: &Word) {
        let text = word.text.to_ascii_lowercase();
        if named(&text) > 0 {
            self.found.get_or_insert(NAMED);
        }
        if DEVICES.iter().any(|device| text.contains(device)) {
            self.found.get_or_insert(TYPED);
        }
    }
}

impl Visitor for Guard {
    fn words(&mut self, words: &[Word]) {
        let program = words.first().map(|word| base_name(&word.text)).unwrap_or_default();
        let looks_up = LOOKUPS.contains(&program);
        for word in words {
            if looks_up && word.text.eq_ignore_ascii_case(NAME) {
                self.excused += 1;
            } else {
                self.look(word);
            }
        }
    }

    fn target(&mut self, word: &Word) {
        self.look(word);
    }

    fn command(&mut self, words: &[Word]) {
        let Some((program, rest)) = words.split_first() else { return };
        let name = base_name(&program.text).to_ascii_lowercase();
        let Some((_, needed)) = TYPISTS.iter().find(|(typist, _)| *typist == name) else { return };
        let says = |word: &Word| {
            let text = word.text.to_ascii_lowercase();
            needed.iter().any(|needed| text.contains(needed))
        };
        if needed.is_empty() || rest.iter().any(says) {
            self.found.get_or_insert(TYPED);
        }
    }
}

/// How often our name or port stands in a text, as a word of its own.
fn named(text: &str) -> usize {
    let alone = |word: &str| {
        let mut before = None;
        let mut count = 0;
        let mut rest = text;
        while let Some((head, tail)) = rest.split_once(word) {
            let left = head.chars().next_back().or(before.filter(|_| head.is_empty()));
            // A port may be written with zeros in front.
            let left = left.filter(|c| *c != '0' || word != PORT);
            let right = tail.chars().next();
            let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            count += usize::from(!joins(left) && !joins(right));
            before = word.chars().next_back();
            rest = tail;
        }
        count
    };
    alone(NAME) + alone(PORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_names_are_seen_as_words_only() {
        for text in [
            "countersign",
            "/run/countersign/x",
            "countersign_socket=1",
            "./countersign-gate",
            "h:7777/x",
            "nc h 7777",
            "h:07777",
            "countersign.service",
        ] {
            assert_eq!(named(text), 1, "{text}");
        }
        for text in ["countersigned", "uncountersign", "77777", "a7777", "17777", "7777a"] {
            assert_eq!(named(text), 0, "{text}");
        }
    }
}
