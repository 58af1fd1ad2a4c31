//! Settings: the one place that reads the environment, and where a graph is looked for.

use crate::failure::Failure;
use crate::record::Keeper;
use countersign_engine::disk::{Identity, System};
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
    /// What proves: a path, or a name that is looked for there.
    solver: OsString,
    /// The folder of the record.
    data: Option<PathBuf>,
    /// What keeps the record.
    keeper: Option<OsString>,
}

/// Where a shell looks if nobody told it.
const PROGRAMS: &str = "/usr/local/bin:/usr/bin:/bin";

const SOLVER: &str = "cvc5";

impl Settings {
    #[allow(clippy::disallowed_methods, reason = "settings are where the environment comes in")]
    pub(crate) fn from_environment() -> Self {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
        // The XDG rules say that a path that is not absolute is to be ignored.
        let absolute = |path: &PathBuf| path.is_absolute();
        let config = folder("XDG_CONFIG_HOME")
            .filter(absolute)
            .or_else(|| folder("HOME").filter(absolute).map(|home| home.join(".config")));
        let mut folders = vec![PathBuf::new()];
        folders.extend(config.map(|config| config.join("countersign")));
        let programs = std::env::var("PATH").unwrap_or_else(|_| PROGRAMS.to_owned());
        let home =
            folder("HOME").filter(absolute).and_then(|home| home.to_str().map(str::to_owned));
        let solver = std::env::var_os("CVC5").filter(|named| !named.is_empty());
        let solver = solver.unwrap_or_else(|| SOLVER.into());
        let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let shared = || {
            let named = folder("XDG_DATA_HOME").filter(absolute);
            named.or_else(|| Some(folder("HOME").filter(absolute)?.join(".local/share")))
        };
        let data = named("COUNTERSIGN_DATA").map(PathBuf::from);
        let data = data.or_else(|| shared().map(|folder| folder.join("countersign")));
        let keeper = named("COUNTERSIGN_STORE");
        Self { folders, programs, home, solver, data, keeper }
    }

    /// Where the record lies if nobody says otherwise on the command line.
    pub(crate) fn data(&self) -> Result<PathBuf, Failure> {
        self.data.clone().ok_or_else(|| {
            Failure::usage(
                "nobody says where the record lies",
                "name its folder with `--data DIR`, or set COUNTERSIGN_DATA or HOME",
            )
        })
    }

    pub(crate) fn keeper(&self) -> Result<Keeper, Failure> {
        let Some(named) = &self.keeper else { return Ok(Keeper::Sqlite) };
        // The address may hold a password, so it is not repeated.
        named.to_str().and_then(|text| Keeper::parse(text).ok()).ok_or_else(|| {
            let message = "COUNTERSIGN_STORE says neither `sqlite` nor `postgres:` and an address";
            Failure::usage(message, "set it to one of them, or unset it")
        })
    }

    pub(crate) fn solver(&self) -> &OsStr {
        &self.solver
    }

    /// The disk as an agent finds it that runs as our own user.
    pub(crate) fn disk(&self) -> System {
        System::new(Identity::ours(), &self.programs)
    }

    /// Whether a graph is named, or stands where one is looked for.
    pub(crate) fn has_graph(&self, given: Option<&Path>) -> bool {
        let stands = |folder: &PathBuf| NAMES.iter().any(|name| is_there(&folder.join(name)));
        given.is_some() || self.folders.iter().any(stands)
    }

    /// The graph named on the command line, else the one graph of the first folder that has any.
    pub(crate) fn graph(&self, given: Option<&Path>) -> Result<PathBuf, Failure> {
        if let Some(given) = given {
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
