//! The form of a command in which rules and classes are compared with it.
//!
//! A rule names its words in their order, and the order of a command may differ without another
//! meaning. `git -C DIR status` is `git status` in DIR, `git push origin --dry-run` is `git push
//! --dry-run origin`, and what `gh api` does follows from options anywhere in the line. On BSD, `sed -i
//! ''` is what elsewhere is `sed -i`. `/usr/bin/grep` is `grep`, and a path behind `=` is a word of its
//! own.
//!
//! See docs/decisions/0072-the-form-of-a-command.md.

mod followed_links;
mod forge_api;
mod front_options;
mod help;
mod package_folder;
mod queries;
mod toolchain;
mod transfer;

use crate::allow::explain_uncovered_head;
use crate::command_place::CommandPlace;
use crate::context::{ProgramFile, is_plain_path};
use crate::covering::SegmentHead;
use crate::git;
use crate::open_head::{OpenHead, find_open_head};
use crate::option_tables::{self, ProgramEffect};
use crate::segment_judgement::SegmentJudgement;
use crate::strict::{Segment, SegmentOrigin, StatusUse};
use crate::subject::can_run_other_programs;
use crate::working_folders::FolderSet;
use crate::wrappers::base_name;
use crate::written_paths::{find_effect, find_output_words};
use countersign_core::model::place::HeadOptions;
use std::borrow::Cow;

pub(crate) struct RuleForm<'a> {
    pub(crate) argv: Cow<'a, [String]>,
    /// The folders in which the command acts.
    pub(crate) folders: Cow<'a, FolderSet>,
    pub(crate) location: FormLocation,
}

/// Where a command acts, by its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormLocation {
    AsStarted,
    /// Out of the workspace.
    Outside,
    /// In the same place, with other programs than without the words: only classes look at it.
    OtherToolchain,
}

impl<'a> RuleForm<'a> {
    /// An error says why no rule can be compared with the command.
    pub(crate) fn find(argv: &'a [String], place: &CommandPlace<'a>) -> Result<Self, String> {
        let mut form = Self::find_order(argv, place)?;
        if let Some(named) = name_system_program(&form.argv) {
            form.argv = Cow::Owned(named);
        }
        if let Some(split) = option_tables::split_attached_paths(&form.argv) {
            form.argv = Cow::Owned(split);
        }
        Ok(form)
    }

    fn find_order(argv: &'a [String], place: &CommandPlace<'a>) -> Result<Self, String> {
        if let Some(named) = help::name_lone_option(argv) {
            return Ok(Self { argv: named.into(), ..Self::as_written(argv, place) });
        }
        let program = argv.first().map(|program| base_name(program));
        match program {
            Some("git") => Self::find_git(argv, place),
            Some("gh") => Ok(Self::as_ordered(argv, forge_api::put_method_first(argv)?, place)),
            Some("terraform" | "tofu") => Self::find_terraform(argv, place),
            Some("psql" | "mysql" | "mariadb" | "sqlite3") => {
                Ok(Self::as_ordered(argv, queries::name_query(argv)?, place))
            }
            Some("curl") => Ok(Self::as_ordered(argv, transfer::name_curl(argv), place)),
            Some("sed") => Ok(Self::as_ordered(argv, drop_empty_suffix(argv), place)),
            Some("grep" | "egrep" | "fgrep" | "diff") => {
                Ok(Self::as_ordered(argv, followed_links::drop_following(argv, place), place))
            }
            Some("cargo") => Ok(match toolchain::drop_toolchain(argv) {
                Some(plain) => Self {
                    argv: plain.into(),
                    location: FormLocation::OtherToolchain,
                    ..Self::as_written(argv, place)
                },
                None => Self::as_written(argv, place),
            }),
            Some("go") => Ok(Self::as_ordered(argv, toolchain::plain_go_words(argv), place)),
            Some("eslint") => Ok(Self::as_ordered(argv, put_fix_first(argv), place)),
            Some("npm" | "pnpm" | "yarn" | "bun") => Self::find_package(argv, place),
            Some(program) => {
                let moved = front_options::move_front_options(argv);
                let words = moved.as_deref().unwrap_or(argv);
                let named = match program {
                    "kubectl" => put_secrets_first(words),
                    "redis-cli" => lower_command(words),
                    "tmux" => join_line_numbers(words),
                    _ => None,
                };
                Ok(Self::as_ordered(argv, named.or(moved), place))
            }
            None => Ok(Self::as_written(argv, place)),
        }
    }

    fn as_ordered(
        argv: &'a [String],
        ordered: Option<Vec<String>>,
        place: &CommandPlace<'a>,
    ) -> Self {
        let written = Self::as_written(argv, place);
        match ordered {
            Some(ordered) => Self { argv: ordered.into(), ..written },
            None => written,
        }
    }

