//! Settings: the one place that reads the environment and the settings file, and where a graph is
//! looked for. What is typed goes before the environment, and that before the file.

mod doors;
mod file;
mod keys;
mod show;

pub(crate) use doors::{Http, Typed};
pub(crate) use show::settings;

use crate::failure::Failure;
use crate::record::Keeper;
use countersign_engine::disk::{Identity, System};
use doors::Doors;
use file::Form;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Names under which a graph is found without being named.
const NAMES: [&str; 4] =
    ["countersign.toml", "countersign.yaml", "countersign.yml", "countersign.json"];

pub(crate) struct Settings {
    /// Where a graph is looked for, in this order.
    folders: Vec<PathBuf>,
    /// Where programs are looked for: what `PATH` holds.
    programs: String,
    /// What `~` stands for.
    pub(crate) home: Option<String>,
    /// The terminal understands no sequences.
    pub(crate) dumb: bool,
    /// The file that was read.
    pub(crate) file: Option<PathBuf>,
    /// The folder of the record.
    data: Setting<Option<PathBuf>>,
    /// What keeps the record.
    store: Setting<OsString>,
    /// The graph, where it is not looked for.
    graph: Setting<Option<PathBuf>>,
    /// Whether nobody is there to be asked.
    headless: Setting<bool>,
    /// What proves: a path, or a name that is looked for.
    solver: Setting<OsString>,
    /// Where the daemon is reached.
    doors: Doors,
    /// What a script shows the daemon. A secret stands in no file of ours.
    token: Option<OsString>,
}

/// A value, and who said it.
struct Setting<T> {
    value: T,
    from: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Default,
    File,
    Environment(&'static str),
}

impl<T> Setting<T> {
    /// Whether anybody said it.
    fn is_said(&self) -> bool {
        self.from != Source::Default
    }

    /// The environment goes before the file, and the file before what holds anyway.
    fn first(environment: Option<(&'static str, T)>, file: Option<T>, default: T) -> Self {
        match (environment, file) {
            (Some((name, value)), _) => Self { value, from: Source::Environment(name) },
            (None, Some(value)) => Self { value, from: Source::File },
            (None, None) => Self { value: default, from: Source::Default },
        }
    }
}

/// Where a shell looks if nobody told it.
const PROGRAMS: &str = "/usr/local/bin:/usr/bin:/bin";

const SOLVER: &str = "cvc5";
const STORE: &str = "sqlite";
/// The settings file, in the user's config folder.
const FILE: &str = "countersign/settings.toml";

/// A variable that says something.
#[allow(clippy::disallowed_methods, reason = "settings are where the environment comes in")]
fn variable(name: &'static str) -> Option<(&'static str, OsString)> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
    Some((name, value))
}

/// A folder that a variable names. The XDG rules say that one that is not absolute is ignored.
fn folder(name: &'static str) -> Option<PathBuf> {
    let (_, value) = variable(name)?;
    Some(PathBuf::from(value)).filter(|path| path.is_absolute())
}

impl Settings {
    pub(crate) fn load() -> Result<Self, Failure> {
        let in_home = |below: &str| folder("HOME").map(|home| home.join(below));
        let config = folder("XDG_CONFIG_HOME").or_else(|| in_home(".config"));
        let shared = folder("XDG_DATA_HOME").or_else(|| in_home(".local/share"));
        let mut folders = vec![PathBuf::new()];
        folders.extend(config.as_ref().map(|config| config.join("countersign")));
        let programs = variable("PATH").and_then(|(_, value)| value.into_string().ok());
        let home = folder("HOME").and_then(|home| home.to_str().map(str::to_owned));
        let named = variable("COUNTERSIGN_SETTINGS").map(|(_, path)| PathBuf::from(path));
        let usual = config.map(|config| config.join(FILE)).filter(|path| is_there(path));
        let file = named.or(usual);
        let form = match &file {
            Some(path) => file::read(path, home.as_deref())?,
            None => Form::default(),
        };
        let path = |name| variable(name).map(|(name, value)| (name, Some(PathBuf::from(value))));
        Ok(Self {
            folders,
            programs: programs.unwrap_or_else(|| PROGRAMS.to_owned()),
            home,
            dumb: variable("TERM").is_none_or(|(_, term)| term == "dumb"),
            file,
            data: Setting::first(
                path("COUNTERSIGN_DATA"),
                form.data.map(Some),
                shared.map(|folder| folder.join("countersign")),
            ),
            store: Setting::first(
                variable("COUNTERSIGN_STORE"),
                form.store.map(OsString::from),
                STORE.into(),
            ),
            graph: Setting::first(path("COUNTERSIGN_GRAPH"), form.graph.map(Some), None),
            headless: Setting::first(None, form.headless, false),
            solver: Setting::first(
                variable("CVC5"),
                form.solver.map(OsString::from),
                SOLVER.into(),
            ),
            doors: Doors::of(
                (form.network, form.tls),
                (path("COUNTERSIGN_SOCKET"), form.agent),
                form.operator,
            ),
            token: variable("COUNTERSIGN_TOKEN").map(|(_, token)| token),
        })
    }

