//! Whether a command runs our own program, by itself or through another program.
//!
//! Every word counts that the command could execute. A table that knows all words of a command which
//! runs nothing says that none of them is one: a commit message or a pattern only mentions us.

use crate::loose::Word;
use crate::option_tables::{self, ProgramEffect};
use crate::wrappers::base_name;

pub(super) const OWN_NAME: &str = "countersign";

/// What an agent may ask our program itself: its own calls, and how it is used.
const HARMLESS: &[&str] = &["gate", "ask", "consent", "why", "--help", "-h", "--version", "-V"];

/// What our program does for the operator, or instead of a hook. In a text or behind a program that
/// nobody knows, our name and one of these words are a call; our name alone may be a folder.
const ACTING: &[&str] = &[
    "approve",
    "decline",
    "grants",
    "revoke",
    "proposals",
    "pause",
    "resume",
    "say",
    "watch",
    "agent",
    "mcp",
    "hook",
    "run",
    "gesture",
    "workflow",
    "session",
    "graph",
    "ledger",
    "import",
    "settings",
    "serve",
    "init",
    "uninstall",
    "notices",
];

/// Programs that start the program that one of their words names, from a package or from `PATH`.
const STARTERS: &[&str] = &[
    "npx",
    "bunx",
    "pnpx",
    "uvx",
    "pipx",
    "corepack",
    "rtk",
    "volta",
    "rtx",
    "asdf",
    "direnv",
    "dotenv",
    "cross-env",
    "hyperfine",
    "concurrently",
    "nodemon",
    "watchexec",
    "entr",
    "script",
    "ssh",
    "tmux",
    "screen",
    "watch",
    "flock",
    "systemd-run",
];

/// The same, with the word that says so.
const STARTING_SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("bun", &["run", "x", "exec"]),
    ("npm", &["exec", "x", "run", "run-script"]),
    ("pnpm", &["exec", "dlx", "run"]),
    ("yarn", &["exec", "dlx", "run"]),
    ("mise", &["exec", "x", "run", "r"]),
    ("uv", &["run", "tool"]),
    ("poetry", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("pipenv", &["run"]),
    ("bundle", &["exec"]),
    ("mix", &["cmd"]),
    ("nix", &["run", "shell", "develop"]),
    ("op", &["run"]),
    ("doppler", &["run"]),
    ("git", &["bisect"]),
];

/// Programs whose texts are messages to people.
const MESSENGERS: &[&str] = &["git", "gh", "glab", "echo", "printf"];

/// Options of these programs whose value is such a text.
const MESSAGE_OPTIONS: &[&str] =
    &["-m", "--message", "-b", "--body", "-t", "--title", "-n", "--notes", "--grep", "-S", "-G"];

/// Whether a command runs our own program with words that are not harmless. `program` is in small
/// letters and without its folder.
pub(super) fn runs_own_program(program: &str, rest: &[Word]) -> bool {
    if program == OWN_NAME {
        return !is_harmless(rest);
    }
    if program.starts_with("countersign-") {
        return true;
    }
    if !rest.iter().any(|word| mentions_us(&word.text)) {
        return false;
    }
    if runs_nothing(program, rest) {
        return false;
    }
    let is_starter = is_starter(program, rest);
    let is_messenger = MESSENGERS.contains(&program);
    rest.iter().enumerate().filter(|(_, word)| mentions_us(&word.text)).any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| rest.get(at));
        if is_messenger && before.is_some_and(|word| MESSAGE_OPTIONS.contains(&&*word.text)) {
            return false;
        }
        let after = rest.get(at + 1..).unwrap_or_default();
        match is_our_name(&word.text) {
            true if is_starter => !is_harmless(after),
            true => acts(after.iter().map(|word| word.text.as_str())),
            false => is_call_text(&word.text),
        }
    })
}

