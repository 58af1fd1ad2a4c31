//! Mutants: one thing changed in the functions that decide, and a test that has to notice.
//!
//! `mutants.toml` says what is changed. A whole run takes hours, so it is cut into shards, and a
//! shard without survivors is remembered under `target/mutants` until the mutants themselves
//! change. No step of `ci`: it needs a tool that is not part of this repository.

use crate::failure::{Ended, Failure, judge};
use crate::process::{answers, capture, cargo, shown};
use std::fs;
use std::path::{Path, PathBuf};

/// More than this is not run through before the code has moved on.
const MOST: usize = 300;
/// So many that one of them fits between two other things.
const SHARDS: usize = 10;
/// Worlds per property, of 256: a mutant is held against few, and stories do the rest.
const WORLDS: &str = "48";

/// One part of the mutants, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shard {
    at: usize,
    of: usize,
}

pub fn with(root: &Path, options: &[&str]) -> Ended {
    let shards = chosen(options)?;
    if !answers(&mut cargo(root, &["mutants", "--version"])) {
        let help = "there is no `cargo mutants`; `cargo install --locked cargo-mutants` builds it";
        return Err(Failure::saying(help));
    }
    let list = capture(&mut cargo(root, &["mutants", "--config", "mutants.toml", "--list"]))?;
    let count = list.lines().count();
    if count > MOST {
        let says = format!("{count} mutants, {MOST} at most: narrow `mutants.toml`");
        return Err(Failure::saying(says));
    }
    let kept = remembered(&root.join("target/mutants"), &list)?;
    let mut survivors = Vec::new();
    for shard in &shards {
        survivors.extend(run(root, &kept, *shard)?);
    }
    judge(&survivors, format!("no survivor in {} of {count} mutants", share(&shards)))
}

fn share(shards: &[Shard]) -> String {
    match shards {
        [one] => format!("shard {}/{}", one.at, one.of),
        _ => "all shards".to_owned(),
    }
}

fn chosen(options: &[&str]) -> Result<Vec<Shard>, Failure> {
    match options {
        [] => Ok((0..SHARDS).map(|at| Shard { at, of: SHARDS }).collect()),
        ["--shard", text] => parse(text).map(|shard| vec![shard]).ok_or_else(|| {
            Failure::saying(format!("`{text}` is no shard: write 0/{SHARDS}, 1/{SHARDS} and so on"))
        }),
        _ => Err(Failure::saying("usage: cargo xtask mutants [--shard K/N]")),
    }
}

fn parse(text: &str) -> Option<Shard> {
    let (at, of) = text.split_once('/')?;
    let (at, of) = (at.parse().ok()?, of.parse().ok()?);
    (at < of).then_some(Shard { at, of })
}

/// The folder of finished shards, emptied if the mutants are others than they were.
fn remembered(folder: &Path, list: &str) -> Result<PathBuf, Failure> {
    let known = folder.join("list.txt");
    if fs::read_to_string(&known).is_ok_and(|before| before == list) {
        return Ok(folder.to_path_buf());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    fs::write(&known, list).map_err(|error| unwritable(&known, &error))?;
    Ok(folder.to_path_buf())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::saying(format!("cannot write `{}`: {error}", path.display()))
}

/// Runs a shard unless it is finished, and names its survivors.
fn run(root: &Path, kept: &Path, shard: Shard) -> Result<Vec<String>, Failure> {
    let name = format!("{}-of-{}", shard.at, shard.of);
    let (finished, output) = (kept.join(format!("{name}.finished")), kept.join(&name));
    if finished.exists() {
        println!("shard {}/{} is finished", shard.at, shard.of);
        return Ok(Vec::new());
    }
    let mut command = cargo(root, &["mutants", "--config", "mutants.toml", "--no-shuffle"]);
    command.args(["--jobs", "1", "--sharding", "round-robin"]);
    command.args(["--shard", &format!("{}/{}", shard.at, shard.of)]);
    command.arg("--output").arg(&output).env("PROPTEST_CASES", WORLDS);
    let status = command
        .status()
        .map_err(|e| Failure::saying(format!("`{}` could not be run: {e}", shown(&command))))?;
    match status.code() {
        // Whatever ran into a loop without end was noticed, too.
        Some(0 | 3) => {
            fs::write(&finished, "").map_err(|error| unwritable(&finished, &error))?;
            Ok(Vec::new())
        }
        Some(2) => Ok(survivors(&output)),
        _ => Err(Failure::saying(format!("`{}` ended with {status}", shown(&command)))),
    }
}

fn survivors(output: &Path) -> Vec<String> {
    let list = fs::read_to_string(output.join("mutants.out/missed.txt")).unwrap_or_default();
    let lines: Vec<_> = list.lines().map(|line| format!("survives: {line}")).collect();
    match lines.is_empty() {
        true => vec![format!("survivors in `{}`, but no list of them", output.display())],
        false => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_a_number() {
        assert_eq!(parse("0/10"), Some(Shard { at: 0, of: 10 }));
        for text in ["10/10", "1", "a/b", "-1/3", "1/0", ""] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn without_a_word_all_shards_are_run() {
        assert_eq!(chosen(&[]).unwrap().len(), SHARDS);
        assert_eq!(chosen(&["--shard", "2/4"]).unwrap(), [Shard { at: 2, of: 4 }]);
        assert!(chosen(&["--shards"]).is_err());
    }

    #[test]
    fn finished_shards_are_forgotten_when_the_mutants_change() {
        let folder = std::env::temp_dir().join(format!("xtask-mutants-{}", std::process::id()));
        let kept = remembered(&folder, "a\n").unwrap();
        fs::write(kept.join("0-of-1.finished"), "").unwrap();
        assert!(remembered(&folder, "a\n").unwrap().join("0-of-1.finished").exists());
        assert!(!remembered(&folder, "b\n").unwrap().join("0-of-1.finished").exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn survivors_without_a_list_are_still_survivors() {
        assert_eq!(survivors(Path::new("/nowhere")).len(), 1);
    }
}