    /// Where the record lies if nobody says otherwise on the command line.
    pub(crate) fn data(&self) -> Result<PathBuf, Failure> {
        self.data.value.clone().ok_or_else(|| {
            Failure::usage(
                "nobody says where the record lies",
                "name its folder with `--data DIR`, or set COUNTERSIGN_DATA or HOME",
            )
        })
    }

    pub(crate) fn keeper(&self) -> Result<Keeper, Failure> {
        let Setting { value, from } = &self.store;
        // The address may hold a password, so it is not repeated.
        value.to_str().and_then(|text| Keeper::parse(text).ok()).ok_or_else(|| {
            let who = match from {
                Source::Environment(name) => name,
                Source::File | Source::Default => "the key `store` of the settings file",
            };
            let message = format!("{who} says neither `sqlite` nor `postgres:` and an address");
            Failure::usage(message, "set it to one of them, or leave it out")
        })
    }

    pub(crate) fn solver(&self) -> &OsStr {
        &self.solver.value
    }

    pub(crate) fn headless(&self) -> bool {
        self.headless.value
    }

    /// The disk as an agent finds it that runs as our own user.
    pub(crate) fn disk(&self) -> System {
        System::new(Identity::ours(), &self.programs)
    }

    /// Whether a graph is named, or stands where one is looked for.
    pub(crate) fn has_graph(&self, given: Option<&Path>) -> bool {
        let stands = |folder: &PathBuf| NAMES.iter().any(|name| is_there(&folder.join(name)));
        given.is_some() || self.graph.value.is_some() || self.folders.iter().any(stands)
    }

    /// The graph named on the command line, else in the settings, else the one graph of the first
    /// folder that has any.
    pub(crate) fn graph(&self, given: Option<&Path>) -> Result<PathBuf, Failure> {
        if let Some(given) = given.or(self.graph.value.as_deref()) {
            return Ok(given.to_path_buf());
        }
        for folder in &self.folders {
            let found: Vec<PathBuf> =
                NAMES.iter().map(|name| folder.join(name)).filter(|path| is_there(path)).collect();
            match found.as_slice() {
                [] => {}
                [one] => return Ok(one.clone()),
                several => return Err(ambiguous(several)),
            }
        }
        Err(self.none())
    }

    fn none(&self) -> Failure {
        let elsewhere: Vec<_> = self.folders.iter().skip(1).map(|folder| quoted(folder)).collect();
        let places = match elsewhere.as_slice() {
            [] => "this folder".to_owned(),
            [one, ..] => format!("this folder or {one}"),
        };
        Failure::new(
            format!("there is no graph in {places}, so that nothing is allowed"),
            "write a `countersign.yaml`, or name a graph with `--graph FILE`",
        )
    }
}

/// Whatever stands there, readable or not: what cannot be read is reported, not passed over.
fn is_there(path: &Path) -> bool {
    match std::fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
    }
}

fn ambiguous(found: &[PathBuf]) -> Failure {
    let names: Vec<_> = found.iter().map(|path| quoted(path)).collect();
    Failure::new(
        format!("{} graphs stand side by side: {}", found.len(), names.join(", ")),
        "keep one of them, or name one with `--graph FILE`",
    )
}

fn quoted(path: &Path) -> String {
    format!("`{}`", path.display())
}
