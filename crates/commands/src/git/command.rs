//! One git command, held against the configuration of its folder.

use super::credentials::HelperLookup;
use super::global_options::{GlobalOptions, PagerOption};
use super::subcommands::{SubcommandPrograms, SubmoduleUse, find_programs, find_signature_word};
use crate::git_configuration::{
    Certainty, GitConfiguration, Paging, ProgramKind, runs_configured_program,
};

/// A git command: its subcommand and the words behind it.
pub(super) struct GitCommand<'a> {
    subcommand: &'a str,
    words: &'a [String],
    pager: PagerOption,
}

impl<'a> GitCommand<'a> {
    pub(super) fn parse(words: &'a [String]) -> Result<Self, String> {
        let front = GlobalOptions::read(words)?;
        let (subcommand, words) = match front.rest.split_first() {
            Some((subcommand, words)) => (subcommand.as_str(), words),
            None => ("version", front.rest),
        };
        Ok(Self { subcommand, words, pager: front.pager })
    }

    pub(super) fn check(
        &self,
        configuration: &GitConfiguration,
        helpers: &HelperLookup,
    ) -> Result<(), String> {
        if configuration.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(self.subcommand)) {
            return Err(format!("git's configuration has an alias `{}`", self.subcommand));
        }
        let programs = self.find_programs(configuration);
        self.check_words(&programs, configuration)?;
        self.check_settings(&programs, configuration, helpers)?;
        match programs.submodules {
            SubmoduleUse::None => return Ok(()),
            SubmoduleUse::All if configuration.files.has_module_folder => {
                return Err(format!("`git {}` may enter submodules", self.subcommand));
            }
            SubmoduleUse::All | SubmoduleUse::CheckedOut => {}
        }
        configuration.files.submodules.iter().try_for_each(|submodule| {
            self.check_settings(&self.find_programs(submodule), submodule, helpers)
        })
    }

    fn find_programs(&self, configuration: &GitConfiguration) -> SubcommandPrograms {
        let mut programs = find_programs(self.subcommand, self.words);
        if configuration.fetches_lazily {
            programs = programs.with_lazy_fetch();
        }
        let own = || configuration.pagers.iter().filter(|own| own.subcommand == self.subcommand);
        if own().any(|own| own.paging != Paging::Off) {
            programs = programs.with_pager();
        } else if own().any(|own| own.certainty == Certainty::Certain) {
            programs = programs.without_pager();
        }
        match self.pager {
            PagerOption::Off => programs.without_pager(),
            PagerOption::AsConfigured => programs,
        }
    }

    /// The words themselves may ask for a signature, or name another repository.
    fn check_words(
        &self,
        programs: &SubcommandPrograms,
        configuration: &GitConfiguration,
    ) -> Result<(), String> {
        let signs = [ProgramKind::Signature, ProgramKind::Verification];
        if signs.iter().any(|kind| programs.may_run(*kind))
            && let Some(word) = find_signature_word(self.subcommand, self.words)
        {
            return Err(format!("`{word}` makes git run the program for signatures"));
        }
        let remote = match self.subcommand {
            "ls-remote" | "clone" => find_first_operand(self.words),
            "fetch" | "push" | "pull" if configuration.files.is_repository => {
                find_first_operand(self.words)
            }
            "remote" => match self.words.split_first() {
                Some((inner, rest)) if inner == "show" || inner == "prune" => {
                    find_first_operand(rest)
                }
                _ => None,
            },
            _ => None,
        };
        let is_known = |remote: &&str| configuration.remotes.contains(*remote);
        match remote.filter(|remote| !is_known(remote) && runs_configured_program(remote)) {
            Some(remote) => {
                Err(format!("`{remote}` is not a remote that git's configuration names"))
            }
            None => Ok(()),
        }
    }

    fn check_settings(
        &self,
        programs: &SubcommandPrograms,
        configuration: &GitConfiguration,
        helpers: &HelperLookup,
    ) -> Result<(), String> {
        let may_run = |why: &str| Err(format!("{why}, which `git {}` may run", self.subcommand));
        for found in configuration.programs.iter().filter(|one| programs.may_run(one.kind)) {
            let why = match found.helper {
                Some(helper) => helpers.explain_foreign(helper, configuration),
                None => Some("names a program".to_owned()),
            };
            if let Some(why) = why {
                return may_run(&format!("{} {why}", found.name));
            }
        }
        let mut own = configuration.pagers.iter().filter(|own| own.subcommand == self.subcommand);
        if programs.may_run(ProgramKind::Pager) && own.any(|own| own.paging == Paging::OwnProgram) {
            return may_run(&format!("`pager.{}` names a program", self.subcommand));
        }
        match configuration.files.hooks.iter().find(|hook| programs.may_run_hook(hook)) {
            Some(hook) => may_run(&format!("there is a hook `{hook}`")),
            None => Ok(()),
        }
    }
}

/// Options of the subcommands that reach other repositories, with a value as the next word.
const VALUED_OPTIONS: &[&str] = &[
    "--depth",
    "--deepen",
    "--shallow-since",
    "--shallow-exclude",
    "--jobs",
    "-j",
    "-o",
    "--push-option",
    "--server-option",
    "--refmap",
    "--negotiation-tip",
    "--filter",
    "--sort",
    "-s",
    "--strategy",
    "-X",
    "--strategy-option",
    "-b",
    "--branch",
];

fn find_first_operand(words: &[String]) -> Option<&str> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if VALUED_OPTIONS.contains(&word.as_str()) {
            rest.next();
        } else if word == "--" || !word.starts_with('-') {
            return if word == "--" { rest.next() } else { Some(word) }.map(String::as_str);
        }
    }
    None
}
