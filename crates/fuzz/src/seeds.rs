//! Seeds: what is known to be well formed, and what once broke something.
//!
//! The graphs, stories and command lines of the repository are seeds as they are. Beside them
//! `seeds/<target>/` holds small files: forms that nobody ships, and every finding since.

use crate::limits;
use crate::target::Target;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// A folder of the repository.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The small files of one target.
pub fn own(target: &str) -> io::Result<Vec<Vec<u8>>> {
    below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target), |_| true)
}

/// All files below a folder whose path is wanted, in the order of their names.
pub fn below(folder: &Path, wanted: impl Fn(&Path) -> bool) -> io::Result<Vec<Vec<u8>>> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if wanted(&path) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(std::fs::read).collect()
}

/// The words of a target: its own, and those that its seeds are made of.
pub fn words(target: &Target, seeds: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let own = target.words.iter().map(|word| word.as_bytes().to_vec());
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let found: BTreeSet<Vec<u8>> = seeds
        .iter()
        .flat_map(|seed| seed.split(|byte| !is_word(byte)))
        .filter(|word| (1..32).contains(&word.len()))
        .map(<[u8]>::to_vec)
        .collect();
    // Every n-th of them, so that a bound does not end the alphabet at `c`.
    let step = found.len().div_ceil(limits::WORDS).max(1);
    own.chain(found.into_iter().step_by(step)).collect()
}
