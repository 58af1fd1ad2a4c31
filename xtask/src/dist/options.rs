//! The options of `cargo xtask dist`.

use crate::failure::Failure;
use std::path::PathBuf;

const HELP: &str = "usage: cargo xtask dist [--program PATH]";

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DistOptions {
    /// Packed instead of a new build.
    pub(super) program: Option<PathBuf>,
}

impl DistOptions {
    pub(super) fn parse(words: &[&str]) -> Result<Self, Failure> {
        match words {
            [] => Ok(Self::default()),
            ["--program", path] => Ok(Self { program: Some(PathBuf::from(path)) }),
            _ => Err(Failure::new(format!("`{}` is not understood; {HELP}", words.join(" ")))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_replaces_the_build_and_anything_else_is_refused() {
        assert_eq!(DistOptions::parse(&[]).unwrap().program, None);
        let options = DistOptions::parse(&["--program", "x/y"]).unwrap();
        assert_eq!(options.program, Some(PathBuf::from("x/y")));
        assert!(DistOptions::parse(&["--program"]).is_err());
        assert!(DistOptions::parse(&["--fast"]).unwrap_err().message.contains("usage"));
    }
}
