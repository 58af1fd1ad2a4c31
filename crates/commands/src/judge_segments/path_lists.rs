//! `xargs` with a reading command, behind a command that prints paths; and `find` with `-exec`.
//!
//! `rg -l x src | xargs wc -l` reads files below `src`. So it is judged as `wc -l src`, if everything
//! below `src` is inside and no secret now, and no name there can be split or taken for an option.
//!
//! See docs/decisions/0117-links-and-lists-of-paths.md.

use crate::command_place::CommandPlace;
use crate::option_tables::{self, ProgramEffect};
use crate::strict::{Segment, SegmentOrigin};
use crate::written_paths::find_effect;

/// What ends a path in a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// Blanks, line ends and quotes.
    Blanks,
    Zero,
}

/// A command that prints the paths below some folders.
struct PathList<'a> {
    roots: Vec<&'a str>,
    separator: Separator,
}

/// The command that `xargs` starts in a pipe, with the folders of the list in the place of its paths;
/// `None` if nobody knows what it would read.
pub(super) fn find_started(
    before: &[&Segment],
    xargs: &Segment,
    place: &CommandPlace,
) -> Option<Segment> {
    let (lister, filters) = before.split_first()?;
    let is_plain = |segment: &&&Segment| {
        segment.assignments.is_empty() && segment.patterns.is_empty() && segment.input.is_none()
    };
    if before.iter().filter(is_plain).count() != before.len() || !is_plain(&&xargs) {
        return None;
    }
    let list = find_list(&lister.argv)?;
    let call = parse_xargs(&xargs.argv)?;
    let has_filters = !filters.is_empty();
    let is_read = list.separator == call.separator
        && !(has_filters && list.separator == Separator::Zero)
        && filters.iter().all(|filter| passes_lines(&filter.argv));
    if !is_read || !list.roots.iter().all(|root| is_closed(root, list.separator, place)) {
        return None;
    }
    let argv = call.fill(&list.roots)?;
    Some(Segment { argv, origin: SegmentOrigin::Loop, statuses: Vec::new(), ..xargs.clone() })
}

/// A `find` with `-exec` as a `find` without, and the reading commands that it starts, with its folders
/// in the place of the paths.
pub(super) fn find_executed(find: &Segment, place: &CommandPlace) -> Option<Vec<Segment>> {
    let mut plain = Vec::new();
    let mut commands = Vec::new();
    let mut words = find.argv.iter();
    while let Some(word) = words.next() {
        if word != "-exec" {
            plain.push(word.clone());
            continue;
        }
        let mut command = Vec::new();
        loop {
            match words.next()?.as_str() {
                ";" => break,
                "+" if command.last().is_some_and(|last| last == "{}") => break,
                word => command.push(word.to_owned()),
            }
        }
        commands.push(command);
    }
    let list = find_list(&plain).filter(|_| !commands.is_empty() && find.patterns.is_empty())?;
    // Each path is one word, and begins with its folder.
    if !list.roots.iter().all(|root| is_closed(root, Separator::Zero, place)) {
        return None;
    }
    let mut started = vec![Segment { argv: plain.clone(), ..find.clone() }];
    for command in &commands {
        let call = XargsCall { separator: Separator::Zero, mark: Some("{}"), command };
        let argv = call.fill(&list.roots)?;
        let redirections = Vec::new();
        let origin = SegmentOrigin::Loop;
        started.push(Segment { argv, origin, redirections, ..find.clone() });
    }
    Some(started)
}

/// Whether a folder holds nothing but files that may be read, with names that stay whole.
fn is_closed(root: &str, separator: Separator, place: &CommandPlace) -> bool {
    let places = place.find_inside(root).unwrap_or_default();
    let is_closed = |at: &String| {
        let report = place.context.disk.examine_below(at);
        // An earlier command of the line may put other files there.
        !place.written.may_change_folder(at)
            && report.stays_inside
            && (report.has_plain_names || separator == Separator::Zero)
    };
    let is_plain = root.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b));
    is_plain && !root.starts_with('-') && !places.is_empty() && places.iter().all(is_closed)
}

/// The folders whose paths a command prints; `None` if it prints something else.
fn find_list(argv: &[String]) -> Option<PathList<'_>> {
    let (program, words) = argv.split_first()?;
    let table = option_tables::find_table(argv)?;
    option_tables::explain_uncovered_words(table, words).is_none().then_some(())?;
    let roots: Vec<&str> = match program.as_str() {
        "find" => words.iter().map(String::as_str).take_while(|word| is_find_root(word)).collect(),
        "rg" => option_tables::find_paths(table, words)?
            .into_iter()
            .filter_map(|at| words.get(at).map(String::as_str))
            .collect(),
        _ => return None,
    };
    let is_zero = |word: &String| matches!(word.as_str(), "-print0" | "-0" | "--null");
    let separator = match words.iter().any(is_zero) {
        true => Separator::Zero,
        false => Separator::Blanks,
    };
    let prints_paths = match program.as_str() {
        "find" => {
            let has_both =
                words.iter().any(|word| word == "-print") && separator == Separator::Zero;
            !has_both && !words.iter().any(|word| matches!(word.as_str(), "-printf" | "-ls"))
        }
        _ => prints_names(words),
    };
    let roots = if roots.is_empty() { vec!["."] } else { roots };
    prints_paths.then_some(PathList { roots, separator })
}

