//! The script or module that a command gives an interpreter to run.
//!
//! Where a command names it, a yes can reach further than one call: like a program of the workspace, it is
//! pinned by its content. Code in the words themselves (`-c`, `-e`), from standard input, or chosen by
//! anything else is never found here.
//!
//! See docs/decisions/0105-named-scripts-and-modules.md.

use crate::context::{CodeFile, CommandContext, PinnedFile};
use crate::subject::{SHELLS, strip_version};
use crate::wrappers::base_name;

/// Interpreters whose first word is the script, unless it is an option. Names without a version.
const SCRIPT_INTERPRETERS: &[&str] = &[
    "python", "pypy", "node", "nodejs", "ruby", "jruby", "perl", "php", "lua", "luajit", "tclsh",
    "rscript",
];

/// Interpreters that take a module as `-m NAME`, and look for it in the current folder first.
const MODULE_INTERPRETERS: &[&str] = &["python", "pypy"];

/// The files that hold the code which a command names, to pin them. None if the command names no
/// code, or if that code cannot be pinned.
pub(crate) fn find_code_files(
    argv: &[String],
    folder: Option<&str>,
    context: &CommandContext,
) -> Option<Vec<PinnedFile>> {
    let [program, rest @ ..] = argv else { return None };
    let name = base_name(program).to_ascii_lowercase();
    let interpreter = strip_version(&name);
    let takes_script =
        SHELLS.contains(&name.as_str()) || SCRIPT_INTERPRETERS.contains(&interpreter);
    match rest {
        [option, module, ..] if option == "-m" && MODULE_INTERPRETERS.contains(&interpreter) => {
            find_module_files(module, folder, context)
        }
        [script, ..] if takes_script && is_script_name(script) => {
            match context.disk.find_code(script, folder) {
                CodeFile::Unknown => Some(Vec::new()),
                CodeFile::Found(file) if file.hash.is_ok() => Some(vec![file]),
                CodeFile::Found(_) | CodeFile::Missing => None,
            }
        }
        _ => None,
    }
}

/// A path to a file, and not `-`, an option or a word of another kind.
fn is_script_name(word: &str) -> bool {
    !word.starts_with('-') && !word.contains("://") && word.contains(['/', '.'])
}

/// Files of the current folder that stand in the place of a module, or would. Without one the module
/// is an installed one. All of them are looked up at each decision, so a new one asks.
fn find_module_files(
    module: &str,
    folder: Option<&str>,
    context: &CommandContext,
) -> Option<Vec<PinnedFile>> {
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if !module.split('.').all(is_part) {
        return None;
    }
    let first = module.split('.').next().unwrap_or_default();
    let path = module.replace('.', "/");
    let mut names = vec![
        format!("./{first}.py"),
        format!("./{first}/__init__.py"),
        format!("./{path}.py"),
        format!("./{path}/__main__.py"),
    ];
    names.dedup();
    let mut files: Vec<PinnedFile> = Vec::new();
    for name in names {
        match context.disk.find_code(&name, folder) {
            CodeFile::Unknown | CodeFile::Missing => {}
            CodeFile::Found(file) if file.hash.is_err() => return None,
            CodeFile::Found(file) if files.contains(&file) => {}
            CodeFile::Found(file) => files.push(file),
        }
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{DiskLookup, ProgramFile, ProgramHash, ResolvedPath};

    /// Files in the current folder, by name.
    struct Folder(&'static [&'static str]);

    impl DiskLookup for Folder {
        fn resolve_path(&self, _: &str, _: Option<&str>) -> ResolvedPath {
            ResolvedPath::Unknown
        }

        fn find_program(&self, _: &str, _: Option<&str>) -> ProgramFile {
            ProgramFile::Unknown
        }

        fn find_code(&self, path: &str, folder: Option<&str>) -> CodeFile {
            let name = path.trim_start_matches("./");
            match self.0.contains(&name) {
                true => {
                    let path = format!("{}/{name}", folder.unwrap_or_default());
                    CodeFile::Found(PinnedFile { path, hash: Ok(ProgramHash::from_bytes([1; 32])) })
                }
                false => CodeFile::Missing,
            }
        }
    }

    fn find(line: &str, files: &'static [&'static str]) -> Option<Vec<String>> {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let folder = Folder(files);
        let context = CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &folder };
        let found = find_code_files(&argv, Some("/w"), &context)?;
        Some(found.into_iter().map(|file| file.path).collect())
    }

    #[test]
    fn a_named_script_is_the_code() {
        let files: &[&str] = &["a.py", "src/b.sh", "Rakefile.rb"];
        for (line, code) in [
            ("python3 a.py -c x", "/w/a.py"),
            ("/usr/bin/python3.12 ./a.py", "/w/a.py"),
            ("bash src/b.sh", "/w/src/b.sh"),
            ("ruby Rakefile.rb", "/w/Rakefile.rb"),
        ] {
            assert_eq!(find(line, files), Some(vec![code.to_owned()]), "{line}");
        }
    }

    #[test]
    fn everything_else_names_no_code() {
        let files: &[&str] = &["a.py", "run.ts", "a.pl"];
        for line in [
            "python3",
            "python3 -",
            "python3 -c pass",
            "python3 -u a.py",
            "python3 gone.py",
            "python3 -m",
            "python3 -m ../a",
            "python3 -m a.b.",
            "perl -w a.pl",
            "perl -m a",
            "deno run.ts",
            "bun run.ts",
            "bash -s",
            "bash -c a.py",
            "sudo a.py",
            "node a",
        ] {
            assert_eq!(find(line, files), None, "{line}");
        }
    }

    #[test]
    fn files_of_the_folder_come_before_an_installed_module() {
        let module = "python3 -m http.server 80";
        assert_eq!(find(module, &[]), Some(Vec::new()));
        assert_eq!(find(module, &["http.py"]), Some(vec!["/w/http.py".to_owned()]));
        let package: &[&str] = &["http/__init__.py", "http/server.py", "server.py"];
        let code = ["/w/http/__init__.py", "/w/http/server.py"].map(str::to_owned).to_vec();
        assert_eq!(find(module, package), Some(code));
    }
}
