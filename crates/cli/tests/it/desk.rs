//! A folder with files in it, and the program run there without a terminal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A small graph without decay, so that no answer depends on the day.
pub const GRAPH: &str = "\
domains:
  email:
    trust_level: high
    autonomous: [read]
    requires_approval: [send, delete, pay]
    blocked: [wipe, send_to_unknown]
    actions:
      delete: {reversible: true}
      pay: {categories: [purchase]}
";

pub struct Desk {
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
    program: PathBuf,
    /// Whether the environment names a `countersign.yaml` in the folder, which then needs no trust.
    names_graph: bool,
    /// How many descriptors a program that this desk starts may open.
    max_descriptors: Option<usize>,
}

impl Desk {
    pub fn empty() -> Self {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_countersign"));
        let folder = tempfile::tempdir().unwrap();
        Self { folder, environment: Vec::new(), program, names_graph: true, max_descriptors: None }
    }

    /// The graph in the folder is only found there.
    pub fn without_named_graph(mut self) -> Self {
        self.names_graph = false;
        self
    }

    /// With a copy of the program in `bin`, where this desk decides who can write it.
    pub fn with_own_program(mut self) -> Self {
        let copy = self.path("bin/countersign");
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(&self.program, &copy).unwrap();
        self.program = copy;
        self
    }

    /// With `GRAPH` where it is found without being named.
    pub fn new() -> Self {
        Self::empty().with("countersign.yaml", GRAPH)
    }

    pub fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub fn under(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn with_max_descriptors(mut self, max: usize) -> Self {
        self.max_descriptors = Some(max);
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = match self.max_descriptors {
            None => Command::new(&self.program),
            Some(max) => {
                let mut shell = Command::new("/bin/sh");
                let limit = format!("ulimit -n {max} && exec \"$0\" \"$@\"");
                shell.args(["-c", &limit]).arg(&self.program);
                shell
            }
        };
        command.args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        // Nothing of whoever runs the tests: no colours, no settings.
        command.env_clear().env("HOME", self.path("home")).env("TZ", "UTC");
        if self.names_graph && self.path("countersign.yaml").exists() {
            command.env("COUNTERSIGN_GRAPH", "countersign.yaml");
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn output(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// What was printed to each stream and the exit code, as one text.
    pub fn run(&self, words: &[&str]) -> String {
        let output = self.output(words);
        let mut text = self.anywhere(&output.stdout);
        for line in self.anywhere(&output.stderr).lines() {
            text.push_str(&format!("stderr: {line}\n"));
        }
        text.push_str(&format!("exit: {}", code(&output)));
        text
    }

    pub fn code(&self, words: &[&str]) -> i32 {
        code(&self.output(words))
    }

    fn anywhere(&self, bytes: &[u8]) -> String {
        let here: &Path = self.folder.path();
        String::from_utf8(bytes.to_vec()).unwrap().replace(here.to_str().unwrap(), "HERE")
    }
}

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("the program was killed")
}

/// The first id with this letter in a JSON text.
pub fn first_id(json: &str, letter: char) -> Option<String> {
    let is_id = |word: &&str| word.starts_with(letter) && is_printed_id(word, 33);
    json.split(['"', '\\']).find(is_id).map(str::to_owned)
}

/// Whether this is a letter and digits, in all so many characters.
pub fn is_printed_id(word: &str, length: usize) -> bool {
    let is_hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    word.len() == length
        && word.starts_with(['c', 'r', 'g', 'w', 't', 'p', 'n'])
        && word.bytes().skip(1).all(is_hex)
}
