//! On accepted lines, our words, folders, here-documents, variables and redirections equal bash's.

use crate::bash::{BashRecord, run_lines};
use crate::generator::LineGenerator;
use countersign_commands::{
    Covering, FileRedirection, Group, Redirection, RuleSet, SegmentJudgement, SegmentOrigin,
    Stream, WriteMode,
};
use countersign_observe::{
    AgentIdentity, CommandLookup, FileIdentity, FileSystem, LookupError, ProgramIdentity,
    Protection, RealFileSystem, RealPath,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const RULES: &str = "allow cat *; allow echo *; allow grep *; allow wc *; allow ls *; allow head *; \
                     allow test *; allow [ *";

/// The real disk, on which every program is installed.
struct EveryProgram(RealFileSystem);

impl FileSystem for EveryProgram {
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        self.0.resolve_path(path, cwd)
    }

    fn find_program(&self, name: &str, _: &str) -> Result<ProgramIdentity, LookupError> {
        let path = self.0.resolve_path(&format!("/usr/bin/{name}"), "/")?;
        let found_at = path.to_string();
        Ok(ProgramIdentity { path, found_at, protection: Protection::Protected, inode: None })
    }

    fn read_identity(&self, path: &str) -> Result<Option<FileIdentity>, LookupError> {
        self.0.read_identity(path)
    }

    fn list_folder(&self, folder: &RealPath) -> Result<Vec<String>, LookupError> {
        self.0.list_folder(folder)
    }
}

/// A folder in which lines run. Every folder has a folder `out` for redirections.
fn make_folder(dir: &TempDir, name: &str) -> PathBuf {
    let root = dir.path().canonicalize().unwrap().join(name);
    for folder in ["src/deep/out", "src/out", "out", "dashes/out", "links", "d/out"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in ["a.txt", "b.txt", "src/a.rs", "src/b.rs", "dashes/-rf", "dashes/x.txt", ".hidden"]
    {
        fs::write(root.join(file), "").unwrap();
    }
    symlink("../src", root.join("links/in")).unwrap();
    symlink("/", root.join("links/out")).unwrap();
    root
}

/// A line that we accept, with its judgement.
struct AcceptedLine {
    text: String,
    segments: Vec<SegmentJudgement>,
}

fn generate_accepted_lines(count: usize, seed: u64, root: &Path) -> Vec<AcceptedLine> {
    let files = EveryProgram(RealFileSystem::new(AgentIdentity::unknown_user(), ""));
    let root = root.to_str().unwrap();
    let rules = RuleSet::parse(RULES).unwrap().with_variables(&["VA", "VB"].map(str::to_owned));
    let mut generator = LineGenerator::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let text = generator.next_line().replace("ROOT", root);
        let home = format!("{root}/src");
        let lookup = CommandLookup::new(&files, (Some(root), Some(root)), Some(&home));
        let segments = rules.judge(&text, &lookup.context()).segments;
        if !segments.is_empty() && segments.iter().all(|segment| segment.covering.is_ok()) {
            found.push(AcceptedLine { text, segments });
        }
    }
    found
}

/// Where a stream of a command goes, by our reading.
#[derive(Clone, PartialEq)]
enum Target<'a> {
    Elsewhere,
    File(&'a FileRedirection),
}

fn find_targets(redirections: &[Redirection]) -> [Target<'_>; 2] {
    let [mut output, mut errors] = [Target::Elsewhere, Target::Elsewhere];
    for redirection in redirections {
        match redirection {
            Redirection::ErrorsToOutput => errors = output.clone(),
            Redirection::DiscardOutput => output = Target::Elsewhere,
            Redirection::DiscardErrors => errors = Target::Elsewhere,
            Redirection::File(file) if file.stream == Stream::Output => output = Target::File(file),
            Redirection::File(file) => errors = Target::File(file),
        }
    }
    [output, errors]
}

/// The files that a command leaves behind, with their content.
fn expected_files(segment: &SegmentJudgement, folder: &str) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let path_of = |file: &FileRedirection| Path::new(folder).join(&file.path);
    for redirection in &segment.segment.redirections {
        if let Redirection::File(file) = redirection {
            files.insert(path_of(file), String::new());
        }
    }
    let [output, errors] = find_targets(&segment.segment.redirections);
    for (target, text) in [(output, "O\n"), (errors, "E\n")] {
        if let Target::File(file) = target {
            files.entry(path_of(file)).or_default().push_str(text);
        }
    }
    files
}

/// Compares words; a status is any number. In a loop over a pattern, our command has all matches, and
/// each of theirs has one.
fn are_equal(ours: &SegmentJudgement, theirs: &[String]) -> bool {
    if let (SegmentOrigin::Loop, [at]) = (ours.segment.origin, ours.segment.patterns.as_slice()) {
        let count = ours.argv.len() + 1 - ours.segment.argv.len();
        let (front, rest) = ours.argv.split_at(*at);
        let (matches, back) = rest.split_at(count);
        let one_of = |one: &String| [front, std::slice::from_ref(one), back].concat() == theirs;
        return matches.iter().any(one_of);
    }
    let is_equal = |(at, (ours_one, theirs_one)): (usize, (&String, &String))| match ours
        .segment
        .statuses
        .contains(&at)
    {
        true => fills_statuses(ours_one, theirs_one),
        false => ours_one == theirs_one,
    };
    ours.argv.len() == theirs.len() && ours.argv.iter().zip(theirs).enumerate().all(is_equal)
}

