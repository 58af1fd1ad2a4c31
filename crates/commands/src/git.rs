//! Git runs programs that its configuration names. They do not show in the command line, so no rule
//! can see them.
//!
//! A rule covers a git command only if the configuration in its folder names no program that this
//! subcommand may run. When Countersign executes a command itself, `neutral` adds words that disable
//! such programs. The caller reads the files.

mod address;
mod configuration;
mod neutral;
mod settings;
mod subcommands;

pub use configuration::{
    Certainty, GitConfiguration, GitReading, GitSetting, RepositoryFiles, find_effective,
};
pub(crate) use neutral::neutralize;

use crate::allow::CommandPlace;
use crate::wrappers::base_name;
use address::runs_configured_program;
use configuration::Paging;
use settings::ProgramKind;
use std::sync::Arc;
use subcommands::{SubcommandPrograms, SubmoduleUse, find_programs, find_signature_word};

/// Git's own subcommands. Any other word is an alias from the configuration, or an external
/// program.
const BUILTIN_SUBCOMMANDS: &str = "add am annotate apply archive bisect blame branch bugreport bundle cat-file \
    check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry \
    cherry-pick clean clone column commit commit-graph commit-tree config count-objects credential \
    describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch \
    fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc grep \
    hash-object help hook index-pack init instaweb interpret-trailers log ls-files ls-remote \
    ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree \
    mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs \
    patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog refs \
    remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm \
    send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash \
    status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index \
    update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack \
    verify-tag version whatchanged worktree write-tree";

/// Whether this word after `git` is an option or one of git's own subcommands.
pub(crate) fn is_option_or_builtin(word: &str) -> bool {
    word.starts_with('-') || BUILTIN_SUBCOMMANDS.split_whitespace().any(|own| own == word)
}

/// Why a rule does not cover this git command in its folders. Every other program passes.
pub(crate) fn check_configuration(argv: &[String], place: &CommandPlace) -> Result<(), String> {
    let Some((_, words)) = argv.split_first().filter(|(program, _)| base_name(program) == "git")
    else {
        return Ok(());
    };
    let mut readings = Vec::new();
    for folder in &place.folders.known {
        match place.context.disk.read_git_configuration(folder) {
            GitReading::NotConsulted => return Ok(()),
            GitReading::Unreadable { why } => {
                return Err(format!("git's configuration cannot be read: {why}"));
            }
            GitReading::Known(configuration) => readings.push(configuration),
        }
    }
    // Without a folder and a disk, only the words count.
    if place.folders.is_open
        && place.context.disk.read_git_configuration("/") == GitReading::NotConsulted
    {
        return Ok(());
    }
    if place.folders.is_open {
        return Err("git's configuration is in a folder that is not known".to_owned());
    }
    let command = GitCommand::parse(words)?;
    for configuration in &readings {
        command.check(configuration)?;
        check_unwritten(configuration, place)?;
    }
    Ok(())
}

/// Another command of the line may change what was read.
fn check_unwritten(configuration: &GitConfiguration, place: &CommandPlace) -> Result<(), String> {
    let mut all = std::iter::once(configuration)
        .chain(configuration.files.submodules.iter().map(Arc::as_ref));
    let is_written = |path: &String| place.written.may_edit(path);
    match all.find_map(|one| one.files.watched.iter().find(|path| is_written(path))) {
        Some(path) => Err(format!("an earlier command may change git's configuration at `{path}`")),
        None => Ok(()),
    }
}

/// A git command: its subcommand and the words behind it.
struct GitCommand<'a> {
    subcommand: &'a str,
    words: &'a [String],
    pager: PagerOption,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PagerOption {
    AsConfigured,
    Off,
}

/// Options in front of a subcommand that choose neither a folder nor a setting nor a program.
const PLAIN_OPTIONS: &[&str] = &[
    "--no-pager",
    "-P",
    "--no-optional-locks",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--literal-pathspecs",
    "--version",
    "-v",
    "-h",
];

impl<'a> GitCommand<'a> {
    fn parse(words: &'a [String]) -> Result<Self, String> {
        let is_option = |word: &&String| word.starts_with('-');
        let count = words.iter().take_while(is_option).count();
        let (options, rest) = words.split_at_checked(count).unwrap_or_default();
        if let Some(option) = options.iter().find(|word| !PLAIN_OPTIONS.contains(&word.as_str())) {
            return Err(format!("`{option}` in front of the subcommand may change what git runs"));
        }
        let is_off = options.iter().any(|word| word == "--no-pager" || word == "-P");
        let (subcommand, words) = match rest.split_first() {
            Some((subcommand, words)) => (subcommand.as_str(), words),
            None => ("version", rest),
        };
        let pager = if is_off { PagerOption::Off } else { PagerOption::AsConfigured };
        Ok(Self { subcommand, words, pager })
    }

    fn check(&self, configuration: &GitConfiguration) -> Result<(), String> {
        if configuration.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(self.subcommand)) {
            return Err(format!("git's configuration has an alias `{}`", self.subcommand));
        }
        let programs = self.find_programs(configuration);
        self.check_words(&programs, configuration)?;
        self.check_settings(&programs, configuration)?;
        match programs.submodules {
            SubmoduleUse::None => return Ok(()),
            SubmoduleUse::All if configuration.files.has_module_folder => {
                return Err(format!("`git {}` may enter submodules", self.subcommand));
            }
            SubmoduleUse::All | SubmoduleUse::CheckedOut => {}
        }
        configuration.files.submodules.iter().try_for_each(|submodule| {
            self.check_settings(&self.find_programs(submodule), submodule)
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
    ) -> Result<(), String> {
        let may_run = |why: &str| Err(format!("{why}, which `git {}` may run", self.subcommand));
        if let Some(found) = configuration.programs.iter().find(|one| programs.may_run(one.kind)) {
            return may_run(&format!("{} names a program", found.name));
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
