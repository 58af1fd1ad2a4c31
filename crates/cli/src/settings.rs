//! Settings from the environment and the settings file. No other module reads the environment.
//!
//! Options on the command line override the environment, and the environment overrides the file.

mod account;
mod file;
mod keys;
mod listen;
mod mcp;
mod programs;
mod show;
mod surroundings;

pub(crate) use account::HookOptions;
pub(crate) use listen::{HttpOption, PortOptions};
pub(crate) use show::{SettingsArgs, settings};
pub(crate) use surroundings::{ProgramAttendance, ProgramSurroundings};

use crate::clock::{SystemClock, SystemEntropy, find_utc_offset};
use account::find_account_home;
use countersign_console::Failure;
use countersign_console::screen::{PagerChoice, Screen};
use countersign_core::model::narrowed::NarrowingKind;
use countersign_core::model::open_questions::QuestionLimits;
use countersign_engine::Clock;
use countersign_harness::Program;
use countersign_observe::{AgentIdentity, RealFileSystem};
use countersign_report::{RecordDefaults, ReportContext, StoreChoice};
use countersign_rules::RulesContext;
use countersign_server::{AgentAccess, Credentials, Sockets};
use countersign_setup::files::exists;
use countersign_setup::{DaemonFiles, GraphPlaces};
use countersign_terminal::Colours;
use file::SettingsFile;
use listen::ListenSettings;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) struct Settings {
    /// The user's config folder for Countersign.
    graph_folder: Option<PathBuf>,
    /// The value of `PATH`.
    program_path: String,
    /// The folder that `~` stands for.
    pub(crate) home: Option<String>,
    /// The terminal understands no escape sequences.
    pub(crate) is_dumb: bool,
    /// `NO_COLOR` is set.
    has_no_colour: bool,
    /// How long output is shown at a terminal.
    pager: PagerChoice,
    /// The settings file, if there is one.
    pub(crate) file: Option<PathBuf>,
    /// Where a settings file would be read from.
    file_place: Option<PathBuf>,
    /// The place of the user's own settings file, also if another one is named: the next start may
    /// read it.
    usual_file_place: Option<PathBuf>,
    /// The folder of the record.
    data: Setting<Option<PathBuf>>,
    /// The store of the record.
    store: Setting<OsString>,
    /// The graph; without it, the folders are searched.
    graph: Setting<Option<PathBuf>>,
    /// Deny instead of ask, because there is no operator.
    headless: Setting<bool>,
    /// The solver: a path, or a name in `PATH`.
    solver: Setting<OsString>,
    questions_per_session: Setting<usize>,
    questions_per_agent: Setting<usize>,
    questions_in_all: Setting<usize>,
    /// The kinds of narrower forms that are not used.
    narrowing_off: Setting<Vec<NarrowingKind>>,
    mcp_servers: BTreeMap<String, mcp::ServerSection>,
    mcp_hold_seconds: Setting<Option<u64>>,
    listen: ListenSettings,
    program_folders: Vec<(Program, PathBuf)>,
    /// The token of a script. It has no key in the settings file, because it is a secret.
    token: Option<OsString>,
}

/// A value and its origin.
struct Setting<T> {
    value: T,
    source: SettingSource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SettingSource {
    Default,
    File,
    Environment(&'static str),
}

impl<T> Setting<T> {
    fn is_set(&self) -> bool {
        self.source != SettingSource::Default
    }

    /// The environment overrides the file, and the file overrides the default.
    fn resolve(environment: Option<(&'static str, T)>, file: Option<T>, default: T) -> Self {
        match (environment, file) {
            (Some((name, value)), _) => Self { value, source: SettingSource::Environment(name) },
            (None, Some(value)) => Self { value, source: SettingSource::File },
            (None, None) => Self { value: default, source: SettingSource::Default },
        }
    }
}

/// What a shell uses without `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

const DEFAULT_PAGER: &str = "less";
const DEFAULT_SOLVER: &str = "cvc5";
const DEFAULT_STORE: &str = "sqlite";
/// The settings file, relative to the user's config folder.
const SETTINGS_FILE: &str = "countersign/settings.toml";

/// Where variables come from.
#[derive(Clone, Copy)]
enum Environment<'a> {
    Process,
    /// What the system knows of this user, and the named settings file. A hook runs in the
    /// environment of a program, which the settings of a repository can change.
    Account {
        home: Option<&'a Path>,
        settings: Option<&'a Path>,
    },
}

impl Environment<'_> {
    /// A variable that is set and not empty.
    fn var(self, name: &'static str) -> Option<(&'static str, OsString)> {
        match (self, name) {
            // It only says which file a program name means, as the program's own commands see it.
            (Self::Process, _) | (Self::Account { .. }, "PATH") => env_var(name),
            (Self::Account { home, .. }, "HOME") => Some((name, home?.into())),
            (Self::Account { settings, .. }, "COUNTERSIGN_SETTINGS") => {
                Some((name, settings?.into()))
            }
            (Self::Account { .. }, _) => None,
        }
    }

    /// An absolute folder in a variable. The XDG specification says to ignore relative ones.
    fn folder(self, name: &'static str) -> Option<PathBuf> {
        let (_, value) = self.var(name)?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    }
}

/// A variable of the environment that is set and not empty.
#[allow(clippy::disallowed_methods, reason = "only this module reads the environment")]
fn env_var(name: &'static str) -> Option<(&'static str, OsString)> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
    Some((name, value))
}

