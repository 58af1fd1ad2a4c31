//! Denies commands that reach for Countersign's own program, files or port, whatever the rules say.
//!
//! Commands that send keystrokes in the operator's place are denied too. A text that only mentions our
//! name is not: what leads to our files by other paths is found by the deny rules for those paths.

mod landings;
mod own_program;

use crate::context::{CommandContext, ResolvedPath, is_below};
use crate::denied_path::{matches_at_or_above, place_pattern};
use crate::deny::find_path_words;
use crate::loose::Word;
use crate::reachable_commands::{OperandCheck, Visitor};
use crate::subject::can_run_other_programs;
use crate::working_folders::FolderSet;
use crate::wrappers::base_name;
use landings::{Landing, find_landings};
use own_program::{OWN_NAME, runs_own_program};

/// The port of the operator's plane.
const OPERATOR_PORT: &str = "7777";

/// Where our files are unless the settings say otherwise.
const OWN_FOLDERS: &[&str] = &[
    "/etc/countersign",
    "/run/countersign",
    "/var/lib/countersign",
    "/var/log/countersign",
    "/.config/countersign",
    "/.local/share/countersign",
    "/.local/state/countersign",
    "/application support/countersign",
];

/// Programs that stop or change the process or service that they name.
const PROCESS_CONTROLLERS: &[&str] = &[
    "pkill",
    "killall",
    "kill",
    "systemctl",
    "service",
    "launchctl",
    "rc-service",
    "sv",
    "initctl",
    "supervisorctl",
    "apt",
    "apt-get",
    "dpkg",
    "dnf",
    "rpm",
    "pacman",
    "brew",
];

/// Programs that run a text later, in a form that is not a command line.
const SCHEDULERS: &[&str] = &["crontab", "at", "batch"];

const OWN_HOSTS: &[&str] =
    &["localhost", "127.0.0.1", "[::1]", "::1", "0.0.0.0", "[::]", "127.1", "0"];

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

/// Programs that delete, move or open up the folders that they name, with the beginnings of arguments
/// that make them do so. An empty list means that every call does.
const REMOVERS: &[(&str, &[&str])] = &[
    ("rm", &[]),
    ("rmdir", &[]),
    ("shred", &[]),
    ("trash", &[]),
    ("trash-put", &[]),
    ("rip", &[]),
    ("gio", &["trash"]),
    ("mv", &[]),
    ("chmod", &[]),
    ("chown", &[]),
    ("chgrp", &[]),
    ("chattr", &[]),
    ("setfacl", &[]),
    ("mount", &[]),
    ("umount", &[]),
    ("find", &["-delete"]),
    ("fd", &["-x", "-X", "--exec"]),
    ("rsync", &["--delete", "--remove-source-files"]),
];

/// Code that sends keystrokes, in whatever language.
const KEY_INPUT_MARKERS: &[&str] = &["tiocsti", "/dev/uinput", "sendkeys", "pyautogui", "pynput"];

const KEY_INPUT_DEVICE: &str = "/dev/uinput";

pub(crate) struct SelfProtection<'a> {
    context: &'a CommandContext<'a>,
    schedules: bool,
    violation: Option<&'static str>,
}

const NAMES_COUNTERSIGN: &str = "it reaches for countersign itself, its files or its port";
const TYPES_FOR_OPERATOR: &str =
    "it types into another program, where it could answer for the operator";

impl<'a> SelfProtection<'a> {
    pub(crate) fn new(context: &'a CommandContext<'a>) -> Self {
        Self { context, schedules: false, violation: None }
    }

