//! Every command that the documents show works as it is printed, in that order, on a fresh account.
//!
//! The commands are read from the documents themselves, so a new page or a changed line is tried without
//! a change here. What stands for something of the reader's (an id, a file) is made before.
//!
//! See docs/decisions/0138-what-the-documents-show-is-typed.md.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Commands that are not typed, with the reason. One that no document shows any more fails the test.
const NOT_TYPED: &[(&str, &str)] = &[
    ("cargo ", "builds this repository"),
    ("/bin/sh -c '\"$0\" hook codex", "shows what the settings of Codex contain"),
    ("countersign serve", "stays in the foreground"),
    ("countersign watch", "stays in the foreground, and needs a terminal"),
    ("countersign open", "opens a browser; `cargo xtask browser` opens one"),
    (
        "export COUNTERSIGN_TOKEN=$(countersign agent add shop",
        "two guides show it; `doors.rs` has the token",
    ),
    ("countersign log --follow", "stays in the foreground"),
    ("countersign ledger follow", "stays in the foreground"),
    ("countersign mcp add", "reaches the network"),
    ("countersign mcp serve", "speaks MCP on its input"),
    ("countersign import", "reads a file of an earlier system; `import.rs` has some"),
    ("countersign proposals ", "needs a proposal of an agent; `proposals.rs` makes some"),
    ("countersign approve r7f2a1c --all-moderate", "needs a moderate card; `bundles.rs` makes one"),
    ("countersign run --", "waits for an answer; `run.rs` gives it"),
    ("countersign approve r7f2a1c --item", "needs a card with two items; `bundles.rs` makes one"),
    (
        "countersign grants suggest --apply",
        "needs three answers of one kind; `suggest.rs` has them",
    ),
    ("countersign graph diff old.yaml countersign.yaml --prove", "needs the solver cvc5"),
    ("countersign ledger verify --contains", "needs a hash that was kept elsewhere"),
    ("countersign gate --session deploy", "waits for five minutes"),
    ("RUN=$(countersign workflow start release", "needs the reader's own workflow"),
    ("countersign gate --session s1 --run", "needs the run before"),
    ("countersign workflow end", "needs the run before"),
    ("countersign ask --session deploy", "goes on in the next line of the page"),
    ("install -d -o countersign", "needs root"),
    ("TOKEN=$(countersign agent add claude)", "is typed first, with its output thrown away"),
];

/// A home, a repository in it, and the program in the search path.
struct Account {
    folder: tempfile::TempDir,
}

impl Account {
    fn open() -> Self {
        let account = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["home/.config/countersign", "home/.ssh", "bin", "shop/cases", "elsewhere"] {
            fs::create_dir_all(account.path(name)).unwrap();
        }
        let program = env!("CARGO_BIN_EXE_countersign");
        std::os::unix::fs::symlink(program, account.path("bin/countersign")).unwrap();
        for program in ["claude", "codex"] {
            let file = account.path(&format!("bin/{program}"));
            fs::write(&file, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            fs::create_dir_all(account.path(&format!("home/.{program}"))).unwrap();
        }
        // Other daemons may use the ports; everything here goes over the sockets.
        let settings = account.path("home/.config/countersign/settings.toml");
        fs::write(&settings, "[network]\nhttp = false\n").unwrap();
        fs::set_permissions(&settings, fs::Permissions::from_mode(0o600)).unwrap();
        let story = "story: reading passes\ngraph:\n  domains:\n    mail: {autonomous: [read], \
                     requires_approval: [], blocked: []}\nsteps:\n  - {call: mail.read, expect: allow}\n";
        fs::write(account.path("shop/cases/reading.yaml"), story).unwrap();
        fs::write(account.path("shop/notes.md"), "notes\n").unwrap();
        fs::write(account.path("shop/calls.jsonl"), "{\"session\": \"s\", \"tool\": \"Read\"}\n")
            .unwrap();
        let git = "git init -q -b main . && git remote add origin https://git.example.org/shop.git \
                   && git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m one";
        assert!(account.shell(git).status.success());
        account.open_session("s0");
        account
    }

    /// The first call of an agent starts the daemon, and opens its session.
    fn open_session(&self, session: &str) {
        let call = format!(
            "countersign gate --session {session} --tool Read --args '{{\"file_path\": \"notes.md\"}}'"
        );
        assert!(self.shell(&call).status.success());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, line: &str) -> Command {
        // A command that waits for somebody must not hang the tests.
        let mut command = Command::new("timeout");
        command.args(["120", "/bin/sh"]);
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display());
        command.args(["-c", line]).current_dir(self.path("shop")).stdin(Stdio::null());
        command.env_clear().env("HOME", self.path("home")).env("PATH", path).env("TZ", "UTC");
        command.process_group(0);
        command
    }