/// A variable of the environment that may be empty: an empty `PAGER` means none.
#[allow(clippy::disallowed_methods, reason = "only this module reads the environment")]
fn env_value(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

fn env_folder(name: &'static str) -> Option<PathBuf> {
    Environment::Process.folder(name)
}

impl Settings {
    pub(crate) fn load() -> Result<Self, Failure> {
        Self::load_from(Environment::Process)
    }

    /// For a hook: nothing comes from the environment but PATH.
    pub(crate) fn load_for_hook(options: &HookOptions) -> Result<Self, Failure> {
        let home = find_account_home();
        let (home, settings) = (home.as_deref(), options.settings.as_deref());
        let mut loaded = Self::load_from(Environment::Account { home, settings })?;
        if let Some(data) = &options.data {
            loaded.data = Setting { value: Some(data.clone()), source: SettingSource::Default };
        }
        Ok(loaded)
    }

    fn load_from(environment: Environment<'_>) -> Result<Self, Failure> {
        let env_var = |name| environment.var(name);
        let env_folder = |name| environment.folder(name);
        let in_home = |path: &str| env_folder("HOME").map(|home| home.join(path));
        let config = env_folder("XDG_CONFIG_HOME").or_else(|| in_home(".config"));
        let data = env_folder("XDG_DATA_HOME").or_else(|| in_home(".local/share"));
        let graph_folder = config.as_ref().map(|config| config.join("countersign"));
        let program_path = env_var("PATH").and_then(|(_, value)| value.into_string().ok());
        let home = env_folder("HOME").and_then(|home| home.to_str().map(str::to_owned));
        let named = env_var("COUNTERSIGN_SETTINGS").map(|(_, path)| PathBuf::from(path));
        let usual_file_place = config.map(|config| config.join(SETTINGS_FILE));
        let file_place = named.clone().or(usual_file_place.clone());
        let file = named.or_else(|| file_place.clone().filter(|path| exists(path)));
        let values = match &file {
            Some(path) => file::read_settings(path, home.as_deref())?,
            None => SettingsFile::default(),
        };
        let path = |name| env_var(name).map(|(name, value)| (name, Some(PathBuf::from(value))));
        let usual = QuestionLimits::default();
        let question_limit = |file, usual| Setting::resolve(None, file, usual);
        Ok(Self {
            graph_folder,
            program_path: program_path.unwrap_or_else(|| DEFAULT_PATH.to_owned()),
            home,
            is_dumb: env_var("TERM").is_none_or(|(_, term)| term == "dumb"),
            has_no_colour: env_var("NO_COLOR").is_some(),
            pager: PagerChoice {
                command: env_value("PAGER").unwrap_or_else(|| DEFAULT_PAGER.into()),
                has_less_options: env_value("LESS").is_some(),
            },
            file,
            file_place,
            usual_file_place,
            data: Setting::resolve(
                path("COUNTERSIGN_DATA"),
                values.data.map(Some),
                data.map(|folder| folder.join("countersign")),
            ),
            store: Setting::resolve(
                env_var("COUNTERSIGN_STORE"),
                values.store.map(OsString::from),
                DEFAULT_STORE.into(),
            ),
            graph: Setting::resolve(path("COUNTERSIGN_GRAPH"), values.graph.map(Some), None),
            headless: Setting::resolve(None, values.headless, false),
            solver: Setting::resolve(
                env_var("CVC5"),
                values.solver.map(OsString::from),
                DEFAULT_SOLVER.into(),
            ),
            questions_per_session: question_limit(values.questions.per_session, usual.per_session),
            questions_per_agent: question_limit(values.questions.per_agent, usual.per_agent),
            questions_in_all: question_limit(values.questions.in_all, usual.in_all),
            narrowing_off: Setting::resolve(None, values.narrowing.off, Vec::new()),
            mcp_servers: values.mcp.servers,
            mcp_hold_seconds: Setting::resolve(None, values.mcp.hold_seconds.map(Some), None),
            listen: ListenSettings::resolve(
                values.network,
                values.agent,
                values.operator,
                values.tls,
                path("COUNTERSIGN_SOCKET"),
            ),
            program_folders: programs::find_folders(),
            token: env_var("COUNTERSIGN_TOKEN").map(|(_, token)| token),
        })
    }

    /// What the terminal can show.
    pub(crate) fn screen(&self) -> Screen {
        Screen {
            is_plain: self.is_dumb,
            colours: if self.has_no_colour { Colours::Absent } else { Colours::Shown },
            home: self.home.clone(),
            pager: self.pager.clone(),
            now: || SystemClock.now(),
            utc_offset: find_utc_offset,
        }
    }

    /// The data folder, unless the command line names one.
    pub(crate) fn data(&self) -> Result<PathBuf, Failure> {
        self.record().data()
    }

    /// Where the record is, unless the command line says so.
    pub(crate) fn record(&self) -> RecordDefaults {
        let choice = self.store.value.to_str().and_then(|text| StoreChoice::parse(text).ok());
        let name = match self.store.source {
            SettingSource::Environment(name) => name,
            SettingSource::File | SettingSource::Default => "`store` in the settings file",
        };
        RecordDefaults {
            data: self.data.value.clone(),
            store: choice.ok_or(name),
            credential_files: &Credentials::FILES,
        }
    }

    pub(crate) fn report_context(&self) -> ReportContext {
        let (clock, entropy) = (Box::new(SystemClock), Box::new(SystemEntropy));
        ReportContext { record: self.record(), clock, entropy }
    }

    /// What the commands about rules need.
    pub(crate) fn rules_context(&self) -> RulesContext {
        RulesContext {
            places: self.graph_places(),
            record: self.record(),
            home: self.home.clone(),
            files: self.file_system(),
            clock: || Box::new(SystemClock),
            solver: self.solver.value.clone(),
            narrowing: self.narrowing(),
        }
    }

    pub(crate) fn is_headless(&self) -> bool {
        self.headless.value
    }

    /// How many questions may be open.
    pub(crate) fn question_limits(&self) -> QuestionLimits {
        QuestionLimits {
            per_session: self.questions_per_session.value,
            per_agent: self.questions_per_agent.value,
            in_all: self.questions_in_all.value,
        }
    }

    /// The kinds of narrower forms that are used.
    pub(crate) fn narrowing(&self) -> Vec<NarrowingKind> {
        let is_used = |kind: &NarrowingKind| !self.narrowing_off.value.contains(kind);
        NarrowingKind::ALL.iter().copied().filter(is_used).collect()
    }

    /// The disk as seen by an agent that runs as our own user.
    pub(crate) fn file_system(&self) -> RealFileSystem {
        let files = RealFileSystem::new(AgentIdentity::current_user(), &self.program_path);
        files.with_home(self.home.as_deref())
    }

    /// What decides for a daemon with this folder and these sockets, besides its graph.
    pub(crate) fn daemon_files(&self, data: &Path, sockets: &Sockets) -> DaemonFiles {
        DaemonFiles {
            settings: self.file_place.clone(),
            data: data.to_owned(),
            sockets: sockets.clone(),
            certificate: self.listen.certificate.value.clone(),
            private_key: self.listen.key.value.clone(),
            program: std::env::current_exe().ok(),
            cwd: std::env::current_dir().unwrap_or_default(),
        }
    }

    /// The disk as agents see it that connect to these sockets.
    pub(crate) fn agent_file_system(&self, sockets: &Sockets) -> RealFileSystem {
        match sockets.access {
            AgentAccess::OwnUser => self.file_system(),
            AgentAccess::Group(_) => {
                RealFileSystem::new(AgentIdentity::unknown_user(), &self.program_path)
            }
        }
    }

    /// Where graphs are.
    pub(crate) fn graph_places(&self) -> GraphPlaces {
        let name = match self.graph.source {
            SettingSource::Environment(_) => "named by COUNTERSIGN_GRAPH",
            SettingSource::File | SettingSource::Default => "named in the settings file",
        };
        GraphPlaces {
            data: self.data.value.clone(),
            setting: self.graph.value.clone().map(|path| (path, name)),
            config: self.graph_folder.clone(),
        }
    }

    /// What a daemon needs in its environment to find these settings and nothing else.
    pub(crate) fn daemon_environment(&self) -> Vec<(&'static str, OsString)> {
        let path = Some(("PATH", OsString::from(&self.program_path)));
        let home = self.home.as_ref().map(|home| ("HOME", OsString::from(home)));
        let file = self.file.as_ref().map(|file| ("COUNTERSIGN_SETTINGS", file.into()));
        [path, home, file].into_iter().flatten().collect()
    }

    /// The settings file, where an account's own home does not have it.
    fn unusual_settings_file(&self) -> Option<PathBuf> {
        let usual = find_account_home().map(|home| home.join(".config").join(SETTINGS_FILE));
        self.file_place.clone().filter(|path| Some(path) != usual.as_ref() && self.file.is_some())
    }

    /// The user's config folder, which may have a graph.
    pub(crate) fn graph_folder(&self) -> Option<&Path> {
        self.graph_folder.as_deref()
    }
}
