//! The second implementation stays short enough to be read in one sitting.

const SOURCES: [&str; 4] = [
    include_str!("../../src/naive.rs"),
    include_str!("../../src/naive/consent.rs"),
    include_str!("../../src/naive/question.rs"),
    include_str!("../../src/naive/situation.rs"),
];

#[test]
fn it_has_at_most_600_lines_of_code() {
    let lines = SOURCES.iter().flat_map(|source| source.lines()).map(str::trim);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    assert!(code <= 600, "{code} lines");
}
