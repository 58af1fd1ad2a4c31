//! Mutates every row of the corpus that asks or denies; no mutation may match.

use crate::rows::{Row, judge_command, read_rows};
use countersign_commands::{CommandVerdict, ExpectedVerdict};

type Mutator = fn(&str) -> String;

const MUTATORS: &[(&str, Mutator)] = &[
    ("blank runs", |c| c.replace(' ', "   ")),
    ("tabs", |c| c.replace(' ', "\t")),
    ("blanks around", |c| format!("  {c} \t")),
    ("no blanks at operators", |c| c.replace("; ", ";").replace(" | ", "|").replace(" && ", "&&")),
    ("every letter single-quoted", |c| map_letters(c, |c| format!("'{c}'"))),
    ("every letter double-quoted", |c| map_letters(c, |c| format!("\"{c}\""))),
    ("every letter escaped", |c| map_letters(c, |c| format!("\\{c}"))),
    ("first word quoted", |c| map_first_word(c, |w| format!("'{w}'"))),
    ("first word double-quoted", |c| map_first_word(c, |w| format!("\"{w}\""))),
    ("first word escaped", |c| format!("\\{c}")),
    ("empty quotes in front", |c| format!("''{c}")),
    ("ANSI quotes", |c| map_first_word(c, |w| format!("$'{w}'"))),
    ("continued between words", |c| c.replacen(' ', " \\\n ", 1)),
    ("continued in a word", |c| insert_at(c, 1, "\\\n")),
    ("continued at the end", |c| format!("{c} \\\n")),
    ("env", |c| format!("env {c}")),
    ("sudo", |c| format!("sudo -n {c}")),
    ("command", |c| format!("command {c}")),
    ("nice", |c| format!("nice -n 5 {c}")),
    ("timeout", |c| format!("timeout 5 {c}")),
    ("xargs", |c| format!("xargs {c}")),
    ("busybox", |c| format!("busybox {c}")),
    ("sh -c", |c| format!("sh -c '{}'", c.replace('\'', "'\\''"))),
    ("bash -c", |c| format!("bash -c \"{}\"", c.replace('"', "\\\""))),
    ("eval", |c| format!("eval '{}'", c.replace('\'', "'\\''"))),
    ("find -exec", |c| format!("find . -exec {c} \\;")),
    ("upper case", |c| c.to_ascii_uppercase()),
    ("upper-case program", |c| map_first_word(c, |w| w.to_ascii_uppercase())),
    ("homoglyph", |c| c.replacen('a', "\u{430}", 1).replacen('s', "\u{455}", 1)),
    ("homoglyph in quotes", |c| map_first_word(c, |w| format!("'{}'", w.replace('t', "\u{442}")))),
    ("full-width", |c| c.replace(';', "\u{ff1b}").replace('-', "\u{ff0d}")),
    ("comment behind", |c| format!("{c} # harmless")),
    ("comment before", |c| format!("# harmless\n{c}")),
    ("comment inside", |c| c.replacen(' ', " #x\n", 1)),
    ("newline behind", |c| format!("{c}\n")),
    ("newlines before", |c| format!("\n\n{c}")),
    ("carriage return", |c| format!("{c}\r\n")),
    ("line separator", |c| c.replacen(' ', "\u{2028}", 1)),
    ("next line", |c| c.replacen(' ', "\u{85}", 1)),
    ("no-break space", |c| c.replace(' ', "\u{a0}")),
    ("zero width", |c| insert_at(c, 1, "\u{200b}")),
    ("variable in front", |c| format!("A=1 {c}")),
    ("path in front", |c| format!("PATH=/w:$PATH {c}")),
    ("pager in front", |c| format!("PAGER='sh -c id' {c}")),
    ("program by path", |c| format!("/usr/bin/{c}")),
    ("program here", |c| format!("./{c}")),
    ("program by an odd path", |c| format!("/usr/bin/..//bin/{c}")),
    ("paths doubled", |c| c.replace('/', "//")),
    ("paths through here", |c| c.replace('/', "/./")),
    ("paths through proc", |c| c.replace(" /", " /proc/self/root/")),
    ("options abbreviated", abbreviate_options),
    ("options in one cluster", cluster_options),
    ("clusters split", split_clusters),
    ("values attached", |c| c.replacen(" -o ", " -o", 1).replace(" --output ", " --output=")),
    ("group", |c| format!("{{ {c}; }}")),
    ("subshell", |c| format!("({c})")),
    ("substitution", |c| format!("echo $({c})")),
    ("backticks", |c| format!("echo `{c}`")),
    ("background", |c| format!("{c} &")),
    ("negated", |c| format!("! {c}")),
    ("after another", |c| format!("true; {c}")),
    ("before another", |c| format!("{c}; id")),
    ("twice", |c| format!("{c} && {c}")),
    ("into a file", |c| format!("{c} > out")),
];

