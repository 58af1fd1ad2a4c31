//! Restricts the operands of programs for which not every operand is harmless.

mod words;

use super::scripts;
use serde::Deserialize;
use words::*;
pub use words::{is_local_address, is_plain_filter, is_task};
pub(super) use words::{is_tmux_format, publishes};

/// What the first operand of a program with a pattern or script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstOperand {
    Pattern,
    /// An option gave the pattern, so it is an operand like the others.
    Ordinary,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllowedOperands {
    #[default]
    Any,
    None,
    /// Names of remotes and branches: no address, path, deletion or force prefix.
    RefNames,
    /// Commits: names of branches with `~`, `^` and `@{…}`, and ranges.
    Revisions,
    /// An address to clone from first, then a folder.
    CloneAddress,
    /// A git setting first that only changes names and formats, then its value.
    GitSetting,
    /// The name of a git setting that holds no credential.
    SettingName,
    /// The name of a remote first, then its address.
    RemoteAddress,
    /// Paths with a dot or a slash: any other word could be a subcommand.
    DottedPaths,
    /// Files, but none behind `@` that holds further arguments.
    Files,
    /// One folder that cannot be taken for an address: `.`, `./x` or an absolute path.
    Folder,
    /// Bazel targets.
    Targets,
    /// A package of the workspace, then `test`, `build` and the like, or `run` and a script.
    FilteredScript,
    /// Names, record types and options of a DNS query.
    DnsQuery,
    /// A database file, and a command that lists its tables.
    TableListing,
    /// Names of tasks and targets: no assignment, no path that goes up.
    Names,
    /// The same, without those that publish or deploy by their name.
    Tasks,
    /// The same, and behind the first one paths that begin with `./`.
    TaskAndPaths,
    /// The name of one script of the repository first, then what it gets.
    ScriptName,
    /// Packages by their name in a registry, or the workspace as `.`: no path, archive or address.
    Packages,
    /// PHP packages by their name: `vendor/name:^1.0`.
    VendorPackages,
    /// Go modules by their name, and packages of the workspace.
    GoModules,
    /// A Go package or file of the workspace first, then what the program gets. None of them publishes
    /// by its name.
    LocalProgram,
    /// Words for a program of the workspace that do not publish by their name.
    ProgramWords,
    /// A chart of the workspace, with or without a name in front: any other word may be an address.
    LocalChart,
    /// A Nix flake of the workspace.
    LocalFlake,
    /// What Xcode does: build, test and the like.
    XcodeActions,
    /// Nothing that could name another host.
    NoColon,
    /// HTTP addresses without credentials and patterns.
    WebAddresses,
    /// HTTP addresses of this machine, with or without their scheme.
    LocalAddresses,
    /// The name of a database, or its address, then the name of a user.
    DatabaseNames,
    /// Words of tmux with plain formats.
    TmuxFormats,
    /// Names of hosts and of record types.
    HostNames,
    /// One path of a forge's REST interface.
    ApiPath,
    /// No kind of cluster resource that holds secrets.
    ClusterResources,
    /// Names of cloud resources: no file reference, and nothing that is an address.
    CloudNames,
    /// A jq filter first, which must not load other files or the environment.
    Filter,
    /// The same for yq, where a word could be a subcommand: it starts with a dot.
    PathFilter,
    /// A sed script first that only prints, deletes or replaces lines, then files.
    SedScript,
    /// An awk program first that only prints fields, then files.
    AwkProgram,
    /// A format for `printf` first that only inserts text.
    PlainFormat,
    /// Permissions first, without setuid and setgid.
    FileMode,
    /// Ids of processes, and options of `ps` without a dash that do not show the environment.
    ProcessSelection,
    /// Ids of processes, without the first one and groups.
    ProcessIds,
    /// Folders for `find`, and what groups and negates its tests; no comma.
    Folders,
    /// `+FORMAT` only.
    Format,
    /// The words of `test`, which are checked in their order.
    TestExpression,
}

/// How the operands are checked.
enum OperandTest {
    /// Each of them.
    Each(fn(&str) -> bool),
    /// The first, unless an option gave it.
    First(fn(&str) -> bool),
    /// All of them together.
    Together(fn(&[&str]) -> bool),
}

