//! Which files a command line starts: its program, what a wrapper or `#!` leads to, and the script of an
//! interpreter. What it starts otherwise is named, because nobody can pin it.
//!
//! See docs/decisions/0100-pins-cover-what-is-started.md.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What a command line starts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StartedFiles {
    pub(super) files: Vec<PathBuf>,
    /// Variables that the command line itself sets.
    pub(super) variables: Vec<(String, String)>,
    /// What else it starts, or may.
    pub(super) unknown: Option<String>,
}

/// Programs that run the file that an argument names, and the letters of options that change nothing
/// about which one.
const INTERPRETERS: [(&str, &str); 15] = [
    ("python", "uBEIsSOqbP"),
    ("pypy", "uBEIsSOqb"),
    ("node", ""),
    ("nodejs", ""),
    ("bun", ""),
    ("deno", ""),
    ("ruby", "w"),
    ("perl", "wT"),
    ("php", ""),
    ("sh", "eux"),
    ("bash", "eux"),
    ("dash", "eux"),
    ("zsh", "eux"),
    ("ksh", "eux"),
    ("busybox", ""),
];

/// Programs that start another one, which their arguments or files of a project name.
const LAUNCHERS: &str = "
    timeout ionice chrt taskset sudo doas su xargs find script strace ltrace unshare nsenter chroot
    flatpak snap docker podman nerdctl ssh systemd-run dbus-run-session firejail bwrap watch entr
    parallel time flock npx npm pnpm pnpx yarn bunx corepack volta fnm nvm uv uvx pipx poetry pipenv
    pdm hatch rye conda mamba micromamba tox nox go cargo rustup dotnet java jbang mvn gradle make
    cmake ninja just task mise asdf direnv nix nix-shell devbox tsx ts-node swift elixir mix iex erl
    escript julia R Rscript lua luajit tclsh awk gawk mawk gdb lldb wine pwsh powershell fish csh tcsh
    nu xonsh guile racket sbcl clojure bb ocaml runghc stack cabal crystal zig dart flutter exec
    command xvfb-run op doppler infisical dotenv";

/// Errors say that the program is not there.
pub(super) fn find_started(
    command: &[String],
    folder: &Path,
    search_path: &str,
) -> Result<StartedFiles, String> {
    let mut started = StartedFiles::default();
    let place = StartPlace { folder, search_path };
    started.unknown = started.follow(command, place)?;
    Ok(started)
}

/// Where the names of a command line lead from.
#[derive(Clone, Copy)]
struct StartPlace<'a> {
    folder: &'a Path,
    search_path: &'a str,
}

impl StartPlace<'_> {
    /// The file that a name leads to, as the process itself would find it.
    fn find_program(&self, program: &str) -> Option<PathBuf> {
        let found = match program.contains('/') {
            true => Some(self.folder.join(program)),
            false => self
                .search_path
                .split(':')
                .map(|place| self.folder.join(place).join(program))
                .find(|file| file.is_file()),
        };
        std::fs::canonicalize(found?).ok()
    }
}

impl StartedFiles {
    /// What is started beside the files that were found.
    fn follow(
        &mut self,
        words: &[String],
        place: StartPlace<'_>,
    ) -> Result<Option<String>, String> {
        let (program, arguments) = words.split_first().ok_or("there is no command")?;
        let file = place
            .find_program(program)
            .ok_or_else(|| format!("`{program}` is not in the search path"))?;
        self.files.push(file.clone());
        // A link may have another name than its file.
        let names = [plain_name(Path::new(program)), plain_name(&file)];
        let is_any = |list: &str| {
            names.iter().any(|name| list.split_whitespace().any(|other| other == name))
        };
        if let Some(wrapped) = names.iter().find_map(|name| self.unwrap_words(name, arguments)) {
            return match wrapped {
                Some(inner) => self.follow(inner, place),
                None => Ok(Some(format!("what `{program}` starts"))),
            };
        }
        if let Some((_, harmless)) = INTERPRETERS.iter().find(|(name, _)| is_any(name)) {
            return Ok(match find_script(arguments, harmless, place.folder) {
                Some(script) => {
                    self.files.push(script);
                    None
                }
                None => Some(format!("the code that `{program}` runs")),
            });
        }
        if is_any(LAUNCHERS) {
            return Ok(Some(format!("what `{program}` starts")));
        }
        self.follow_first_line(&file, place);
        let is_program = |word: &&String| {
            let is_name = !word.starts_with('-') && !word.contains(['/', '=']);
            is_name && place.find_program(word).is_some()
        };
        let named = arguments.iter().find(is_program);
        Ok(named.map(|word| format!("`{word}`, which `{program}` may start")))
    }