    /// A package manager in the folder that its options name, which must be inside.
    fn find_package(argv: &'a [String], place: &CommandPlace<'a>) -> Result<Self, String> {
        let written = Self::as_written(argv, place);
        let Some(found) = package_folder::order_package_command(argv) else { return Ok(written) };
        let folders = match &found.folder {
            None => written.folders,
            Some(folder) => {
                let places = place.find_inside(folder).filter(|_| is_plain_path(folder));
                let places = places.ok_or_else(|| format!("`{folder}` is not inside"))?;
                let mut folders = FolderSet::default();
                places.into_iter().for_each(|place| folders.add(place));
                Cow::Owned(folders)
            }
        };
        Ok(Self { argv: found.argv.into(), folders, location: FormLocation::AsStarted })
    }

    /// The same, for what needs no rule.
    pub(crate) fn find_or_written(argv: &'a [String], place: &CommandPlace<'a>) -> Self {
        Self::find(argv, place).unwrap_or_else(|_| Self::as_written(argv, place))
    }

    fn as_written(argv: &'a [String], place: &CommandPlace<'a>) -> Self {
        Self {
            argv: Cow::Borrowed(argv),
            folders: Cow::Borrowed(place.folders),
            location: FormLocation::AsStarted,
        }
    }

    /// Outside of the workspace, only a command that reads has a form.
    fn find_git(argv: &'a [String], place: &CommandPlace<'a>) -> Result<Self, String> {
        let mut form = Self::as_written(argv, place);
        if let Some(entry) = git::enter_folders(argv, place)? {
            form.argv = Cow::Owned(entry.argv);
            if let Some(folders) = entry.folders {
                form.location = find_location(&folders, place);
                form.folders = Cow::Owned(folders);
            }
        }
        if let Some(ordered) = put_dry_run_first(&form.argv) {
            form.argv = Cow::Owned(ordered);
        }
        if let Some(named) = name_new_tag(&form.argv) {
            form.argv = Cow::Owned(named);
        }
        if form.location == FormLocation::Outside && find_effect(&form.argv) != ProgramEffect::Reads
        {
            let why = "`-C` leads out of the workspace, and the command does not only read";
            return Err(why.to_owned());
        }
        Ok(form)
    }

    /// `terraform -chdir=DIR plan` is `terraform plan` in DIR, if that is inside.
    fn find_terraform(argv: &'a [String], place: &CommandPlace<'a>) -> Result<Self, String> {
        let mut form = Self::as_written(argv, place);
        let [program, option, words @ ..] = argv else { return Ok(form) };
        let Some(folder) = option.strip_prefix("-chdir=") else { return Ok(form) };
        let folders = git::find_folders(&[folder], place)?;
        if find_location(&folders, place) == FormLocation::Outside {
            return Err("`-chdir` leads out of the workspace".to_owned());
        }
        form.argv = Cow::Owned([std::slice::from_ref(program), words].concat());
        form.folders = Cow::Owned(folders);
        Ok(form)
    }

    /// The allow rule for this form, or for the written words. None covers a command that leaves the
    /// workspace.
    pub(crate) fn find_allow_rule(
        &self,
        written: &[String],
        find: impl Fn(&[String]) -> Result<usize, String>,
    ) -> Result<usize, String> {
        if self.location == FormLocation::Outside {
            return Err("`-C` leads out of the workspace".to_owned());
        }
        if self.location == FormLocation::OtherToolchain {
            return find(written);
        }
        let found = find(&self.argv);
        if found.is_ok() || self.argv == written { found } else { find(written) }
    }

    /// The head that a yes can cover: the table of the command knows all further words, or it has none
    /// and they lead nowhere else. The workspace contains all its paths.
    pub(crate) fn find_head(
        &self,
        judgement: &SegmentJudgement,
        place: &CommandPlace,
    ) -> Option<SegmentHead> {
        // A file that the command writes is an edit, which no head stands for.
        let is_plain =
            self.is_plain(&judgement.segment) && find_output_words(&self.argv).is_empty();
        if !is_plain {
            return None;
        }
        let place = &self.place(place);
        if let Some(head) = option_tables::find_head(&self.argv) {
            let words = head.split(' ').map(str::to_owned).collect();
            let is_covered = explain_uncovered_head(&self.argv, place).is_none();
            return is_covered.then_some(SegmentHead { words, options: HeadOptions::Known });
        }
        let open = self.find_open_head(&judgement.segment, &judgement.program_file, place)?;
        // A script of an interpreter can have a class, but each of its command lines is a yes of its own.
        if self.argv.first().is_none_or(|program| can_run_other_programs(program)) {
            return None;
        }
        Some(SegmentHead { words: open.words, options: HeadOptions::Unknown })
    }

    /// The head of a program without a table, or of a script.
    pub(crate) fn find_open_head(
        &self,
        segment: &Segment,
        program_file: &ProgramFile,
        place: &CommandPlace,
    ) -> Option<OpenHead> {
        let is_literal = segment.patterns.is_empty()
            && segment.statuses.is_empty()
            && segment.origin == SegmentOrigin::Line
            && segment.status != StatusUse::Negated;
        let is_open = is_literal && self.is_plain(segment);
        is_open.then(|| find_open_head(&self.argv, program_file, &self.place(place))).flatten()
    }

    /// Whether nothing but the words of the command decides what it does.
    fn is_plain(&self, segment: &Segment) -> bool {
        segment.assignments.is_empty()
            && segment.input.is_none()
            && self.location == FormLocation::AsStarted
    }