/// Whether no word of the command can be executed, by its table.
fn runs_nothing(program: &str, rest: &[Word]) -> bool {
    let words = rest.iter().map(|word| word.text.clone());
    let argv: Vec<String> = std::iter::once(program.to_owned()).chain(words).collect();
    let Some(table) = option_tables::find_table(&argv) else { return false };
    let is_other = match table.effect {
        // Cargo builds and tests packages by their names, and starts a program with `run` alone.
        ProgramEffect::Runs => {
            table.name.starts_with("cargo ") && !table.name.starts_with("cargo r")
        }
        ProgramEffect::Unknown => false,
        ProgramEffect::Reads
        | ProgramEffect::ChangesElsewhere
        | ProgramEffect::WritesGitData
        | ProgramEffect::Edits
        | ProgramEffect::Formats
        | ProgramEffect::Deletes => true,
    };
    is_other && option_tables::find_operands(&argv).is_some()
}

fn is_starter(program: &str, rest: &[Word]) -> bool {
    let has_word = |word: &&str| rest.iter().any(|given| given.text == *word);
    STARTERS.contains(&program)
        || STARTING_SUBCOMMANDS
            .iter()
            .any(|(name, subcommands)| *name == program && subcommands.iter().any(has_word))
}

fn mentions_us(text: &str) -> bool {
    let (text, name) = (text.as_bytes(), OWN_NAME.as_bytes());
    text.len() >= name.len() && text.windows(name.len()).any(|part| part.eq_ignore_ascii_case(name))
}

/// Our name, with or without its folder, its version in a registry, and `=` in front of it.
fn is_our_name(word: &str) -> bool {
    let word = word.rsplit('=').next().unwrap_or(word);
    let name = base_name(word).to_ascii_lowercase();
    let name = name.split_once('@').map_or(name.as_str(), |(name, _)| name);
    name == OWN_NAME || name == "countersign.exe"
}

/// Whether the words behind our name ask only what an agent may ask. `--plain` is our only option
/// that stands in front of a subcommand.
fn is_harmless(words: &[Word]) -> bool {
    let mut words = words.iter().map(|word| word.text.as_str());
    let first = words.find(|word| !matches!(*word, "--plain" | "--"));
    first.is_some_and(|word| HARMLESS.contains(&word))
}

fn acts<'w>(mut words: impl Iterator<Item = &'w str>) -> bool {
    words.find(|word| !word.starts_with('-')).is_some_and(|word| ACTING.contains(&word))
}

/// Whether a text that a program may execute calls ours: `sh`-like text, or a list in some language.
fn is_call_text(text: &str) -> bool {
    let is_joined = |c: char| c.is_ascii_alphanumeric() || "-_./@".contains(c);
    let words: Vec<&str> =
        text.split(|c: char| !is_joined(c)).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        is_our_name(word) && acts(words.get(at + 1..).unwrap_or_default().iter().copied())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(line: &str) -> bool {
        let word = |text: &str| Word { text: text.to_owned(), ..Word::default() };
        let words: Vec<Word> = line.split(' ').map(word).collect();
        let (program, rest) = words.split_first().unwrap();
        runs_own_program(base_name(&program.text), rest)
    }

    #[test]
    fn our_program_runs_through_every_starter() {
        for line in [
            "countersign approve r1",
            "countersign",
            "countersign --plain approve r1",
            "countersign-gate x",
            "bun run countersign approve r1",
            "bun run countersign",
            "bunx countersign@latest ls",
            "npx -y /usr/bin/countersign approve r1",
            "npm exec -- countersign approve r1",
            "yarn run countersign say yes",
            "cargo run --bin countersign -- approve r1",
            "make -f x.mk RUN=countersign approve",
            "tool --exec=countersign approve r1",
            "tool Countersign approve r1",
        ] {
            assert!(runs(line), "{line}");
        }
    }

    #[test]
    fn a_word_that_nothing_executes_is_no_call() {
        for line in [
            "countersign gate shell.run",
            "countersign --help",
            "npx countersign why r1",
            "cargo test -p countersign --lib",
            "cargo build -p countersign-commands",
            "git commit -m countersign approve",
            "grep -rn countersign approve",
            "docker build -t countersign .",
            "cd countersign",
            "which countersign",
        ] {
            assert!(!runs(line), "{line}");
        }
        assert!(is_call_text("a && countersign approve r1"));
        assert!(is_call_text("run(['countersign', 'approve', 'r1'])"));
        assert!(!is_call_text("countersign asks before a push"));
    }
}