    /// What a scheduler runs is not parsed, so there our name is enough.
    pub(crate) fn finish(mut self, text: &str) -> Option<&'static str> {
        if self.schedules && names_program(&text.to_ascii_lowercase()) {
            self.violation.get_or_insert(NAMES_COUNTERSIGN);
        }
        self.violation
    }

    fn check_path(&mut self, text: &str) {
        let text = text.to_ascii_lowercase();
        if OWN_FOLDERS.iter().any(|folder| names_folder(&text, folder)) {
            self.violation.get_or_insert(NAMES_COUNTERSIGN);
        }
        if text.contains(KEY_INPUT_DEVICE) {
            self.violation.get_or_insert(TYPES_FOR_OPERATOR);
        }
    }

    /// The loss of the root, a home or a mount is more than that of our files: the floor under dangerous
    /// lines decides it, and says what would be lost.
    fn is_catastrophe(&self, program: &str, folder: &str) -> bool {
        let is_floored = ["rm", "mv", "chmod", "chown", "chgrp", "find"].contains(&program);
        is_floored && (folder == "/" || self.context.disk.find_landmark(folder).is_some())
    }

    /// What takes a folder away takes everything below along.
    fn check_containers(&mut self, program: &str, rest: &[Word], folders: &FolderSet) {
        let is_marked = |marks: &&[&str]| {
            marks.is_empty()
                || rest.iter().any(|word| marks.iter().any(|m| word.text.starts_with(m)))
        };
        let removes = REMOVERS.iter().any(|(name, marks)| *name == program && is_marked(marks));
        if !removes {
            return;
        }
        let operands = rest.iter().filter(|word| !word.text.starts_with('-'));
        // The last word of a move is where it leads.
        let kept = if program == "mv" { rest.last() } else { None };
        for word in operands.filter(|word| !kept.is_some_and(|kept| std::ptr::eq(kept, *word))) {
            let is_ours = |place: &str| {
                self.context.disk.contains_own_files(place) && !self.is_catastrophe(program, place)
            };
            if self.leads_to(&word.text, folders, is_ours)
                || self.matches_ours(program, word, folders)
            {
                self.violation.get_or_insert(NAMES_COUNTERSIGN);
            }
        }
    }

    /// Whether a word leads to such a place from one of the folders.
    fn leads_to(&self, text: &str, folders: &FolderSet, holds: impl Fn(&str) -> bool) -> bool {
        let known = folders.known.iter().map(|folder| Some(folder.as_str()));
        let nowhere = folders.known.is_empty().then_some(None);
        known.chain(nowhere).any(|folder| {
            let places = match self.context.disk.resolve_path(text, folder) {
                ResolvedPath::At(places) | ResolvedPath::Unresolvable(places) => places,
                ResolvedPath::Unknown => Vec::new(),
            };
            places.iter().any(|place| holds(place))
        })
    }

    /// Whether a pattern matches one of our files, or a folder above one. Everything directly in a folder
    /// whose loss is a catastrophe is left to the floor under dangerous lines.
    fn matches_ours(&self, program: &str, word: &Word, folders: &FolderSet) -> bool {
        if word.is_literal() || !word.text.contains(['*', '?', '[']) {
            return false;
        }
        let own = self.context.disk.list_own_paths();
        let patterns: Vec<Vec<String>> = match word.text.starts_with(['/', '~']) {
            true => place_pattern(self.context, &word.text, None),
            false => folders
                .known
                .iter()
                .flat_map(|folder| place_pattern(self.context, &word.text, Some(folder)))
                .collect(),
        };
        let is_left_to_floor = |pattern: &[String]| {
            let above = pattern.split_last().map_or(&[][..], |(_, above)| above);
            self.is_catastrophe(program, &format!("/{}", above.join("/")))
        };
        patterns.iter().any(|pattern| {
            own.iter().any(|path| matches_at_or_above(pattern, path)) && !is_left_to_floor(pattern)
        })
    }

    /// What is copied or unpacked into a folder above our files may replace them.
    fn check_copies(&mut self, program: &str, rest: &[Word], folders: &FolderSet) {
        let words: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
        let replaces_ours = |landing: &Landing| match landing {
            Landing::At(path) => self.leads_to(path, folders, |place| self.is_ours(place)),
            Landing::AllOver(folder) => {
                self.leads_to(folder, folders, |place| self.context.disk.contains_own_files(place))
            }
        };
        if find_landings(program, &words).iter().any(replaces_ours) {
            self.violation.get_or_insert(NAMES_COUNTERSIGN);
        }
    }

    fn is_ours(&self, place: &str) -> bool {
        let own = self.context.disk.list_own_paths();
        self.context.disk.contains_own_files(place) || own.iter().any(|own| is_below(place, own))
    }

    fn check_program(&mut self, program: &str, rest: &[Word]) {
        let has_word =
            |is: &dyn Fn(&str) -> bool| rest.iter().any(|word| is(&word.text.to_ascii_lowercase()));
        let is_ours = runs_own_program(program, rest);
        let is_controlled = PROCESS_CONTROLLERS.contains(&program) && has_word(&names_program);
        let reaches_port = has_word(&|word| word.contains(OPERATOR_PORT))
            && (has_word(&is_own_address)
                || (has_word(&|word| OWN_HOSTS.contains(&word))
                    && has_word(&|word| word.trim_start_matches('0') == OPERATOR_PORT)));
        let sets_ours = has_word(&|word| word.starts_with("countersign_") && word.contains('='));
        let stops_ours = match program {
            "kill" => has_word(&|word| self.context.disk.is_own_process(word)),
            "pkill" => has_word(&|word| !word.starts_with('-') && matches_own_line(word)),
            _ => false,
        };
        if is_ours || stops_ours || is_controlled || reaches_port || sets_ours {
            self.violation.get_or_insert(NAMES_COUNTERSIGN);
        }
        self.schedules |= SCHEDULERS.contains(&program);
    }
}

