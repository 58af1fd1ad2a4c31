//! Git as it is executed runs none of the programs that a repository's configuration names.

use countersign_commands::{CommandContext, NoDiskLookup, RuleSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A repository in which every setting that we know of names a program that leaves its mark.
struct Repository {
    dir: TempDir,
}

const PROGRAM: &str = "#!/bin/sh\necho \"${0##*/}\" >> \"$(dirname \"$0\")/marks\"\nexit 0\n";

impl Repository {
    fn planted() -> Self {
        let repository = Self { dir: tempfile::tempdir().unwrap() };
        let planted = |name: &str| {
            let at = repository.at(name);
            fs::write(&at, PROGRAM).unwrap();
            fs::set_permissions(&at, fs::Permissions::from_mode(0o755)).unwrap();
            at
        };
        repository.git(&["init", "-q", "."]);
        for file in ["a.one", "b.two"] {
            fs::write(repository.at(file), "x\n").unwrap();
        }
        fs::write(repository.at(".gitattributes"), "*.one diff=one\n*.two diff=two\n").unwrap();
        repository.git(&["add", "."]);
        let who = ["-c", "user.name=n", "-c", "user.email=n@example.org"];
        repository.git(&[&who[..], &["commit", "-q", "-m", "first"]].concat());
        for (setting, name) in [
            ("core.fsmonitor", "fsmonitor"),
            ("diff.external", "external"),
            ("diff.one.textconv", "textconv"),
            ("diff.two.command", "driver"),
            ("gpg.program", "verifier"),
            ("core.sshCommand", "ssh-command"),
            ("core.pager", "pager"),
        ] {
            repository.git(&["config", setting, &planted(name)]);
        }
        repository.git(&["config", "log.showSignature", "true"]);
        repository.sign();
        fs::copy(planted("hook"), repository.at(".git/hooks/post-index-change")).unwrap();
        for file in ["a.one", "b.two"] {
            fs::write(repository.at(file), "y\n").unwrap();
        }
        repository
    }

    /// Gives the last commit a signature that a verifier would have to look at.
    fn sign(&self) {
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let said = |output: Output| String::from_utf8(output.stdout).unwrap();
        let commit = said(self.run(&words(&["git", "cat-file", "commit", "HEAD"])));
        let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
        let signed = commit.replacen("\n\n", &format!("\n{signature}\n\n"), 1);
        fs::write(self.at(".git/signed"), signed).unwrap();
        let id = self.run(&words(&["git", "hash-object", "-t", "commit", "-w", ".git/signed"]));
        self.git(&["update-ref", "HEAD", said(id).trim()]);
    }

    fn at(&self, name: &str) -> String {
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

    fn git(&self, words: &[&str]) {
        let argv: Vec<String> =
            std::iter::once("git").chain(words.iter().copied()).map(str::to_owned).collect();
        let output = self.run(&argv);
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    /// Which of the planted programs ran, each once.
    fn marks(&self, argv: &[String]) -> Vec<String> {
        // Wherever a program lies, its mark lies beside it.
        let files = ["marks", ".git/hooks/marks"].map(|name| self.at(name));
        files.iter().filter(|file| Path::new(file).exists()).for_each(|file| {
            fs::remove_file(file).unwrap();
        });
        // A file that was touched is looked at again.
        for file in ["a.one", "b.two"] {
            fs::write(self.at(file), "z\n").unwrap();
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

fn judged(line: &str) -> (Vec<String>, Vec<String>) {
    let rules = "allow git status; allow git diff *; allow git show *; allow git log *; \
                 allow git blame *; allow git grep *; allow git ls-remote ssh://host/x";
    let places = CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };
    let judged = RuleSet::parse(rules).unwrap().judge(line, &places);
    let [judgement] = judged.segments.as_slice() else { panic!("{judged:?}") };
    assert!(judgement.covering_rule.is_ok(), "{judgement:?}");
    (judgement.segment.argv.clone(), judgement.invocation().argv)
}

#[test]
fn what_a_repository_plants_runs_with_the_text_and_not_with_the_executed_words() {
    let repository = Repository::planted();
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
        let (written, executed) = judged(line);
        seen.extend(repository.marks(&written));
        assert_eq!(repository.marks(&executed), [""; 0], "{line}");
    }
    seen.sort_unstable();
    seen.dedup();
    // The pager runs only where somebody watches.
    let expected = [
        "driver",
        "external",
        "fsmonitor",
        "post-index-change",
        "ssh-command",
        "textconv",
        "verifier",
    ];
    assert_eq!(seen, expected, "what was planted has to run where nothing keeps it from running");
}

#[test]
fn executed_words_do_what_the_written_ones_do() {
    let repository = Repository::planted();
    repository.git(&["config", "--unset", "core.fsmonitor"]);
    for line in ["git status", "git diff --stat", "git log --oneline", "git grep -n x"] {
        let (written, executed) = judged(line);
        let [written, executed] = [written, executed].map(|argv| repository.run(&argv));
        assert_eq!(written.status.code(), executed.status.code(), "{line}");
        if !line.contains("diff") {
            assert_eq!(written.stdout, executed.stdout, "{line}");
        }
    }
}
