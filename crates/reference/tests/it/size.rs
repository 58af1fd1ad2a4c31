//! The second implementation stays short enough to read in one sitting.

const SOURCES: [&str; 7] = [
    include_str!("../../src/naive.rs"),
    include_str!("../../src/naive/consent.rs"),
    include_str!("../../src/naive/decided.rs"),
    include_str!("../../src/naive/heads.rs"),
    include_str!("../../src/naive/pins.rs"),
    include_str!("../../src/naive/question.rs"),
    include_str!("../../src/naive/situation.rs"),
];

/// Imports do not count: they say nothing about the logic.
#[test]
fn the_second_implementation_has_at_most_1100_lines_of_code() {
    let mut in_import = false;
    let lines = SOURCES.iter().flat_map(|source| source.lines()).map(str::trim);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//")).filter(|line| {
        let is_import = in_import || line.starts_with("use ");
        in_import = is_import && !line.ends_with(';');
        !is_import
    });
    let count = code.count();
    assert!(count <= 1_100, "{count} lines");
}