impl AllowedOperands {
    /// The first operand that is not allowed.
    pub(super) fn find_refused<'w>(
        self,
        operands: &[&'w str],
        first: FirstOperand,
    ) -> Option<&'w str> {
        let mut words = operands.iter().copied();
        let refused = match (self.check(), first) {
            (OperandTest::Each(is_allowed), _) => words.find(|word| !is_allowed(word)),
            (OperandTest::First(is_allowed), FirstOperand::Pattern) => {
                words.next().filter(|word| !is_allowed(word))
            }
            (OperandTest::First(_), FirstOperand::Ordinary) => None,
            (OperandTest::Together(are_allowed), _) => {
                operands.last().copied().filter(|_| !are_allowed(operands))
            }
        };
        refused.or_else(|| operands.get(self.max_count()).copied())
    }

    fn max_count(self) -> usize {
        match self {
            Self::None => 0,
            Self::ApiPath | Self::Folder => 1,
            Self::CloneAddress | Self::GitSetting => 2,
            _ => usize::MAX,
        }
    }

    fn check(self) -> OperandTest {
        use OperandTest::{Each, First, Together};
        match self {
            Self::Any | Self::None | Self::TestExpression => Each(|_| true),
            Self::RefNames => Each(is_ref_name),
            Self::Revisions => Each(is_revision),
            Self::CloneAddress => First(is_clone_address),
            Self::GitSetting => First(|key| HARMLESS_SETTINGS.contains(&key)),
            Self::SettingName => Each(is_open_setting),
            Self::RemoteAddress => Together(
                |words| matches!(words, [name, to] if is_ref_name(name) && is_clone_address(to)),
            ),
            Self::DottedPaths => Each(|word| word.contains(['.', '/'])),
            Self::Files => Each(|word| !word.starts_with('@')),
            Self::Folder => {
                Each(|word| word == "." || word.starts_with("./") || word.starts_with('/'))
            }
            Self::Targets => Each(is_bazel_target),
            Self::FilteredScript => Together(is_filtered_script),
            Self::DnsQuery => Each(is_dns_word),
            Self::TableListing => Together(|words| {
                matches!(words, [_, ".tables" | ".schema" | ".databases" | ".indexes"])
            }),
            Self::Names => Each(is_name),
            Self::Tasks => Each(is_task),
            Self::TaskAndPaths => Together(|words| {
                let is_word = |word: &&str| word.starts_with("./") || is_task(word);
                words.first().is_none_or(|first| is_task(first)) && words.iter().all(is_word)
            }),
            Self::ScriptName => First(is_script_name),
            Self::Packages => Each(is_package),
            Self::VendorPackages => Each(is_vendor_package),
            Self::GoModules => Each(is_go_module),
            Self::LocalProgram => Together(is_local_program),
            Self::ProgramWords => Each(|word| !publishes(word)),
            Self::LocalChart => {
                Together(|words| words.len() <= 2 && words.iter().all(|word| !word.contains("://")))
            }
            Self::LocalFlake => Each(is_local_flake),
            Self::XcodeActions => Each(|word| XCODE_ACTIONS.contains(&word)),
            Self::NoColon => Each(|word| !word.contains(':')),
            Self::WebAddresses => Each(is_web_address),
            Self::LocalAddresses => Each(is_local_address),
            Self::DatabaseNames => Each(is_database_name),
            Self::TmuxFormats => Each(is_tmux_format),
            Self::HostNames => Each(is_host_name),
            Self::ApiPath => Each(is_api_path),
            Self::ClusterResources => Each(|word| !word.to_ascii_lowercase().contains("secret")),
            Self::CloudNames => Each(is_cloud_name),
            Self::Filter => First(is_plain_filter),
            Self::PathFilter => First(|word| word.starts_with('.') && is_plain_filter(word)),
            Self::SedScript => First(scripts::is_plain_sed),
            Self::AwkProgram => First(scripts::is_plain_awk),
            Self::PlainFormat => First(is_plain_format),
            Self::FileMode => First(is_file_mode),
            Self::ProcessSelection => Each(is_process_selection),
            Self::ProcessIds => Each(is_process_id),
            Self::Folders => Each(|word| {
                matches!(word, "(" | ")" | "!") || !word.starts_with(['(', ')', '!', ','])
            }),
            Self::Format => Each(|word| word.starts_with('+')),
        }
    }
}

/// Whether a format makes git verify signatures: `%G?`, `%(signature)`.
/// Git skips `+`, `-` and a blank behind the `%`.
pub fn shows_signature(format: &str) -> bool {
    let verifies = |rest: &str| rest.trim_start_matches(['+', '-', ' ']).starts_with('G');
    format.split('%').skip(1).any(verifies) || format.contains("signature")
}