fn map_letters(command: &str, quoted: impl Fn(char) -> String) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { quoted(c) } else { c.to_string() };
    // With quotes, only the first word is changed: elsewhere a change could alter data.
    if command.contains(['\'', '"', '\\', '`', '$']) {
        return map_first_word(command, |word| word.chars().map(&letter).collect());
    }
    command.chars().map(letter).collect()
}

fn map_first_word(command: &str, change: impl Fn(&str) -> String) -> String {
    match command.split_once(' ') {
        Some((word, rest)) => format!("{} {rest}", change(word)),
        None => change(command),
    }
}

fn insert_at(command: &str, at: usize, between: &str) -> String {
    match command.split_at_checked(at) {
        Some((head, tail)) => format!("{head}{between}{tail}"),
        None => command.to_owned(),
    }
}

fn map_words(command: &str, change: impl Fn(&str) -> String) -> String {
    command.split(' ').map(change).collect::<Vec<_>>().join(" ")
}

fn abbreviate_options(command: &str) -> String {
    map_words(command, |word| match word.split_once('=') {
        _ if !word.starts_with("--") || word.len() < 5 => word.to_owned(),
        Some((name, value)) => format!("{}={value}", &name[..name.len() - 1]),
        None => word[..word.len() - 1].to_owned(),
    })
}

fn cluster_options(command: &str) -> String {
    map_words(command, |word| match word.strip_prefix('-') {
        Some(letters) if !letters.starts_with('-') && word.is_ascii() => format!("-n{letters}"),
        _ => word.to_owned(),
    })
}

fn split_clusters(command: &str) -> String {
    map_words(command, |word| match word.strip_prefix('-') {
        Some(letters) if letters.len() > 1 && letters.bytes().all(|b| b.is_ascii_alphabetic()) => {
            letters.chars().map(|c| format!("-{c}")).collect::<Vec<_>>().join(" ")
        }
        _ => word.to_owned(),
    })
}

/// The number of mutations, and those that matched.
fn judge_mutations(judge: impl Fn(&Row, &str) -> CommandVerdict) -> (usize, Vec<String>) {
    let (mut tried, mut matched) = (0, Vec::new());
    for row in read_rows().iter().filter(|row| row.expected != ExpectedVerdict::Match) {
        for (name, mutate) in MUTATORS {
            let mutant = mutate(&row.command);
            tried += usize::from(mutant != row.command);
            if let CommandVerdict::Match { .. } = judge(row, &mutant) {
                matched.push(format!("{} {name}: {mutant}", row.id));
            }
        }
    }
    (tried, matched)
}

#[test]
fn no_mutation_of_a_command_that_asks_or_is_denied_matches() {
    let (tried, matched) = judge_mutations(|row, mutant| judge_command(&row.rule, mutant));
    assert_eq!(matched, Vec::<String>::new());
    assert!(tried >= 5_000, "{tried}");
}

/// Shows that the mutations can find a wrong matcher.
#[test]
fn a_naive_word_matcher_matches_a_mutation() {
    let naive = |row: &Row, mutant: &str| {
        let rule = row.rule.strip_prefix("allow ").unwrap_or("\0").trim_end_matches(" *");
        let given: Vec<&str> = mutant.split_whitespace().collect();
        let wanted: Vec<&str> = rule.split(' ').collect();
        match given.starts_with(&wanted) {
            true => CommandVerdict::Match { rules: vec![0] },
            false => CommandVerdict::Ask { why: String::new() },
        }
    };
    assert!(judge_mutations(naive).1.len() > 100);
}