    /// The interpreter of a script. Its own options are part of the script's content.
    fn follow_first_line(&mut self, file: &Path, place: StartPlace<'_>) {
        let mut start = [0; 256];
        let read = File::open(file).and_then(|mut file| file.read(&mut start)).unwrap_or_default();
        let start = String::from_utf8_lossy(start.get(..read).unwrap_or_default()).into_owned();
        let Some(line) = start.strip_prefix("#!").and_then(|rest| rest.lines().next()) else {
            return;
        };
        let words = line.split_whitespace().filter(|word| !word.starts_with('-')).take(2);
        self.files.extend(words.filter_map(|word| place.find_program(word)));
    }

    /// None if this is no wrapper; nothing inside if it has options that are not known here.
    fn unwrap_words<'w>(
        &mut self,
        wrapper: &str,
        arguments: &'w [String],
    ) -> Option<Option<&'w [String]>> {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let skipped = match (wrapper, words.as_slice()) {
            ("env", words) => {
                let assigned = words.iter().map_while(|word| word.split_once('='));
                let assigned: Vec<_> =
                    assigned.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
                let count = assigned.len();
                self.variables.extend(assigned);
                count
            }
            ("nice", ["-n", _, ..]) => 2,
            ("stdbuf", words) => words.iter().take_while(|word| word.starts_with('-')).count(),
            ("nice" | "nohup" | "setsid", _) => 0,
            _ => return None,
        };
        let inner = arguments.get(skipped..).unwrap_or_default();
        let is_plain = inner.first().is_some_and(|word| !word.starts_with('-'));
        Some(is_plain.then_some(inner))
    }
}

/// The script that an interpreter runs, if its arguments begin with one.
fn find_script(arguments: &[String], harmless: &str, folder: &Path) -> Option<PathBuf> {
    let is_harmless = |word: &&String| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| harmless.contains(letter))
    };
    let script = arguments.iter().find(|word| !is_harmless(word))?;
    let path = folder.join(script);
    (!script.starts_with('-') && path.is_file()).then(|| std::fs::canonicalize(path).ok())?
}

/// A name with or without a version: `python3.13`.
fn plain_name(program: &Path) -> String {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the files that a line starts, and what else it does.
    fn find(line: &str) -> (Vec<String>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["python3", "node", "env", "nice", "sh", "bun", "npx", "git", "runner"] {
            std::fs::write(folder.path().join(name), "binary").unwrap();
        }
        std::fs::write(folder.path().join("server.py"), "code").unwrap();
        std::fs::write(folder.path().join("served"), "#!/usr/bin/env node\ncode").unwrap();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let found = find_started(&words, folder.path(), folder.path().to_str().unwrap()).unwrap();
        let names = found.files.iter().map(|file| file.file_name().unwrap().to_str().unwrap());
        (names.map(str::to_owned).collect(), found.unknown)
    }

    #[test]
    fn what_is_started_is_followed_through_wrappers() {
        for (line, expected) in [
            ("runner --port 1", &["runner"][..]),
            ("python3 server.py --x", &["python3", "server.py"]),
            ("python3 -uB server.py", &["python3", "server.py"]),
            ("env A=1 B=2 python3 server.py", &["env", "python3", "server.py"]),
            ("nice -n 5 python3 server.py", &["nice", "python3", "server.py"]),
            ("nice env sh server.py", &["nice", "env", "sh", "server.py"]),
        ] {
            let (files, unknown) = find(line);
            assert_eq!(
                (files, unknown),
                (expected.iter().map(|f| (*f).to_owned()).collect(), None)
            );
        }
        let (files, unknown) = find("served");
        assert!(files.contains(&"node".to_owned()) && unknown.is_none(), "{files:?}");
    }

    #[test]
    fn what_cannot_be_followed_is_named() {
        for line in [
            "python3",
            "python3 -m server",
            "python3 -X dev server.py",
            "python3 -c x",
            "python3 server.pyc",
            "env -S python3 server.py",
            "env -u A python3 server.py",
            "env",
            "sh -c python3",
            "nice --adjustment=3 python3 server.py",
            "nice python3 -m server",
            "bun run server",
            "node --require ./x.js server.py",
            "npx server",
            "runner git server.py",
        ] {
            assert!(find(line).1.is_some(), "{line}");
        }
    }

    #[test]
    fn variables_of_the_line_count() {
        let words = ["env", "PYTHONPATH=/x", "true"].map(str::to_owned);
        let found = find_started(&words, Path::new("/"), "/usr/bin:/bin").unwrap();
        assert_eq!(found.variables, [("PYTHONPATH".to_owned(), "/x".to_owned())]);
        assert!(find_started(&["nowhere".to_owned()], Path::new("/"), "/usr/bin").is_err());
    }
}