impl Visitor for SelfProtection<'_> {
    fn visit_loose_word(&mut self, word: &Word, _: &FolderSet) {
        if word.text.to_ascii_lowercase().starts_with("countersign_") {
            self.violation.get_or_insert(NAMES_COUNTERSIGN);
        }
    }

    fn visit_redirect_target(&mut self, word: &Word, _: &FolderSet) {
        self.check_path(&word.text);
    }

    fn visit_command(
        &mut self,
        words: &[Word],
        folders: &FolderSet,
        outer: OperandCheck,
    ) -> OperandCheck {
        let Some((program, rest)) = words.split_first() else { return outer };
        let name = base_name(&program.text).to_ascii_lowercase();
        self.check_program(&name, rest);
        self.check_containers(&name, rest, folders);
        self.check_copies(&name, rest, folders);
        // Our files are named with their folders.
        let has_path = words.iter().any(|word| word.text.contains('/'));
        match if has_path { find_path_words(words) } else { Some(Vec::new()) } {
            Some(paths) => paths
                .iter()
                .filter_map(|index| words.get(*index))
                .for_each(|word| self.check_path(&word.text)),
            None => words.iter().for_each(|word| self.check_path(&word.text)),
        }
        let has_marker = |markers: &[&str]| {
            rest.iter().any(|word| {
                let text = word.text.to_ascii_lowercase();
                markers.iter().any(|marker| text.contains(marker))
            })
        };
        let sends_keys = KEY_SENDERS.iter().any(|(sender, markers)| {
            *sender == name && (markers.is_empty() || has_marker(markers))
        });
        if sends_keys || (can_run_other_programs(&name) && has_marker(KEY_INPUT_MARKERS)) {
            self.violation.get_or_insert(TYPES_FOR_OPERATOR);
        }
        outer
    }
}

/// Whether a text contains this folder as whole names: `/run/user/1000/countersign` too.
fn names_folder(text: &str, folder: &str) -> bool {
    let ends_name = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.');
    text.match_indices(folder)
        .any(|(at, found)| text.get(at + found.len()..).is_some_and(ends_name))
        || (text.starts_with("/run/user/") && text.contains("/countersign"))
}

/// Whether a text contains our program's name as a separate word.
fn names_program(text: &str) -> bool {
    let is_joined = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '/');
    text.match_indices(OWN_NAME).any(|(at, found)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|tail| tail.chars().next());
        !(before.is_some_and(char::is_alphanumeric) || is_joined(after))
    })
}

/// Whether a pattern of `pkill` finds our daemon: by a part of its command line, a dot being any
/// character.
fn matches_own_line(pattern: &str) -> bool {
    let line: Vec<char> = "countersign serve".chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    let is_same = |(one, other): (&char, &char)| *other == '.' || one == other;
    !pattern.is_empty()
        && line.windows(pattern.len()).any(|part| part.iter().zip(&pattern).all(is_same))
}

/// Whether a word is an address of the operator's plane on this machine.
fn is_own_address(word: &str) -> bool {
    let address = word.split_once("://").map_or(word, |(_, rest)| rest);
    let address = address.rsplit_once('@').map_or(address, |(_, host)| host);
    let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once(':').is_some_and(|(host, port)| {
        OWN_HOSTS.contains(&host) && port.trim_start_matches('0') == OPERATOR_PORT
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_program_counts_only_as_a_separate_word() {
        for text in ["countersign", "-f countersign", "countersign.service", "/usr/bin/countersign"]
        {
            assert!(names_program(text), "{text}");
        }
        for text in ["countersigned", "uncountersign", "x", "countersign/src"] {
            assert!(!names_program(text), "{text}");
        }
    }

    #[test]
    fn a_part_of_our_name_finds_our_daemon() {
        for pattern in ["countersign", "sign", "c.unter", "serve", "."] {
            assert!(matches_own_line(pattern), "{pattern}");
        }
        for pattern in ["node", "vite", "countersigned", "server", ""] {
            assert!(!matches_own_line(pattern), "{pattern}");
        }
    }

    #[test]
    fn our_port_counts_only_on_this_machine() {
        for text in [
            "localhost:7777",
            "http://127.0.0.1:7777/x",
            "http://u:p@[::1]:07777",
            "0.0.0.0:7777?x",
        ] {
            assert!(is_own_address(text), "{text}");
        }
        for text in ["example.org:7777", "localhost:77777", "7777", "localhost:8080/7777"] {
            assert!(!is_own_address(text), "{text}");
        }
    }

    #[test]
    fn our_folders_count_as_whole_names() {
        for text in ["/etc/countersign", "x=/run/countersign/s", "/run/user/1/countersign/s"] {
            assert!(OWN_FOLDERS.iter().any(|folder| names_folder(text, folder)), "{text}");
        }
        for text in ["/etc/countersigned", "/home/me/countersign", "/etc/countersign.d/x"] {
            assert!(!OWN_FOLDERS.iter().any(|folder| names_folder(text, folder)), "{text}");
        }
    }
}
