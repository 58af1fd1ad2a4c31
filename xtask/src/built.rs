//! The program and the examples of this crate, as the tests build them.
//!
//! Cargo compiles a crate once for every set of features that it is needed with, and what is selected
//! decides the features. `--bin countersign` leaves out those of tests and examples, and `--package
//! xtask` those of the other crates: each of them compiles half of the workspace again. So a step that
//! runs a debug build asks for it in the selection of the tests: the whole workspace, and examples.

use crate::failure::Failure;
use crate::process::{capture, cargo};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The name of the program.
const PROGRAM: &str = "countersign";

/// The example that plays the scenarios of earlier systems.
pub const SCENARIOS: &str = "scenarios-play";
/// The example that behaves like a hostile agent.
pub const HOSTILE: &str = "hostile-trial";

/// What was built, by the names of its targets.
#[derive(Debug)]
pub struct Executables(BTreeMap<String, PathBuf>);

impl Executables {
    pub fn program(&self) -> Result<&Path, Failure> {
        self.find(PROGRAM)
    }

    pub fn find(&self, name: &str) -> Result<&Path, Failure> {
        let path = self.0.get(name).map(PathBuf::as_path);
        path.ok_or_else(|| Failure::new(format!("cargo named no executable for `{name}`")))
    }
}

/// Builds the program and returns its path.
pub fn build_program(root: &Path) -> Result<PathBuf, Failure> {
    build_for_steps(root)?.program().map(Path::to_owned)
}

/// Builds an example that a step of `ci` runs, and the program beside it, and returns the example's
/// path.
pub fn build_example(root: &Path, name: &str) -> Result<PathBuf, Failure> {
    build_for_steps(root)?.find(name).map(Path::to_owned)
}

/// Once for each run of a command: cargo takes a second even if there is nothing to build.
fn build_for_steps(root: &Path) -> Result<&'static Executables, Failure> {
    static BUILT: OnceLock<Result<Executables, Failure>> = OnceLock::new();
    let built = BUILT.get_or_init(|| build(root, &[SCENARIOS, HOSTILE]));
    built.as_ref().map_err(Clone::clone)
}

/// Builds the program and some examples. There has to be an example: without one, cargo leaves out
/// the features that tests need.
pub fn build(root: &Path, examples: &[&str]) -> Result<Executables, Failure> {
    let mut command = cargo(root, &["build", "--quiet", "--workspace", "--bin", PROGRAM]);
    for example in examples {
        command.args(["--example", example]);
    }
    let messages = capture(command.args(["--message-format", "json-render-diagnostics"]))?;
    Ok(Executables(messages.lines().filter_map(read_executable).collect()))
}

/// The executable that one line of cargo's messages names, if it names one, with its target.
pub fn read_executable(message: &str) -> Option<(String, PathBuf)> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let path = message.get("executable")?.as_str()?;
    let name = message.get("target")?.get("name")?.as_str()?;
    Some((name.to_owned(), PathBuf::from(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_executable_is_found_in_the_messages_of_cargo() {
        let artifact =
            r#"{"reason":"compiler-artifact","target":{"name":"probe"},"executable":"/t/probe"}"#;
        let found = read_executable(artifact);
        assert_eq!(found, Some(("probe".to_owned(), PathBuf::from("/t/probe"))));
        let library = r#"{"reason":"compiler-artifact","target":{"name":"a"},"executable":null}"#;
        assert_eq!(read_executable(library), None);
        assert_eq!(read_executable("not json"), None);
    }
}