fn is_find_root(word: &str) -> bool {
    !word.starts_with(['-', '(', '!'])
}

/// Whether ripgrep prints nothing but the names of files.
fn prints_names(words: &[String]) -> bool {
    const NAMES: &[&str] = &["-l", "--files", "--files-with-matches", "--files-without-match"];
    const FURTHER: &[&str] = &[
        "-i",
        "-w",
        "-F",
        "-S",
        "-s",
        "-U",
        "-P",
        "-0",
        "--null",
        "-e",
        "-g",
        "-t",
        "-T",
        "--glob",
        "--type",
        "--type-not",
        "--ignore-case",
        "--fixed-strings",
        "--word-regexp",
        "--no-messages",
    ];
    let known = |word: &String| {
        let name = word.split('=').next().unwrap_or_default();
        !word.starts_with('-') || NAMES.contains(&name) || FURTHER.contains(&name)
    };
    // `-li` and its like.
    let is_cluster = |word: &String| {
        word.strip_prefix('-').is_some_and(|flags| {
            flags.contains('l') && flags.chars().all(|c| "liwFSsU".contains(c))
        })
    };
    let has_name = words.iter().any(|word| NAMES.contains(&word.as_str()) || is_cluster(word));
    has_name && words.iter().all(|word| known(word) || is_cluster(word))
}

/// Whether a command prints some of the lines that it reads, unchanged.
fn passes_lines(argv: &[String]) -> bool {
    let Some((program, words)) = argv.split_first() else { return false };
    let Some(table) = option_tables::find_table(argv) else { return false };
    if option_tables::explain_uncovered_words(table, words).is_some() {
        return false;
    }
    let reads_files = option_tables::find_paths(table, words).is_none_or(|paths| !paths.is_empty());
    let flags = |allowed: &str| {
        words.iter().filter(|word| word.starts_with('-')).all(|word| {
            word.len() > 1
                && word.chars().skip(1).all(|c| c.is_ascii_digit() || allowed.contains(c))
        })
    };
    !reads_files
        && match program.as_str() {
            "grep" | "egrep" | "fgrep" => flags("vEFiwx"),
            "head" | "tail" => flags("n"),
            "sort" => flags("ur"),
            "uniq" => words.is_empty(),
            _ => false,
        }
}

/// The words of `xargs`.
struct XargsCall<'a> {
    separator: Separator,
    /// What stands for a path in the words of the command; it comes last without one.
    mark: Option<&'a str>,
    command: &'a [String],
}

fn parse_xargs(argv: &[String]) -> Option<XargsCall<'_>> {
    let mut call = XargsCall { separator: Separator::Blanks, mark: None, command: &[] };
    let mut at = 1;
    while let Some(word) = argv.get(at).map(String::as_str).filter(|word| word.starts_with('-')) {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        at += match word {
            "-0" | "--null" => {
                call.separator = Separator::Zero;
                1
            }
            "-r" | "--no-run-if-empty" | "-t" => 1,
            "-n" | "-P" if argv.get(at + 1).is_some_and(|number| is_number(number)) => 2,
            "-I" => {
                let mark =
                    argv.get(at + 1).filter(|mark| !mark.is_empty() && !mark.starts_with('-'));
                call.mark = Some(mark?.as_str());
                2
            }
            _ => match (word.get(..2)?, word.get(2..)?) {
                ("-n" | "-P", number) if is_number(number) => 1,
                ("-I", "{}") => {
                    call.mark = Some("{}");
                    1
                }
                _ => return None,
            },
        };
    }
    call.command = argv.get(at..)?;
    Some(call)
}

impl XargsCall<'_> {
    /// The command with these paths.
    fn fill(&self, roots: &[&str]) -> Option<Vec<String>> {
        // Some programs write to a second or a third path.
        self.fill_exactly(&roots.repeat(4)).and(self.fill_exactly(roots))
    }

    /// The same, if the command only reads, and its table takes them for paths.
    fn fill_exactly(&self, roots: &[&str]) -> Option<Vec<String>> {
        let (mut argv, mut filled): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut add_roots = |argv: &mut Vec<String>| {
            filled.extend(argv.len()..argv.len() + roots.len());
            argv.extend(roots.iter().map(|root| (*root).to_owned()));
        };
        for word in self.command {
            match self.mark {
                Some(mark) if word == mark => add_roots(&mut argv),
                Some(mark) if word.contains(mark) => return None,
                _ => argv.push(word.clone()),
            }
        }
        if self.mark.is_none() {
            add_roots(&mut argv);
        }
        let table = option_tables::find_table(&argv)?;
        let skipped = table.name.split(' ').count();
        let words = argv.get(skipped..)?;
        if option_tables::explain_uncovered_words(table, words).is_some() {
            return None;
        }
        let paths = option_tables::find_paths(table, words)?;
        let is_path = |at: &usize| paths.iter().any(|path| path + skipped == *at);
        let is_reading = find_effect(&argv) == ProgramEffect::Reads
            && table.after_double_dash.is_none()
            && !argv.first().is_some_and(|program| program.contains('/'));
        (is_reading && !filled.is_empty() && filled.iter().all(is_path)).then_some(argv)
    }
}
