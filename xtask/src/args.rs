//! The words after `cargo xtask`, read by hand: there are few of them.

use crate::failure::Failure;
use crate::steps::{self, STEPS};
use crate::{bench, callgrind, ci, compare, fuzz, fuzz_terminal, generated, mutants};

pub fn run(words: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let root = steps::root();
    match words.as_slice() {
        [] | ["help" | "-h" | "--help"] => {
            println!("{}", help());
            Ok(())
        }
        ["ci"] => ci::run(STEPS, &root),
        ["callgrind", "--bless"] => say(callgrind::bless(&root)?),
        ["bench", bench::decide::SUITE] => say(bench::decide::step(&root)?),
        ["bench", bench::rules::SUITE] => say(bench::rules::step(&root)?),
        ["bench", bench::store::SUITE, options @ ..] => say(bench::store::step(&root, options)?),
        ["bench", bench::server::SUITE, options @ ..] => say(bench::server::step(&root, options)?),
        ["compare", options @ ..] => say(compare::with(&root, options)?),
        ["fuzz", options @ ..] => say(fuzz::with(&root, options)?),
        ["fuzz-terminal", options @ ..] => say(fuzz_terminal::with(&root, options)?),
        ["mutants", options @ ..] => say(mutants::with(&root, options)?),
        ["generate"] => say(generated::write(&root)?),
        [name] => match steps::find(name) {
            Some(step) => say((step.run)(&root)?),
            None => Err(unknown(&words)),
        },
        _ => Err(unknown(&words)),
    }
}

fn say(done: crate::failure::Done) -> Result<(), Failure> {
    println!("{}", done.sentence);
    if let Some(tally) = done.tally {
        println!("{tally}");
    }
    Ok(())
}

fn unknown(words: &[&str]) -> Failure {
    let typed = words.join(" ");
    Failure::saying(format!("no command `{typed}`; `cargo xtask --help` lists them"))
}

fn help() -> String {
    let mut text = String::from(
        "usage: cargo xtask <command>\n\n\
         \x20 ci                 every step below, in this order; stops at the first failure\n\n",
    );
    for step in STEPS {
        text.push_str(&format!("  {:<18} {}\n", step.name, step.what));
    }
    text.push_str(
        "\n\
         \x20 generate           write the generated files anew\n\
         \x20 bench decide       measure decisions beside a bare lookup and Cedar\n\
         \x20 bench rules        measure command rules beside a plain lexer, and how they grow\n\
         \x20 bench store        measure durable decisions beside bare writes: [--quick] [--only FIGURE]\n\
         \x20 bench server       measure the daemon beside bare sockets and writes: [--quick] [--only FIGURE]\n\
         \x20 compare            decide random calls twice: [--cases N] [--seed S]\n\
         \x20 fuzz               mutate what comes from outside: [TARGET] [--seconds N] [--input FILE]\n\
         \x20 fuzz-terminal      type and paste while cards come: [--evenings N] [--seed S]\n\
         \x20 mutants            change what decides and see whether a test notices: [--shard K/N]\n\
         \x20 callgrind --bless  record today's instruction counts\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_step() {
        let text = help();
        for step in STEPS {
            assert!(text.contains(&format!("  {} ", step.name)), "{} is missing", step.name);
        }
    }

    #[test]
    fn an_unknown_command_points_to_the_help() {
        let failure = run(&["clipy".to_owned()]).unwrap_err();
        assert_eq!(failure.sentence, "no command `clipy`; `cargo xtask --help` lists them");
    }
}
