//! The variants of `cargo xtask bench rules`: a long command against many rules, beside a plain
//! lexer on the same text, and an action with policies beside bare Cedar. Without the feature
//! `peers` there is no bare Cedar, and no verdict about it.

#[cfg(feature = "peers")]
mod policies;

use countersign_commands::{CommandContext, CommandVerdict, DenyCause, NoDiskLookup, RuleSet};
use std::hint::black_box;
use std::process::ExitCode;
use xtask::bench::rounds::{Variant, measure};
use xtask::bench::runs::{Extent, ExtentOption};
use xtask::bench::{machine_load, report, rules as suite};
use xtask::options::parse_options;

const SEGMENTS: usize = 60;
const CHARACTERS: usize = 9_000;
const RULES: usize = 500;
const HERE: CommandContext<'static> =
    CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match parse_options::<ExtentOption>(&words)
        .map_err(Into::into)
        .and_then(|option| bench(option.extent()))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rules-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(extent: Extent) -> Result<(), Box<dyn std::error::Error>> {
    let (listed, refused) = (line("ls"), line("rm"));
    let allow = rules(|n| format!("allow ls src/{n}"), "allow ls *")?;
    let deny = rules(|n| format!("deny ls push{n} *"), "deny rm *")?;
    if !matches!(allow.judge(&listed, &HERE).verdict, CommandVerdict::Match { .. }) {
        return Err("the long command is not matched".into());
    }
    if !matches!(
        deny.judge(&refused, &HERE).verdict,
        CommandVerdict::Deny { cause: DenyCause::Rule(_), .. }
    ) {
        return Err("the last segment is not denied".into());
    }
    let mut variants = vec![
        repeated(suite::LEXER, 64, || drop(black_box(plain_lexer(black_box(&listed))))),
        repeated(suite::MATCHED, 8, || drop(black_box(allow.judge(black_box(&listed), &HERE)))),
        repeated(suite::DENIED, 8, || drop(black_box(deny.judge(black_box(&refused), &HERE)))),
    ];
    #[cfg(feature = "peers")]
    variants.extend(policies::variants()?);
    let measured = measure(suite::SUITE, &mut variants, suite::plan(extent), machine_load::probe)?;
    println!("{}", report::render_markdown(&measured, &suite::goals()));
    Ok(())
}

fn repeated<'a>(name: &'static str, times: u32, mut work: impl FnMut() + 'a) -> Variant<'a> {
    Variant::new(name, times, move || (0..times).for_each(|_| work()))
}

/// As many segments as may be, the last one of its own program, filled up with operands.
fn line(last: &str) -> String {
    let each = CHARACTERS / SEGMENTS;
    let segment = |program: &str| {
        let mut text = format!("{program} -la 'src dir'");
        while text.len() + 18 < each {
            text.push_str(" crates/core/a.rs");
        }
        text
    };
    let mut segments = vec![segment("ls"); SEGMENTS - 1];
    segments.push(segment(last));
    let text = segments.join(" && ");
    let missing = CHARACTERS.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

fn rules(
    one: impl Fn(usize) -> String,
    last: &str,
) -> Result<RuleSet, countersign_commands::RuleError> {
    let mut rules: Vec<String> = (1..RULES).map(one).collect();
    rules.push(last.to_owned());
    RuleSet::parse(&rules.join("; "))
}

/// What everything that reads a command has to do at least: words, by blanks, quotes and operators.
fn plain_lexer(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, ' ' | '\t' | '\n' | ';' | '&' | '|') => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, c) => word.push(c),
        }
    }
    words.push(word);
    words
}
