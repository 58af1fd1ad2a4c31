//! `browser`: the dashboard in a real browser: what a person does there, what an attacker tries, and
//! pictures of every page.
//!
//! Playwright and axe are installed by name and version below `target/browser`; the browser is
//! Debian's Chromium. The checks are the scripts in `xtask/browser`: each starts a daemon of its own.

use crate::built::build_program;
use crate::external::packages::{NODE, PackageSet, Packages};
use crate::failure::{CiResult, Done, Failure};
use crate::installed;
use crate::options::{find_file, parse_options};
use crate::process::{display_command, run_and_capture};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: PackageSet = PackageSet {
    folder: "target/browser",
    npm: &[NODE, "playwright-core@1.65.0", "axe-core@4.14.0"],
    pypi: &[],
};

const BROWSER: &str = "chromium";

#[derive(Debug, Parser)]
struct BrowserOptions {
    /// Draw every page in light, in dark and as wide as a phone, instead of checking anything.
    #[arg(long, conflicts_with = "is_short")]
    screenshots: bool,
    /// One theme and one width: what a test run has time for.
    #[arg(long = "short")]
    is_short: bool,
    /// Only checks whose name contains these words, after the ones that log in.
    #[arg(long)]
    only: Option<String>,
    /// Instead of the one that is built.
    #[arg(long, value_parser = find_file)]
    program: Option<PathBuf>,
}

/// The short form, for `ci`.
pub fn short_step(root: &Path) -> CiResult {
    run_with_options(root, &["--short"])
}

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let options: BrowserOptions = parse_options(words)?;
    let program = match &options.program {
        Some(program) => program.clone(),
        None => build_program(root)?,
    };
    installed::ensure_program(BROWSER)?;
    let packages = Packages::install(root, &PACKAGES)?;
    packages.copy_scripts(&root.join("xtask/browser"))?;
    let pictures = root.join(PACKAGES.folder).join("pictures");
    let mut command = Command::new(packages.node());
    command
        .arg(packages.script(if options.screenshots { "shots.mjs" } else { "checks.mjs" }))
        .args(options.is_short.then_some("--short"))
        .env("COUNTERSIGN_PROGRAM", &program)
        .env("COUNTERSIGN_GRAPH", root.join("graphs/coding/countersign.yaml"))
        .env("COUNTERSIGN_CHROMIUM", BROWSER_PATH)
        .env("COUNTERSIGN_PICTURES", &pictures)
        .env("NO_PROXY", "*");
    if let Some(only) = &options.only {
        command.env("COUNTERSIGN_ONLY", only);
    }
    let (status, printed) = run_and_capture(&mut command)?;
    match (status.success(), printed.lines().last()) {
        (true, _) if options.screenshots => {
            Ok(Done::new(format!("the pictures are in {}", pictures.display())))
        }
        (true, Some(last)) if count_checks(last).is_some() => Ok(Done::new(last.to_owned())),
        (true, _) => Err(Failure::new("the checks did not say how many they were")),
        (false, _) => {
            Err(Failure::new(format!("`{}` ended with {status}", display_command(&command))))
        }
    }
}

/// Where Debian installs it. Playwright starts what it is told, and searches nothing.
const BROWSER_PATH: &str = "/usr/bin/chromium";

/// From the closing `27 checks passed`.
fn count_checks(line: &str) -> Option<u64> {
    let (count, rest) = line.split_once(' ')?;
    let count = count.parse().ok().filter(|count| *count > 0)?;
    rest.starts_with("checks passed").then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_checked_nothing_does_not_count() {
        assert_eq!(count_checks("27 checks passed"), Some(27));
        assert_eq!(count_checks("0 checks passed"), None);
        assert_eq!(count_checks("the daemon ended"), None);
    }
}
