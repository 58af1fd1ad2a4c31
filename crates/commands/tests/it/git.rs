//! An executed git command runs none of the programs that a repository's configuration names.

use countersign_commands::{CommandContext, NoDiskLookup, RuleSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A repository in which every known setting names a program that records its run.
struct Repository {
    dir: TempDir,
}

const PROGRAM: &str = "#!/bin/sh\necho \"${0##*/}\" >> \"$(dirname \"$0\")/marks\"\nexit 0\n";

impl Repository {
    fn with_planted_programs() -> Self {
        let repository = Self { dir: tempfile::tempdir().unwrap() };
        let plant = |name: &str| {
            let path = repository.path(name);
            fs::write(&path, PROGRAM).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        repository.run_git(&["init", "-q", "."]);
        for file in ["a.one", "b.two"] {
            fs::write(repository.path(file), "x\n").unwrap();
        }
        fs::write(repository.path(".gitattributes"), "*.one diff=one\n*.two diff=two\n").unwrap();
        repository.run_git(&["add", "."]);
        let identity = ["-c", "user.name=n", "-c", "user.email=n@example.org"];
        repository.run_git(&[&identity[..], &["commit", "-q", "-m", "first"]].concat());
        for (setting, name) in [
            ("core.fsmonitor", "fsmonitor"),
            ("diff.external", "external"),
            ("diff.one.textconv", "textconv"),
            ("diff.two.command", "driver"),
            ("gpg.program", "verifier"),
            ("core.sshCommand", "ssh-command"),
            ("core.pager", "pager"),
        ] {
            repository.run_git(&["config", setting, &plant(name)]);
        }
        repository.run_git(&["config", "log.showSignature", "true"]);
        repository.sign();
        fs::copy(plant("hook"), repository.path(".git/hooks/post-index-change")).unwrap();
        for file in ["a.one", "b.two"] {
            fs::write(repository.path(file), "y\n").unwrap();
        }
        repository
    }

    /// Adds a signature to the last commit, so that git would run the verifier.
    fn sign(&self) {
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let stdout = |output: Output| String::from_utf8(output.stdout).unwrap();
        let commit = stdout(self.run(&words(&["git", "cat-file", "commit", "HEAD"])));
        let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
        let signed = commit.replacen("\n\n", &format!("\n{signature}\n\n"), 1);
        fs::write(self.path(".git/signed"), signed).unwrap();
        let id = self.run(&words(&["git", "hash-object", "-t", "commit", "-w", ".git/signed"]));
        self.run_git(&["update-ref", "HEAD", stdout(id).trim()]);
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_str().unwrap().to_owned()
    }

    fn run(&self, argv: &[String]) -> Output {
        Command::new(&argv[0])
            .args(&argv[1..])
            .current_dir(self.dir.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_SSH_VARIANT", "ssh")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn run_git(&self, words: &[&str]) {
        let argv: Vec<String> =
            std::iter::once("git").chain(words.iter().copied()).map(str::to_owned).collect();
        let output = self.run(&argv);
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    /// Runs a command and returns which of the planted programs ran, without duplicates.
    fn run_and_list_marks(&self, argv: &[String]) -> Vec<String> {
        // A program records its run in its own folder.
        let files = ["marks", ".git/hooks/marks"].map(|name| self.path(name));
        files.iter().filter(|file| Path::new(file).exists()).for_each(|file| {
            fs::remove_file(file).unwrap();
        });
        // Git looks at modified files again.
        for file in ["a.one", "b.two"] {
            fs::write(self.path(file), "z\n").unwrap();
        }
        self.run(argv);
        let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
        let mut marks: Vec<String> =
            texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        marks.sort_unstable();
        marks.dedup();
        marks
    }
}

fn judge_line(line: &str) -> (Vec<String>, Vec<String>) {
    let rules = "allow git status; allow git diff *; allow git show *; allow git log *; \
                 allow git blame *; allow git grep *; allow git ls-remote ssh://host/x";
    let places = CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };
    let judgement = RuleSet::parse(rules).unwrap().judge(line, &places);
    let [segment] = judgement.segments.as_slice() else { panic!("{judgement:?}") };
    assert!(segment.covering.is_ok(), "{segment:?}");
    (segment.segment.argv.clone(), segment.invocation().argv)
}

#[test]
fn planted_programs_run_with_the_written_argv_and_not_with_the_invocation() {
    let repository = Repository::with_planted_programs();
    let mut seen = Vec::new();
    for line in [
        "git status",
        "git diff",
        "git diff --no-ext-diff",
        "git log -p -n 1",
        "git show",
        "git blame a.one",
        "git grep -n x",
        "git ls-remote ssh://host/x",
    ] {
        let (written, executed) = judge_line(line);
        seen.extend(repository.run_and_list_marks(&written));
        assert_eq!(repository.run_and_list_marks(&executed), [""; 0], "{line}");
    }
    seen.sort_unstable();
    seen.dedup();
    // The pager runs only on a terminal.
    let expected = [
        "driver",
        "external",
        "fsmonitor",
        "post-index-change",
        "ssh-command",
        "textconv",
        "verifier",
    ];
    assert_eq!(seen, expected, "every planted program must run without the extra options");
}

#[test]
fn an_invocation_has_the_same_result_as_the_written_argv() {
    let repository = Repository::with_planted_programs();
    repository.run_git(&["config", "--unset", "core.fsmonitor"]);
    for line in ["git status", "git diff --stat", "git log --oneline", "git grep -n x"] {
        let (written, executed) = judge_line(line);
        let [written, executed] = [written, executed].map(|argv| repository.run(&argv));
        assert_eq!(written.status.code(), executed.status.code(), "{line}");
        if !line.contains("diff") {
            assert_eq!(written.stdout, executed.stdout, "{line}");
        }
    }
}
