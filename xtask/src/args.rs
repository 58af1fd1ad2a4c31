//! Parses the arguments of `cargo xtask`, by hand, because there are few.

use crate::failure::Failure;
use crate::steps::{self, STEPS};
use crate::{
    attention, bench, callgrind, ci, clients, compare, dist, fuzz, fuzz_terminal, generated,
    hostile, mcp, mutants, scenarios,
};

pub fn run(words: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let root = steps::root();
    match words.as_slice() {
        [] | ["help" | "-h" | "--help"] => {
            println!("{}", help_text());
            Ok(())
        }
        ["ci"] => ci::run(STEPS, &root),
        ["callgrind", "--bless"] => print_done(callgrind::bless(&root)?),
        ["bench", "all", options @ ..] => print_done(bench::all::run_with_options(&root, options)?),
        ["bench", bench::decide::SUITE, options @ ..] => {
            print_done(bench::decide::step(&root, options)?)
        }
        ["bench", bench::rules::SUITE, options @ ..] => {
            print_done(bench::rules::step(&root, options)?)
        }
        ["bench", bench::store::SUITE, options @ ..] => {
            print_done(bench::store::step(&root, options)?)
        }
        ["bench", bench::server::SUITE, options @ ..] => {
            print_done(bench::server::step(&root, options)?)
        }
        ["bench", bench::gateway::SUITE, options @ ..] => {
            print_done(bench::gateway::step(&root, options)?)
        }
        ["bench", bench::hook::SUITE, options @ ..] => {
            print_done(bench::hook::step(&root, options)?)
        }
        ["attention", options @ ..] => print_done(attention::run_with_options(&root, options)?),
        ["clients", options @ ..] => print_done(clients::run_with_options(&root, options)?),
        ["compare", options @ ..] => print_done(compare::run_with_options(&root, options)?),
        ["dist", options @ ..] => print_done(dist::run_with_options(&root, options)?),
        ["fuzz", options @ ..] => print_done(fuzz::run_with_options(&root, options)?),
        ["fuzz-terminal", options @ ..] => {
            print_done(fuzz_terminal::run_with_options(&root, options)?)
        }
        ["hostile", options @ ..] => print_done(hostile::run_with_options(&root, options)?),
        ["mcp", options @ ..] => print_done(mcp::run_with_options(&root, options)?),
        ["mutants", options @ ..] => print_done(mutants::run_with_options(&root, options)?),
        ["recording", options @ ..] => print_done(clients::record_push(&root, options)?),
        ["scenarios", options @ ..] => print_done(scenarios::run_with_options(&root, options)?),
        ["generate"] => print_done(generated::write(&root)?),
        [name] => match steps::find(name) {
            Some(step) => print_done((step.run)(&root)?),
            None => Err(unknown_command(&words)),
        },
        _ => Err(unknown_command(&words)),
    }
}

fn print_done(done: crate::failure::Done) -> Result<(), Failure> {
    println!("{}", done.message);
    if let Some(tally) = done.tally {
        println!("{tally}");
    }
    Ok(())
}

fn unknown_command(words: &[&str]) -> Failure {
    let typed = words.join(" ");
    Failure::new(format!("no command `{typed}`; `cargo xtask --help` lists them"))
}

fn help_text() -> String {
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
         \x20 bench all --quick  run every benchmark once, to see that it comes to its end\n\
         \x20 bench decide       measure decisions beside a bare lookup and Cedar: [--quick]\n\
         \x20 bench rules        measure command rules beside a plain lexer, and how they grow: [--quick]\n\
         \x20 bench store        measure durable decisions beside bare writes: [--quick] [--only FIGURE]\n\
         \x20 bench server       measure the daemon beside bare sockets and writes: [--quick] [--only FIGURE]\n\
         \x20 bench gateway      measure tool calls beside a byte pump and other proxies: [--quick] [--only FIGURE]\n\
         \x20 bench hook         measure the coding agents' hook beside an empty program and a script: [--quick]\n\
         \x20 attention          count the prompts on calls of real sessions: CALLS.jsonl [--program PATH]\n\
         \x20 clients            drive Claude Code and Codex: [--only PROGRAM|WORDS] [--keep-going] [--program PATH]\n\
         \x20 compare            decide random calls twice: [--cases N] [--seed S]\n\
         \x20 dist               pack the archive and the Debian package: [--program PATH]\n\
         \x20 fuzz               mutate what comes from outside: [TARGET] [--seconds N] [--input FILE]\n\
         \x20 fuzz-terminal      type and paste while cards open: [--trials N] [--seed S]\n\
         \x20 hostile            race, kill, flood and starve the daemon: [--short] [--only ROW] [--program PATH]\n\
         \x20 mcp                try the gateway with programs of others: [--only PART] [--keep-going] [--program PATH]\n\
         \x20 mutants            change what decides and see whether a test notices: [--shard K/N]\n\
         \x20 recording          record Claude Code's screen for the picture in the README: [--program PATH]\n\
         \x20 callgrind --bless  record today's instruction counts\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_step() {
        let text = help_text();
        for step in STEPS {
            assert!(text.contains(&format!("  {} ", step.name)), "{} is missing", step.name);
        }
    }

    #[test]
    fn an_unknown_command_points_to_the_help() {
        let failure = run(&["clipy".to_owned()]).unwrap_err();
        assert_eq!(failure.message, "no command `clipy`; `cargo xtask --help` lists them");
    }
}