    fn shell(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// The id of a request that waits now, for a command line that nothing else asks about.
    fn open_request(&self, number: usize) -> String {
        let ask = format!(
            "countersign gate --session t{number} --project . --tool Bash --cwd . --args \
             '{{\"command\": \"git push origin topic-{number}\"}}'"
        );
        let printed = self.shell(&ask);
        let text = String::from_utf8_lossy(&printed.stderr).into_owned();
        let id = text.split("it waits as ").nth(1).and_then(|rest| rest.split(' ').next());
        id.unwrap_or_else(|| panic!("nothing waits: {text}")).to_owned()
    }

    /// The id of a grant that is in force now.
    fn mint_grant(&self) -> String {
        let add = "countersign grants add --session s1 --command 'make lint' --for 2h --json";
        let printed = self.shell(add);
        let text = String::from_utf8_lossy(&printed.stdout).into_owned();
        crate::desk::first_id(&text, 'g').unwrap_or_else(|| panic!("no grant: {text}"))
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let _none = self.shell("countersign stop");
    }
}

/// A command of a document, and where it is.
struct Shown {
    place: String,
    line: String,
}

fn list_documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut guides: Vec<PathBuf> =
        fs::read_dir(root.join("docs/guides")).unwrap().map(|one| one.unwrap().path()).collect();
    guides.sort();
    let mut documents = vec![root.join("README.md"), root.join("docs/guides/the-daemon.md")];
    guides.retain(|guide| !documents.contains(guide));
    documents.extend(guides);
    documents.push(root.join("docs/commands.md"));
    documents
}

/// The commands in the blocks for shells; in a recorded one, those behind the prompt.
fn read_commands(document: &Path) -> Vec<Shown> {
    let text = fs::read_to_string(document).unwrap();
    let name = document.file_name().unwrap().to_string_lossy().into_owned();
    let (mut found, mut block) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        if let Some(kind) = line.strip_prefix("```") {
            block = block.is_none().then_some(kind);
            continue;
        }
        let command = match block {
            Some("sh") => Some(line),
            Some("console") => line.strip_prefix("$ "),
            _ => None,
        };
        let uses_program = |line: &&str| line.contains("countersign") || line.starts_with("cargo");
        let command = command.map(str::trim).filter(|line| !line.starts_with('#'));
        if let Some(line) = command.filter(uses_program) {
            let place = format!("{name}:{}", number + 1);
            found.push(Shown { place, line: line.to_owned() });
        }
    }
    found
}

/// The short id of a request that a line shows.
fn find_request_id(line: &str) -> Option<&str> {
    line.split(|one: char| !one.is_ascii_alphanumeric()).find(|word| {
        let digits = word.strip_prefix('r').filter(|digits| digits.len() == 6);
        digits.is_some_and(|digits| digits.chars().all(|one| one.is_ascii_hexdigit()))
    })
}

/// The line with what exists on this account in place of the reader's own.
fn fill_in(account: &Account, line: &str, number: usize) -> String {
    let mut line = line.to_owned();
    if let Some(example) = find_request_id(&line).map(str::to_owned) {
        line = line.replace(&example, &account.open_request(number));
    }
    if line.contains(" grants ") && line.contains("3e22a1") {
        return line.replace("3e22a1", &account.mint_grant());
    }
    if line.contains("g3e22a1") {
        return line.replace("g3e22a1", &account.mint_grant());
    }
    if line.contains("c3e22a1…") {
        let request = account.open_request(number);
        let log = account.shell("countersign ledger query --kind call_decided --last 1 --json");
        let text = String::from_utf8_lossy(&log.stdout).into_owned();
        let call = crate::desk::first_id(&text, 'c').unwrap();
        assert!(account.shell(&format!("countersign decline {request}")).status.success());
        return line.replace("c3e22a1…", &call);
    }
    if line.contains(" 3e22a1") {
        return line.replace("3e22a1", &account.open_request(number));
    }
    line
}

/// Makes what a page takes for granted.
fn prepare(account: &Account, line: &str) {
    if line.contains(".yaml") {
        let graph = account.path("home/.local/share/countersign/countersign.yaml");
        for name in ["old.yaml", "new.yaml", "countersign.yaml"] {
            fs::copy(&graph, account.path("shop").join(name)).unwrap();
        }
    }
    if line.contains("--repository") || line.contains("graph trust") {
        let rules =
            if line.contains("graph trust") { "{autonomous: [push]}" } else { "{blocked: [push]}" };
        fs::write(account.path("shop/countersign.yaml"), format!("domains: {{git: {rules}}}\n"))
            .unwrap();
    }
    if line.contains("git show HEAD:") {
        let commit =
            "git add -A && git -c user.name=a -c user.email=a@example.org commit -q -m two";
        account.shell(commit);
    }
    if line.contains(" say s1 ") {
        account.open_session("s1");
    }
    if line.contains("agent ls") {
        assert!(account.shell("countersign agent add claude").status.success());
    }
}

/// Takes away what would change what the next page finds.
fn clean_up(account: &Account, line: &str) {
    let _absent = fs::remove_file(account.path("shop/countersign.yaml"));
    if line.contains("pause") {
        assert!(account.shell("countersign resume --all").status.success());
    }
    if line.contains("countersign stop") || line.contains("ledger erase") {
        account.open_session("s0");
    }
}

