//! A repository and a home folder, with a program that records its run.

use countersign_commands::{LineJudgement, RuleSet};
use countersign_observe::{
    AgentIdentity, CommandLookup, FileIdentity, FileStamp, FileSystem, LookupError,
    ProgramIdentity, RealFileSystem, RealPath,
};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Where a setting is planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigPlace {
    Repository,
    Included,
    Home,
}

const PROGRAM_FOLDERS: &str = "/usr/local/bin:/usr/bin:/bin";

/// Records that it ran, and passes its file or its input on. With other words it reads nothing: git
/// would wait for an answer.
const PROGRAM: &str = "#!/bin/sh\necho ran >> ROOT/marks\n\
    if [ -f \"$1\" ]; then cat \"$1\"; elif [ $# = 0 ]; then cat; fi\nexit 0\n";

pub struct Sandbox {
    _dir: TempDir,
    pub root: String,
}

/// The disk of this machine, without the settings that its administrator chose.
struct WithoutSystemSettings(RealFileSystem);

impl FileSystem for WithoutSystemSettings {
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        self.0.resolve_path(path, cwd)
    }

    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
        self.0.find_program(name, cwd)
    }

    fn read_identity(&self, path: &str) -> Result<Option<FileIdentity>, LookupError> {
        self.0.read_identity(path)
    }

    fn list_folder(&self, folder: &RealPath) -> Result<Vec<String>, LookupError> {
        self.0.list_folder(folder)
    }

    fn read_stamp(&self, path: &str) -> Result<Option<FileStamp>, LookupError> {
        match path.ends_with("/etc/gitconfig") {
            true => Ok(None),
            false => self.0.read_stamp(path),
        }
    }

    fn read_file(&self, path: &str, max_bytes: u64) -> Result<Vec<u8>, LookupError> {
        self.0.read_file(path, max_bytes)
    }

    fn agent_user(&self) -> Option<u32> {
        self.0.agent_user()
    }
}

impl Sandbox {
    /// `w` is a repository with a branch to merge, a signed commit and a remote.
    pub fn new() -> Self {
        static TEMPLATE: OnceLock<Sandbox> = OnceLock::new();
        let template = TEMPLATE.get_or_init(Self::build);
        let sandbox = Self::empty();
        let copied = Command::new("cp").args(["-a", &template.path("."), &sandbox.root]).status();
        assert!(copied.unwrap().success());
        for name in ["planted", "git-remote-planted", "pre-commit"] {
            sandbox.add_program(&format!("programs/{name}"));
        }
        sandbox
    }

    fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        Self { _dir: dir, root }
    }

    fn build() -> Self {
        let sandbox = Self::empty();
        for folder in ["home", "w/sub", "programs"] {
            fs::create_dir_all(sandbox.path(folder)).unwrap();
        }
        // A template would add files that every test copies.
        let init = ["init", "-q", "--template=", "-b", "main"];
        sandbox.run_git(&[&init[..], &["--bare", "../remote.git"]].concat());
        sandbox.run_git(&init);
        sandbox.write("w/.gitattributes", "*.one diff=one filter=one merge=one\n");
        sandbox.commit("start");
        sandbox.run_git(&["push", "-q", "../remote.git", "main"]);
        let words = ["commit-tree", "main^{tree}", "-m", "to fetch"];
        let id = String::from_utf8(sandbox.run_git_in("remote.git", &words).stdout).unwrap();
        sandbox.run_git_in("remote.git", &["update-ref", "refs/heads/more", id.trim()]);
        sandbox.run_git(&["checkout", "-q", "-b", "other"]);
        sandbox.commit("other");
        sandbox.run_git(&["checkout", "-q", "main"]);
        sandbox.commit("main");
        sandbox.sign();
        sandbox.run_git(&["remote", "add", "origin", "ssh://127.0.0.1:1/x"]);
        sandbox.run_git(&["remote", "add", "near", "ssh://127.0.0.1:1/y"]);
        sandbox.run_git(&["config", "branch.main.remote", "origin"]);
        sandbox.run_git(&["config", "branch.main.merge", "refs/heads/main"]);
        sandbox
    }

    pub fn path(&self, below: &str) -> String {
        format!("{}/{below}", self.root)
    }

    pub fn write(&self, path: &str, content: &str) {
        fs::write(self.path(path), content).unwrap();
    }

    fn add_program(&self, path: &str) {
        let path = self.path(path);
        fs::write(&path, PROGRAM.replace("ROOT", &self.root)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn commit(&self, content: &str) {
        for file in ["w/a.one", "w/b.txt"] {
            self.write(file, &format!("{content}\n"));
        }
        self.run_git(&["add", "."]);
        self.run_git(&["commit", "-q", "-m", content]);
    }

    /// Adds a signature to the last commit, so that git would run the verifier.
    fn sign(&self) {
        let stdout = |output: Output| String::from_utf8(output.stdout).unwrap();
        let commit = stdout(self.run_git(&["cat-file", "commit", "HEAD"]));
        let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
        let signed = commit.replacen("\n\n", &format!("\n{signature}\n\n"), 1);
        self.write("signed", &signed);
        let id = stdout(self.run_git(&["hash-object", "-t", "commit", "-w", "../signed"]));
        self.run_git(&["update-ref", "HEAD", id.trim()]);
    }

    pub fn plant(&self, settings: &[(&str, &str)], place: ConfigPlace) {
        let file = match place {
            ConfigPlace::Repository => self.path("w/.git/config"),
            ConfigPlace::Included => {
                self.run_git(&["config", "include.path", "more/included"]);
                fs::create_dir_all(self.path("w/.git/more")).unwrap();
                self.path("w/.git/more/included")
            }
            ConfigPlace::Home => self.path("home/.gitconfig"),
        };
        for (key, value) in settings {
            let (key, value) = (self.fill(key), self.fill(value));
            // A value of the repository comes behind that of the home folder. There may be none.
            let unset = ["git", "config", "--unset-all", &key].map(str::to_owned);
            self.run("w", &unset);
            self.run_git(&["config", "--file", &file, "--replace-all", &key, &value]);
        }
    }

    pub fn plant_hook(&self, name: &str) {
        fs::create_dir_all(self.path("w/.git/hooks")).unwrap();
        self.add_program(&format!("w/.git/hooks/{name}"));
    }

    fn fill(&self, text: &str) -> String {
        let text = text.replace("PROGRAM", &self.path("programs/planted"));
        let text = text.replace("FOLDER", &self.path("programs"));
        text.replace("REMOTE", &self.path("remote.git")).replace("PORT", &server_port())
    }

    /// Judges a line by a rule for exactly this line.
    pub fn judge(&self, line: &str) -> LineJudgement {
        self.judge_in("w", line)
    }

    pub fn judge_in(&self, folder: &str, line: &str) -> LineJudgement {
        let line = self.fill(line);
        let commands = line.split(" && ").filter(|command| !command.starts_with("cd "));
        let words = commands.filter_map(|command| command.split(" > ").next());
        let rules: Vec<String> = words.map(|command| format!("allow {command}")).collect();
        self.judge_by(&RuleSet::parse(&rules.join("; ")).unwrap(), folder, &line)
    }

    pub fn judge_by(&self, rules: &RuleSet, folder: &str, line: &str) -> LineJudgement {
        let identity = AgentIdentity::current_user();
        let files = WithoutSystemSettings(RealFileSystem::new(identity, PROGRAM_FOLDERS));
        let (workspace, home) = (self.path(folder), self.path("home"));
        let lookup = CommandLookup::new(&files, (Some(&workspace), None), Some(&home));
        rules.judge(line, &lookup.context())
    }

    /// Runs a command after some changes, and says whether the planted program ran.
    pub fn runs_planted(&self, argv: &[String]) -> bool {
        self.runs_planted_in("w", argv)
    }

    pub fn runs_planted_in(&self, folder: &str, argv: &[String]) -> bool {
        let marks = self.path("marks");
        let has = |names: &[&str]| argv.iter().any(|word| names.contains(&word.as_str()));
        if !has(&["merge", "rebase"]) {
            // Git looks again at what changed; this one keeps its size, so git looks inside.
            self.write("w/a.one", "m4in\n");
            self.write("w/b.txt", "changed\n");
        }
        if has(&["commit"]) {
            self.run_git(&["add", "b.txt"]);
        }
        if fs::exists(&marks).unwrap() {
            fs::remove_file(&marks).unwrap();
        }
        self.run(folder, argv);
        fs::exists(&marks).unwrap()
    }

    pub fn run(&self, folder: &str, argv: &[String]) -> Output {
        Command::new(&argv[0])
            .args(&argv[1..])
            .current_dir(self.path(folder))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", format!("{}:{PROGRAM_FOLDERS}", self.path("programs")))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_AUTHOR_NAME", "n")
            .env("GIT_AUTHOR_EMAIL", "n@example.org")
            .env("GIT_COMMITTER_NAME", "n")
            .env("GIT_COMMITTER_EMAIL", "n@example.org")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    pub fn run_git(&self, words: &[&str]) -> Output {
        self.run_git_in("w", words)
    }

    pub fn run_git_in(&self, folder: &str, words: &[&str]) -> Output {
        let argv: Vec<String> =
            std::iter::once("git").chain(words.iter().copied()).map(str::to_owned).collect();
        let output = self.run(folder, &argv);
        assert!(output.status.success(), "{words:?}: {output:?}");
        output
    }
}

/// The port of a server that wants a password for everything.
fn server_port() -> String {
    static PORT: OnceLock<u16> = OnceLock::new();
    let start = || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _request = stream.read(&mut [0; 4096]);
                let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\
                              Content-Length: 0\r\nConnection: close\r\n\r\n";
                let _sent = stream.write_all(answer.as_bytes());
            }
        });
        port
    };
    PORT.get_or_init(start).to_string()
}
