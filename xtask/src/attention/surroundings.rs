//! What a session's machine had and this one lacks: the programs and the tasks that its lines name.
//!
//! A line that starts a program which nobody has, or a task that no file defines, asks for that reason
//! alone. Where it ran, there were such a program and such a task, or it would have failed. A line is
//! only split at what separates commands: a word too many is a file that nobody starts.

use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Words of the shell that start no program.
const SHELL_WORDS: &[&str] = &[
    "alias", "break", "builtin", "case", "cd", "command", "continue", "declare", "dirs", "do",
    "done", "echo", "elif", "else", "esac", "eval", "exec", "exit", "export", "fi", "for",
    "function", "getopts", "hash", "if", "in", "jobs", "kill", "let", "local", "popd", "printf",
    "pushd", "pwd", "read", "readonly", "return", "select", "set", "shift", "shopt", "source",
    "test", "then", "time", "trap", "type", "ulimit", "umask", "unalias", "unset", "until", "wait",
    "while",
];

/// The files that define tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TaskFile {
    Just,
    Make,
    Mise,
    Package,
    Task,
}

#[derive(Default)]
pub(super) struct Surroundings {
    pub(super) programs: BTreeSet<String>,
    tasks: BTreeMap<String, BTreeMap<TaskFile, BTreeSet<String>>>,
}

impl Surroundings {
    /// Adds what a line names that runs in these folders.
    pub(super) fn add(&mut self, line: &str, folders: &[String]) {
        for command in remove_texts(line).split(['\n', ';', '&', '|']) {
            let mut words = command.split_whitespace().skip_while(|word| stands_in_front(word));
            let Some(program) = words.next().filter(|program| is_program(program)) else {
                continue;
            };
            self.programs.insert(program.to_owned());
            let names: Vec<&str> = words.filter(|word| is_task(word)).collect();
            let Some((file, name)) = find_task(program, &names) else { continue };
            for folder in folders {
                let files = self.tasks.entry(folder.clone()).or_default();
                files.entry(file).or_default().insert(name.to_owned());
            }
        }
    }

    /// Each file of tasks, with its text.
    pub(super) fn list_files(&self) -> impl Iterator<Item = (String, String)> {
        self.tasks.iter().flat_map(|(folder, files)| {
            files.iter().map(move |(file, names)| {
                let path = Path::new(folder).join(file.name());
                (path.display().to_string(), file.write(names))
            })
        })
    }
}

impl TaskFile {
    const fn name(self) -> &'static str {
        match self {
            Self::Just => "justfile",
            Self::Make => "Makefile",
            Self::Mise => "mise.toml",
            Self::Package => "package.json",
            Self::Task => "Taskfile.yml",
        }
    }

    fn write(self, names: &BTreeSet<String>) -> String {
        let each = |task: fn(&String) -> String| names.iter().map(task).collect::<String>();
        match self {
            Self::Just | Self::Make => each(|name| format!("{name}:\n\ttrue\n")),
            Self::Mise => each(|name| format!("[tasks.\"{name}\"]\nrun = \"true\"\n")),
            Self::Package => {
                let scripts: BTreeMap<&String, &str> =
                    names.iter().map(|name| (name, "true")).collect();
                json!({ "scripts": scripts }).to_string()
            }
            Self::Task => {
                let tasks = each(|name| format!("  \"{name}\":\n    cmds: [\"true\"]\n"));
                format!("version: \"3\"\ntasks:\n{tasks}")
            }
        }
    }
}

/// A line without its here-documents and quoted texts: their words start nothing, and a program of such
/// a name would make every operand of that name look like one.
fn remove_texts(line: &str) -> String {
    let joined = line.replace("\\\n", " ");
    let (mut code, mut quote) = (String::new(), None);
    let mut lines = joined.lines();
    while let Some(text) = lines.next() {
        let mut escaped = false;
        for c in text.chars() {
            match quote {
                Some(open) if c == open && !escaped => quote = None,
                None if matches!(c, '\'' | '"') && !escaped => {
                    quote = Some(c);
                    code.push('_');
                }
                None => code.push(c),
                Some(_) => {}
            }
            escaped = c == '\\' && !escaped && quote != Some('\'');
        }
        if let Some(end) = find_end_of_text(text) {
            lines.by_ref().take_while(|text| text.trim() != end).for_each(drop);
        }
        code.push('\n');
    }
    code
}

/// The word that ends the here-document which a line begins.
fn find_end_of_text(line: &str) -> Option<&str> {
    let (_, word) = line.split_once("<<")?;
    let word = word.trim_start_matches(['-', ' ', '\'', '"', '\\']);
    let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
    word.get(..end).filter(|word| !word.is_empty())
}

/// The task that a command starts by its name.
fn find_task<'w>(program: &str, names: &[&'w str]) -> Option<(TaskFile, &'w str)> {
    match (program, names) {
        ("mise", ["run" | "r", name, ..]) => Some((TaskFile::Mise, name)),
        ("npm" | "pnpm" | "yarn" | "bun", ["run" | "run-script", name, ..]) => {
            Some((TaskFile::Package, name))
        }
        ("make", [name, ..]) => Some((TaskFile::Make, name)),
        ("just", [name, ..]) => Some((TaskFile::Just, name)),
        ("task", [name, ..]) => Some((TaskFile::Task, name)),
        _ => None,
    }
}

/// Assignments, and words of the shell behind which a command stands.
fn stands_in_front(word: &str) -> bool {
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    });
    is_assignment
        || matches!(word, "if" | "then" | "elif" | "else" | "do" | "while" | "until" | "time")
}

fn is_program(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && (2..=40).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_.-".contains(&b))
        && !SHELL_WORDS.contains(&word)
}

fn is_task(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_:./-".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_texts_are_no_programs() {
        let mut found = Surroundings::default();
        let line = "git commit -m \"$(cat <<'EOF'\nlist what changed\nEOF\n)\" && own-tool x\n\
                    cat > a <<X\nstatus of it\nX\necho 'show;\nall' | wc";
        found.add(line, &[]);
        let programs: Vec<&str> = found.programs.iter().map(String::as_str).collect();
        assert_eq!(programs, ["cat", "git", "own-tool", "wc"]);
    }

    #[test]
    fn the_programs_and_tasks_of_a_line_exist_where_it_runs() {
        let mut found = Surroundings::default();
        let line =
            "CI=1 mise run fmt && bun run build -- --watch\nif x; then make all; fi | own-tool";
        found.add(line, &["/w".to_owned()]);
        let programs: Vec<&str> = found.programs.iter().map(String::as_str).collect();
        assert_eq!(programs, ["bun", "make", "mise", "own-tool"]);
        let files: Vec<(String, String)> = found.list_files().collect();
        let expected = [
            ("/w/Makefile", "all:\n\ttrue\n"),
            ("/w/mise.toml", "[tasks.\"fmt\"]\nrun = \"true\"\n"),
            ("/w/package.json", "{\"scripts\":{\"build\":\"true\"}}"),
        ];
        assert_eq!(files, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }
}
