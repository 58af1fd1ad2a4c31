//! Seeds: valid inputs, and inputs that once broke something.
//!
//! The graphs, stories and command lines of the repository are seeds. In addition, `seeds/<target>/`
//! holds small files for forms that the repository does not use, and every earlier finding.

use crate::limits;
use crate::target::Target;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// A folder of the repository.
pub fn repository_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The files of `seeds/<target>/`.
pub fn load_seeds(target: &str) -> io::Result<Vec<Vec<u8>>> {
    read_files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target), |_| true)
}

/// The content of all files below a folder that pass the filter, sorted by path.
pub fn read_files_below(
    folder: &Path,
    is_wanted: impl Fn(&Path) -> bool,
) -> io::Result<Vec<Vec<u8>>> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_wanted(&path) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(std::fs::read).collect()
}

/// The words of a target: its own list, and the words in its seeds.
pub fn collect_words(target: &Target, seeds: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let own = target.words.iter().map(|word| word.as_bytes().to_vec());
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let found: BTreeSet<Vec<u8>> = seeds
        .iter()
        .flat_map(|seed| seed.split(|byte| !is_word(byte)))
        .filter(|word| (1..32).contains(&word.len()))
        .map(<[u8]>::to_vec)
        .collect();
    // Every n-th word, so that the limit does not cut off the end of the alphabet.
    let step = found.len().div_ceil(limits::MAX_WORDS).max(1);
    own.chain(found.into_iter().step_by(step)).collect()
}
