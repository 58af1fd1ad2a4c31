//! Denies commands that name Countersign's own program, files or port, whatever the rules say.
//!
//! Commands that send keystrokes in the operator's place are denied too. Looking up whether
//! Countersign runs is not denied; it asks.

use crate::loose::Word;
use crate::reach::Visitor;
use crate::wrappers::base_name;

/// The program, and with it `/etc/countersign`, `/run/countersign`, `COUNTERSIGN_…`.
const OWN_NAME: &str = "countersign";
/// The port of the operator's plane.
const OPERATOR_PORT: &str = "7777";

/// Programs that only look up a name.
const LOOKUP_PROGRAMS: &[&str] = &["pidof", "pgrep", "which", "whereis"];

/// Programs that send keystrokes, with the arguments that do so. An empty list means that every
/// call does.
const KEY_SENDERS: &[(&str, &[&str])] = &[
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

/// Ways to send keystrokes that do not show in the program's name.
const KEY_INPUT_MARKERS: &[&str] = &["tiocsti", "/dev/uinput", "sendkeys", "pyautogui", "pynput"];

#[derive(Default)]
pub(crate) struct SelfProtection {
    /// How often our name was only looked up.
    excused_lookups: usize,
    pub(crate) violation: Option<&'static str>,
}

const NAMES_COUNTERSIGN: &str = "it names countersign itself, its files or its port";
const TYPES_FOR_OPERATOR: &str = "it sends keystrokes for the operator";

impl SelfProtection {
    /// Also searches the whole text, so that the result does not depend on the parser.
    pub(crate) fn finish(mut self, text: &str) -> Option<&'static str> {
        let text: String =
            text.replace("\\\n", "").chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        if self.violation.is_none()
            && count_own_names(&text.to_ascii_lowercase()) > self.excused_lookups
        {
            self.violation = Some(NAMES_COUNTERSIGN);
        }
        self.violation
    }

    fn check_word(&mut self, word: &Word) {
        let text = word.text.to_ascii_lowercase();
        if count_own_names(&text) > 0 {
            self.violation.get_or_insert(NAMES_COUNTERSIGN);
        }
        if KEY_INPUT_MARKERS.iter().any(|device| text.contains(device)) {
            self.violation.get_or_insert(TYPES_FOR_OPERATOR);
        }
    }
}

impl Visitor for SelfProtection {
    fn visit_words(&mut self, words: &[Word]) {
        let program = words.first().map(|word| base_name(&word.text)).unwrap_or_default();
        let looks_up = LOOKUP_PROGRAMS.contains(&program);
        for word in words {
            if looks_up && word.text.eq_ignore_ascii_case(OWN_NAME) {
                self.excused_lookups += 1;
            } else {
                self.check_word(word);
            }
        }
    }

    fn visit_redirect_target(&mut self, word: &Word) {
        self.check_word(word);
    }

    fn visit_command(&mut self, words: &[Word]) {
        let Some((program, rest)) = words.split_first() else { return };
        let name = base_name(&program.text).to_ascii_lowercase();
        let Some((_, markers)) = KEY_SENDERS.iter().find(|(program, _)| *program == name) else {
            return;
        };
        let has_marker = |word: &Word| {
            let text = word.text.to_ascii_lowercase();
            markers.iter().any(|marker| text.contains(marker))
        };
        if markers.is_empty() || rest.iter().any(has_marker) {
            self.violation.get_or_insert(TYPES_FOR_OPERATOR);
        }
    }
}

/// How often our name or port occurs in a text as a separate word.
fn count_own_names(text: &str) -> usize {
    let count_separate = |word: &str| {
        let mut previous = None;
        let mut count = 0;
        let mut rest = text;
        while let Some((head, tail)) = rest.split_once(word) {
            let left = head.chars().next_back().or(previous.filter(|_| head.is_empty()));
            // A port may have leading zeros.
            let left = left.filter(|c| *c != '0' || word != OPERATOR_PORT);
            let right = tail.chars().next();
            let is_joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            count += usize::from(!is_joined(left) && !is_joined(right));
            previous = word.chars().next_back();
            rest = tail;
        }
        count
    };
    count_separate(OWN_NAME) + count_separate(OPERATOR_PORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_names_count_only_as_separate_words() {
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
            assert_eq!(count_own_names(text), 1, "{text}");
        }
        for text in ["countersigned", "uncountersign", "77777", "a7777", "17777", "7777a"] {
            assert_eq!(count_own_names(text), 0, "{text}");
        }
    }
}