/// Asks for a yes at a terminal only, and says so. With `--yes` it goes on, which is what a reader types.
fn confirm(line: &str) -> String {
    let asks = [
        "countersign allow",
        "countersign block",
        "countersign rule ask",
        "graph trust",
        "countersign init",
    ];
    match asks.iter().find(|asks| line.contains(*asks)) {
        Some(_) => line.split('#').next().unwrap().trim_end().to_owned() + " --yes",
        None => line.to_owned(),
    }
}

#[test]
fn every_command_that_the_documents_show_works_as_it_is_printed() {
    let account = Account::open();
    let mut unused: Vec<&str> = NOT_TYPED.iter().map(|(start, _)| *start).collect();
    let (mut typed, mut failed) = (0, Vec::new());
    for document in list_documents() {
        for shown in read_commands(&document) {
            if let Some((start, _)) =
                NOT_TYPED.iter().find(|(start, _)| shown.line.starts_with(start))
            {
                unused.retain(|one| one != start);
                continue;
            }
            prepare(&account, &shown.line);
            typed += 1;
            let line = confirm(&fill_in(&account, &shown.line, typed));
            if line.contains("ledger erase") {
                assert!(account.shell("countersign stop").status.success());
            }
            let output = account.shell(&line);
            // A question or a denial is an answer, too; an error is none.
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            if !matches!(output.status.code(), Some(0 | 3 | 5 | 8)) || stderr.contains("error: ") {
                failed.push(format!("{}: {line}\n{}\n{stderr}", shown.place, output.status));
            }
            clean_up(&account, &line);
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(typed > 40, "only {typed} commands were found");
    assert!(unused.is_empty(), "no document shows these any more: {unused:?}");
}

/// Ids that an example cuts short, or keeps in a variable, in full length.
fn complete_ids(words: &str) -> String {
    let complete = |word: &str| match (word.strip_suffix('…'), word) {
        (Some(start), _) => format!("{start:0<33}"),
        (None, "\"$RUN\"") => format!("w{:0<32}", ""),
        (None, word) => word.to_owned(),
    };
    words.split(' ').map(complete).collect::<Vec<_>>().join(" ")
}

/// What a page of help shows below `Examples:`.
fn list_examples(help: &str) -> Vec<String> {
    let after = help.lines().skip_while(|line| !line.starts_with("Examples:")).skip(1);
    let lines = after.take_while(|line| line.starts_with("  "));
    lines
        .map(|line| line.trim().to_owned())
        .filter(|line| line.starts_with("countersign "))
        .collect()
}

/// The names in the lists of commands of a page of help.
fn list_subcommands(help: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_list = false;
    for line in help.lines() {
        if !line.starts_with(' ') {
            is_list =
                line.ends_with(':') && !["Options:", "Arguments:", "Examples:"].contains(&line);
            continue;
        }
        let word = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '));
        let word = word.and_then(|rest| rest.split("  ").next());
        let is_name = |word: &&str| {
            word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') && *word != "help"
        };
        names.extend(word.filter(|_| is_list).filter(is_name).map(str::to_owned));
    }
    names
}

#[test]
fn every_example_of_the_help_is_a_command_that_the_program_takes() {
    let account = Account::open();
    let mut pending = vec![String::new()];
    let (mut examples, mut wrong) = (Vec::new(), Vec::new());
    while let Some(path) = pending.pop() {
        let help = account.shell(&format!("countersign {path} --help"));
        if !help.status.success() {
            continue;
        }
        let text = String::from_utf8_lossy(&help.stdout).into_owned();
        examples.extend(list_examples(&text));
        if path.split(' ').count() < 3 {
            pending.extend(
                list_subcommands(&text)
                    .iter()
                    .map(|name| format!("{path} {name}").trim().to_owned()),
            );
        }
    }
    examples.sort();
    examples.dedup();
    for example in &examples {
        // The command line is read before anything else, so one that is wrong says so with `--help`, too,
        // unless a word of it is unknown.
        let words = example.split("   ").next().unwrap().split(" && ").next().unwrap();
        let words = words.split(" | ").next().unwrap().split(" -- ").next().unwrap();
        let words = complete_ids(words);
        // No daemon can be where a file is, so nothing that could run does.
        let output = account.shell(&format!("{words} --data notes.md"));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let refused = [
            "unrecognized subcommand",
            "unexpected argument '--",
            "invalid value",
            "cannot be used with",
        ];
        // Some take no folder: that is not a mistake of the example.
        let is_about_folder = stderr.contains("'--data'") || stderr.contains("'--data <DIR>'");
        let is_wrong = refused.iter().any(|text| stderr.contains(text)) && !is_about_folder;
        if is_wrong {
            wrong.push(format!("{example}\n{stderr}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(examples.len() > 60, "only {} examples were found", examples.len());
}