fn fills_statuses(ours: &str, theirs: &str) -> bool {
    let marked = ours.replace("${PIPESTATUS[0]}", "$?");
    let mut parts = marked.split("$?");
    let mut rest = theirs.strip_prefix(parts.next().unwrap());
    for part in parts {
        rest = rest
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
            .and_then(|rest| rest.strip_prefix(part));
    }
    rest == Some("")
}

fn find_differences(ours: &SegmentJudgement, theirs: &BashRecord) -> Vec<&'static str> {
    let value = |name: &str| {
        let set = ours.segment.assignments.iter().rev().find(|set| set.name == name);
        set.map_or(String::new(), |set| set.value.clone())
    };
    let input = ours.segment.input.as_ref();
    [
        ("words", are_equal(ours, &theirs.argv)),
        ("folder", ours.folders.contains(&theirs.folder)),
        ("input", input.is_none_or(|input| *input == theirs.input)),
        ("variables", [value("VA"), value("VB")] == theirs.variables),
    ]
    .into_iter()
    .filter_map(|(what, is_equal)| (!is_equal).then_some(what))
    .collect()
}

/// The commands of a line by their marks. The iterations of a loop have the same one.
fn group_by_mark(line: &AcceptedLine) -> BTreeMap<&str, Vec<&SegmentJudgement>> {
    let mut groups: BTreeMap<&str, Vec<&SegmentJudgement>> = BTreeMap::new();
    for segment in &line.segments {
        let is_mark = |word: &&String| word.starts_with('m') && word.len() > 1;
        if let Some(mark) = segment.segment.argv.iter().find(is_mark) {
            groups.entry(mark).or_default().push(segment);
        }
    }
    groups
}

fn list_written_files(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            list_written_files(&path, found);
        } else if path.parent().unwrap().ends_with("out") {
            found.insert(path.clone(), fs::read_to_string(&path).unwrap());
        }
    }
}

/// Compares that many lines, once with commands that succeed and once with commands that fail.
/// `change` spoils our reading, to show that the comparison would find it.
fn compare(count: usize, seed: u64, change: impl Fn(&mut SegmentJudgement)) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let mut differences = Vec::new();
    let mut compared = BTreeSet::new();
    let mut lines = Vec::new();
    for status in [0, 1] {
        // The same folder again, without what the first run wrote.
        let root = make_folder(&dir, "w");
        if lines.is_empty() {
            lines = generate_accepted_lines(count, seed, &root);
            check_kinds(&lines);
            lines.iter_mut().flat_map(|line| &mut line.segments).for_each(&change);
        }
        let texts: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
        let records = run_lines(&texts, &root, status);
        let mut expected = BTreeMap::new();
        for line in &lines {
            for (mark, segments) in group_by_mark(line) {
                for record in records.get(mark).into_iter().flatten() {
                    compared.insert(mark.to_owned());
                    expected.extend(expected_files(segments[0], &record.folder));
                    // Each command of theirs is one of ours; without a loop there is only one.
                    let found = segments.iter().map(|one| find_differences(one, record));
                    let fewest = found.min_by_key(Vec::len).unwrap();
                    differences.extend(
                        fewest.iter().map(|what| {
                            format!("{what} of {:?}: {segments:?} {record:?}", line.text)
                        }),
                    );
                }
            }
        }
        let mut written = BTreeMap::new();
        list_written_files(&root, &mut written);
        for path in expected.keys().chain(written.keys()).collect::<BTreeSet<_>>() {
            if expected.get(path) != written.get(path) {
                differences.push(format!(
                    "{path:?}: {:?} {:?}",
                    expected.get(path),
                    written.get(path)
                ));
            }
        }
        fs::remove_dir_all(&root).unwrap();
    }
    assert!(compared.len() > count / 2, "bash ran only {} commands", compared.len());
    differences
}

type IsKind = fn(&AcceptedLine) -> bool;
type PlantError = fn(&mut SegmentJudgement);