    /// Where the command acts.
    pub(crate) fn place<'p>(&'p self, place: &CommandPlace<'p>) -> CommandPlace<'p> {
        CommandPlace {
            context: place.context,
            folders: &self.folders,
            written: place.written,
            has_changed_folder: place.has_changed_folder || self.folders.as_ref() != place.folders,
        }
    }
}

/// The rule is for the name; which file it starts is checked for the written path.
fn name_system_program(argv: &[String]) -> Option<Vec<String>> {
    let (program, words) = argv.split_first()?;
    let name = program.strip_prefix("/usr/bin/").or_else(|| program.strip_prefix("/bin/"))?;
    (!name.contains('/')).then(|| [&[name.to_owned()], words].concat())
}

fn find_location(folders: &FolderSet, place: &CommandPlace) -> FormLocation {
    let is_inside = |folder: &String| place.context.is_inside(folder);
    match folders.known.iter().all(is_inside) {
        true => FormLocation::AsStarted,
        false => FormLocation::Outside,
    }
}

/// `eslint src --fix` as `eslint --fix src`.
fn put_fix_first(argv: &[String]) -> Option<Vec<String>> {
    let (eslint, words) = argv.split_first()?;
    let at = words.iter().take_while(|word| *word != "--").position(|word| word == "--fix")?;
    let mut ordered = vec![eslint.clone(), "--fix".to_owned()];
    ordered.extend(
        words.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, word)| word.clone()),
    );
    Some(ordered)
}

/// `git push` with `--dry-run` or `-n` anywhere in front of `--`.
fn put_dry_run_first(argv: &[String]) -> Option<Vec<String>> {
    let [git, push, words @ ..] = argv else { return None };
    let is_dry = |word: &String| word == "--dry-run" || word == "-n";
    let at = words.iter().take_while(|word| *word != "--").position(is_dry)?;
    if push != "push" {
        return None;
    }
    let mut ordered = vec![git.clone(), push.clone(), "--dry-run".to_owned()];
    ordered.extend(
        words.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, word)| word.clone()),
    );
    Some(ordered)
}

/// `git tag NAME` as `git tag create NAME`: without a name, `git tag` lists.
fn name_new_tag(argv: &[String]) -> Option<Vec<String>> {
    let [git, tag, name, ..] = argv else { return None };
    let is_new = tag == "tag" && !name.starts_with('-');
    let created = ["tag", "create"].map(str::to_owned);
    is_new.then(|| {
        [std::slice::from_ref(git), &created[..], argv.get(2..).unwrap_or_default()].concat()
    })
}

/// `kubectl get -n a secret/x` as `kubectl get secrets -n a x`, whichever resources are named besides.
fn put_secrets_first(argv: &[String]) -> Option<Vec<String>> {
    let [kubectl, verb, words @ ..] = argv else { return None };
    if verb != "get" && verb != "describe" {
        return None;
    }
    let names_secrets = |word: &str| {
        let kinds = word.split('/').next().unwrap_or_default().to_ascii_lowercase();
        kinds.split(',').any(|kind| matches!(kind.split('.').next(), Some("secret" | "secrets")))
    };
    let is_secret = |at: &usize| argv.get(*at).is_some_and(|word| names_secrets(word));
    let at = option_tables::find_operands(argv)?.into_iter().find(is_secret)?;
    let mut ordered = vec![kubectl.clone(), verb.clone(), "secrets".to_owned()];
    for (index, word) in words.iter().enumerate().map(|(index, word)| (index + 2, word)) {
        match (index == at, word.split_once('/')) {
            (false, _) => ordered.push(word.clone()),
            (true, Some((_, name))) => ordered.push(name.to_owned()),
            (true, None) => {}
        }
    }
    Some(ordered)
}

/// `redis-cli GET x` as `redis-cli get x`.
fn lower_command(argv: &[String]) -> Option<Vec<String>> {
    let [program, command, words @ ..] = argv else { return None };
    Some([&[program.clone(), command.to_ascii_lowercase()], words].concat())
}

/// `tmux capture-pane -S -50` as `-S-50`: a number of lines back, and no option.
fn join_line_numbers(argv: &[String]) -> Option<Vec<String>> {
    let mut joined: Vec<String> = Vec::new();
    for word in argv {
        let is_number =
            word.strip_prefix('-').is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
        match joined.last_mut().filter(|last| is_number && matches!(last.as_str(), "-S" | "-E")) {
            Some(option) => option.push_str(word),
            None => joined.push(word.clone()),
        }
    }
    (joined.len() < argv.len()).then_some(joined)
}

/// `sed -i '' SCRIPT FILE` on BSD. Where the empty word is the script, nothing is changed.
fn drop_empty_suffix(argv: &[String]) -> Option<Vec<String>> {
    let [sed, option, suffix, rest @ ..] = argv else { return None };
    let is_empty = option == "-i" && suffix.is_empty();
    is_empty.then(|| [&[sed.clone(), option.clone()], rest].concat())
}

#[cfg(test)]
mod tests;
