//! A plan that a program's user has accepted, read from its text.
//!
//! A plan names files and commands between backticks. Only what it names so is a step; everything
//! else in it is for people. What is not understood is left out, and then asked about as before.
//!
//! See docs/decisions/0103-what-programs-report.md.

use crate::limits;

/// The steps of a plan, and how concrete it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenPlan {
    pub files: Vec<String>,
    /// Command lines, split into words.
    pub commands: Vec<Vec<String>>,
    /// From 0 to 4.
    pub score: u8,
}

impl WrittenPlan {
    pub fn parse(text: &str) -> Self {
        let mut plan = Self::default();
        let (mut items, mut is_checked) = (0usize, false);
        let mut fence = Fence::None;
        for line in text.lines().map(str::trim) {
            if let Some(language) = line.strip_prefix("```") {
                fence = fence.toggle(language.trim());
                continue;
            }
            match fence {
                Fence::Shell => plan.add_command(line.strip_prefix("$ ").unwrap_or(line)),
                Fence::Other => {}
                Fence::None => {
                    items = items.saturating_add(usize::from(is_list_item(line)));
                    is_checked |= names_check(line);
                    list_code_spans(line).for_each(|span| plan.add_span(span));
                }
            }
        }
        let points = [items >= 2, !plan.files.is_empty(), !plan.commands.is_empty(), is_checked];
        plan.score = points.into_iter().map(u8::from).sum();
        plan
    }

    fn add_span(&mut self, span: &str) {
        match span.contains(' ') {
            true => self.add_command(span),
            false if is_file(span) && !self.files.iter().any(|known| known == span) => {
                if self.files.len() < limits::MAX_PLAN_NAMES {
                    self.files.push(span.to_owned());
                }
            }
            false => {}
        }
    }

    /// Adds a command line of plain words. Others have no exact meaning here.
    fn add_command(&mut self, line: &str) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let is_plain = words.iter().all(|word| word.chars().all(is_plain_char));
        let is_program = words
            .first()
            .is_some_and(|first| first.starts_with(|c: char| c.is_ascii_lowercase() || c == '.'));
        let is_known = self.commands.contains(&words);
        if is_plain && is_program && !is_known && self.commands.len() < limits::MAX_PLAN_NAMES {
            self.commands.push(words);
        }
    }
}

/// A block of code in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fence {
    None,
    Shell,
    Other,
}

impl Fence {
    fn toggle(self, language: &str) -> Self {
        match self {
            Self::Shell | Self::Other => Self::None,
            Self::None if ["sh", "bash", "shell", "console", "zsh"].contains(&language) => {
                Self::Shell
            }
            Self::None => Self::Other,
        }
    }
}

fn is_plain_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c)
}

/// `1. …`, `- …` and the like.
fn is_list_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after_number.len() < line.len()
        && (after_number.starts_with(". ") || after_number.starts_with(") "));
    is_numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// Whether a line says how the result is checked.
fn names_check(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        let word = word.to_lowercase();
        ["test", "tests", "check", "checks", "verify", "verification"].contains(&word.as_str())
    })
}

fn list_code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).map(str::trim).filter(|span| !span.is_empty())
}

/// Whether one word is the name of a file: it has a folder or an ending.
fn is_file(word: &str) -> bool {
    let is_plain = word.chars().all(is_plain_char) && !word.starts_with('-');
    let has_ending = word.rsplit_once('.').is_some_and(|(name, ending)| {
        !name.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    is_plain && !word.contains("://") && !word.ends_with('/') && (word.contains('/') || has_ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_files_and_commands_between_backticks() {
        let text = "## Plan\n1. Change `src/main.rs` and `Cargo.toml`\n2. Run `cargo test -p app`\n\
                    3. Read `--help`, `main`, `https://a.b/c` and `$HOME/x`\n\
                    ```sh\n$ git push origin main\nrm -rf $HOME\n```\n```rust\nlet a = 1;\n```\n";
        let plan = WrittenPlan::parse(text);
        assert_eq!(plan.files, ["src/main.rs", "Cargo.toml"]);
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(plan.commands, [words("cargo test -p app"), words("git push origin main")]);
        assert_eq!(plan.score, 4);
    }

    #[test]
    fn the_score_counts_steps_files_commands_and_a_check() {
        for (text, score) in [
            ("Make it better.", 0),
            ("- one\n- two", 1),
            ("1. Change `a.rs`\n2. Verify it", 3),
            ("1. Change `a.rs`\n2. Run `make all`\n3. Run the tests", 4),
            ("Run `make all`", 1),
        ] {
            assert_eq!(WrittenPlan::parse(text).score, score, "{text}");
        }
    }

    #[test]
    fn what_a_shell_would_read_differently_is_no_command() {
        for line in ["`rm -rf $HOME`", "`cat a | sh`", "`echo \"a b\"`", "`Fix the bug`"] {
            assert_eq!(WrittenPlan::parse(line).commands, Vec::<Vec<String>>::new(), "{line}");
        }
    }
}
