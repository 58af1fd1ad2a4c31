//! Paths inside words of git: `HEAD:.env`, `-L1,5:.env`, `:(top).env`.

use super::reading::read_words;
use super::{ProgramEffect, find_table};

/// The paths that a reading command of git names behind a colon. Every part behind a colon counts,
/// because patterns and names of files may contain one.
pub fn find_inner_paths(argv: &[String]) -> Vec<String> {
    let table = find_table(argv)
        .filter(|table| table.name.starts_with("git ") && table.effect == ProgramEffect::Reads);
    let Some(table) = table else { return Vec::new() };
    let words = argv.get(table.count_name_words()..).unwrap_or_default();
    let Ok(read) = read_words(table, words) else { return Vec::new() };
    let operands = read.operands.iter().filter_map(|at| words.get(*at));
    let ranges = read.plain_values.iter().filter(|(option, _)| option == "L");
    let texts = operands.chain(ranges.map(|(_, value)| value));
    texts.flat_map(|text| list_behind_colons(text)).map(str::to_owned).collect()
}

fn list_behind_colons(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(':').filter_map(move |(at, _)| {
        let rest = text.get(at + 1..)?;
        let magic = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let path = magic.map_or(rest, |(_, path)| path).trim_start_matches('/');
        (!path.is_empty()).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_names_paths_behind_colons() {
        for (line, expected) in [
            ("git log -L1,5:.env", vec![".env"]),
            ("git log -L :f:.env", vec!["f:.env", ".env"]),
            ("git log -pL1,5:.env", vec![".env"]),
            ("git show HEAD:.npmrc", vec![".npmrc"]),
            ("git show :0:a/.netrc", vec!["0:a/.netrc", "a/.netrc"]),
            ("git log -- :/.env", vec![".env"]),
            ("git log -- :(top,icase).env", vec![".env"]),
            ("git log a.rs", vec![]),
            ("git push origin a:b", vec![]),
            ("cat a:b", vec![]),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(find_inner_paths(&argv), expected, "{line}");
        }
    }
}