/// Every kind of line occurs often enough to say something.
fn check_kinds(lines: &[AcceptedLine]) {
    let kinds: [(&str, IsKind); 20] = [
        ("a wrapper", |line| line.segments.iter().any(|one| one.inner_start > 0)),
        ("a here-document", |line| line.segments.iter().any(|one| one.segment.input.is_some())),
        ("a pattern", |line| line.segments.iter().any(|one| !one.segment.patterns.is_empty())),
        ("a variable", |line| line.segments.iter().any(|one| !one.segment.assignments.is_empty())),
        ("an edit", |line| line.segments.iter().any(|one| !one.edited.is_empty())),
        ("a folder", |line| {
            line.segments.iter().any(|one| one.covering == Ok(Covering::FolderChange))
        }),
        ("a comment", |line| line.text.contains("# ")),
        ("an escape", |line| line.text.contains(" \\") && !line.text.contains("\\\n")),
        ("a continued line", |line| line.text.contains("\\\n")),
        ("a status", |line| line.segments.iter().any(|one| !one.segment.statuses.is_empty())),
        ("a pattern without a match", |line| {
            line.segments.iter().any(|one| one.argv.iter().any(|word| word.contains(".none")))
        }),
        ("a loop", |line| line.text.contains("for ")),
        ("a loop over a pattern", |line| {
            let is_pattern = |one: &SegmentJudgement| {
                one.segment.origin == SegmentOrigin::Loop && !one.segment.patterns.is_empty()
            };
            line.segments.iter().any(is_pattern)
        }),
        ("a variable of the line", |line| line.text.contains("$v")),
        ("a test", |line| line.text.contains("[ ") || line.text.contains("test ")),
        ("a substitution", |line| line.text.contains("\"$(cat <<")),
        ("a subshell", |line| {
            line.segments.iter().any(|one| one.segment.opens.contains(&Group::Subshell))
        }),
        ("a group", |line| line.text.contains("{ ")),
        ("a condition", |line| line.text.contains("if ")),
        ("a named folder", |line| {
            ["~", "$HOME", "${HOME}", "$PWD", "$(pwd)"]
                .iter()
                .any(|name| line.text.contains(&format!(" {name}")))
        }),
    ];
    for (name, is_kind) in kinds {
        let count = lines.iter().filter(|line| is_kind(line)).count();
        assert!(count > lines.len() / 100, "{name} occurs only {count} times");
    }
}

/// Compares a part of twenty thousand lines; the parts run at the same time.
fn check_part(seed: u64) {
    let differences = compare(2_500, seed, |_| {});
    assert!(differences.is_empty(), "{}: {}", differences.len(), differences[0]);
}

#[test]
fn our_reading_equals_the_reading_of_bash_in_part_1() {
    check_part(1);
}

#[test]
fn our_reading_equals_the_reading_of_bash_in_part_2() {
    check_part(2);
}

#[test]
fn our_reading_equals_the_reading_of_bash_in_part_3() {
    check_part(3);
}

#[test]
fn our_reading_equals_the_reading_of_bash_in_part_4() {
    check_part(4);
}

#[test]
fn our_reading_equals_the_reading_of_bash_in_part_5() {
    check_part(5);
}

#[test]
fn our_reading_equals_the_reading_of_bash_in_part_6() {
    check_part(6);
}

#[test]
fn our_reading_equals_the_reading_of_bash_in_part_7() {
    check_part(7);
}

#[test]
fn our_reading_equals_the_reading_of_bash_in_part_8() {
    check_part(8);
}

/// Shows that the comparison would find a wrong reading of every kind.
#[test]
fn a_planted_error_of_every_kind_is_found() {
    let errors: [(&str, PlantError); 5] = [
        ("words", |one| {
            one.argv.iter_mut().for_each(|word| *word = word.replace("src/a.rs", "src/b.rs"));
        }),
        ("input", |one| {
            one.segment.input = one.segment.input.take().map(|text| text.trim().to_owned());
        }),
        ("folder", |one| one.folders.truncate(1)),
        ("variables", |one| one.segment.assignments.clear()),
        ("/out/", |one| {
            for redirection in &mut one.segment.redirections {
                if let Redirection::File(file) = redirection {
                    file.stream = Stream::Output;
                    file.mode = WriteMode::Replace;
                }
            }
        }),
    ];
    check_planted(&errors);
}

/// The same for what a shell replaces by another text.
#[test]
fn a_planted_error_in_an_expansion_is_found() {
    check_planted(&[
        // An escape that stays, a status that is taken literally, a pattern that disappears.
        ("words of", |one| {
            one.argv.iter_mut().for_each(|word| *word = word.replace('(', "\\("));
        }),
        ("words of", |one| one.segment.statuses.clear()),
        // A loop that repeats its first word, a variable with another value.
        ("words of", |one| {
            if one.segment.origin == SegmentOrigin::Loop {
                one.argv.iter_mut().filter(|word| *word == "2").for_each(|word| word.push('0'));
            }
        }),
        ("words of", |one| {
            if one.segment.origin == SegmentOrigin::BehindVariable {
                one.argv.iter_mut().for_each(|word| *word = word.replace("src/a", "src/1"));
            }
        }),
        ("words of", |one| one.argv.retain(|word| !word.contains(".none"))),
    ]);
}

fn check_planted(errors: &[(&str, PlantError)]) {
    for (what, change) in errors {
        let differences = compare(400, 7, change);
        assert!(differences.iter().any(|text| text.contains(what)), "{what}: {differences:?}");
    }
}
