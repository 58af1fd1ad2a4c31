//! Code in the words of an interpreter: what it deletes, writes or starts by a literal path or command.

use super::DangerSearch;
use super::arguments::Arguments;
use super::devices;
use super::devices::find_device;
use super::landmarks::{LastLink, find_folder};
use crate::loose::{Word, WordKind};
use crate::subject::{SHELLS, is_interpreter};
use crate::working_folders::FolderSet;
use countersign_core::model::danger::DangerKind::{Catastrophe, Noted};

/// Calls that run a text as a shell command.
const STARTING: &[&str] = &[
    "system(",
    "system ",
    "subprocess",
    "popen",
    "exec(",
    "execsync",
    "spawn",
    "shell_exec",
    "passthru",
    "`",
    "qx",
    "%x",
    "child_process",
    "$(",
    "call(",
    "check_output",
    "io.popen",
    "os.execute",
    "run(",
];
/// Calls that delete a folder with what is in it.
const DELETING: &[&str] = &[
    "rmtree",
    "rmsync",
    "fs.rm(",
    "rmdirsync",
    "rm_rf",
    "rm_r",
    "remove_tree",
    "remove_dir_all",
    "removesync",
    "emptydir",
    "deltree",
    "removerecursively",
    "rimraf",
    "promises.rm",
    ".rmdir(",
];

pub(super) fn check_inline_code(
    search: &mut DangerSearch,
    arguments: &Arguments,
    folders: &FolderSet,
) {
    let is_awk = arguments.is_program(&["awk", "gawk", "mawk", "nawk"]);
    let is_shell = SHELLS.contains(&arguments.program.as_str());
    if !is_awk && (is_shell || !is_interpreter(&arguments.program)) {
        return;
    }
    let mut codes = Vec::new();
    for (at, word) in arguments.words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| arguments.words.get(before));
        let takes_code = |text: &str| {
            text.starts_with('-') && !text.starts_with("--") && text.ends_with(['c', 'e', 'E', 'r'])
                || ["--eval", "--print", "--execute", "eval"].contains(&text)
        };
        if is_awk || before.is_some_and(|before| takes_code(&before.text)) {
            codes.extend(word.list_readings());
        }
    }
    for code in &codes {
        check_code(search, code, folders);
    }
    if !codes.is_empty() && !is_awk {
        search.add(Noted, "runs", "inline code, which is shown");
    }
}

fn check_code(search: &mut DangerSearch, code: &str, folders: &FolderSet) {
    let lower = code.to_ascii_lowercase();
    let squeezed: String = lower.split_whitespace().collect();
    let starts = STARTING.iter().any(|call| lower.contains(call));
    let deletes = DELETING.iter().any(|call| lower.contains(call));
    let forks = [
        "forkwhilefork",
        "while(1){fork",
        "while1:os.fork()",
        "whiletrue:os.fork()",
        "loop{fork",
        "for(;;){fork",
        "forkwhile1",
    ];
    if forks.iter().any(|bomb| squeezed.contains(bomb)) {
        search.add(Catastrophe, "starts processes without end", "until this machine stops");
    }
    for literal in list_literals(code) {
        if starts {
            search.search_script(&literal, folders);
        }
        let word = Word { text: literal, kind: WordKind::Literal, values: Vec::new() };
        if deletes
            && let Some(folder) = find_folder(&word, LastLink::Followed, folders, search.context)
        {
            search.add(folder.kind, "deletes", folder.what);
        }
        let writes = ["'w", "\"w", "'a", "\"a", "'r+", "\"r+", "write"];
        if writes.iter().any(|mode| code.contains(mode)) && find_device(&word.text).is_some() {
            devices::check_written_device(search, &word);
        }
    }
    let home = ["expanduser('~')", "expanduser(\"~\")", "path.home()", "homedir()", "dir.home"];
    if deletes && home.iter().any(|home| squeezed.contains(home)) {
        search.add(Catastrophe, "deletes", "your home folder");
    }
}

/// The texts between quotes, backticks and slashes of `%x`.
fn list_literals(code: &str) -> Vec<String> {
    let mut literals = Vec::new();
    for quote in ['\'', '"', '`'] {
        let mut pieces = code.split(quote);
        pieces.next();
        // Every second piece is inside, if the quotes are balanced.
        literals.extend(pieces.step_by(2).map(str::to_owned));
    }
    literals
}
