//! `serve`: the daemon, wired together. It opens the record, loads the graph, listens, and looks
//! after both until it is told to stop.

mod greeting;
mod starter;

use crate::args::ServeArgs;
use crate::clock::{SystemClock, SystemEntropy};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::out;
use crate::page::Page;
use crate::settings::{HttpOption, PortOptions, Settings};
use countersign_engine::{Clock, Engine, Store};
use countersign_server::{Attended, Credentials, Daemon, Footing, Ports, Sockets, Threads};
use greeting::{greeting, without};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// How often time and the graph's file are looked at.
const LOOK: Duration = Duration::from_secs(2);
/// Descriptors that the daemon asks for: as many connections as both sockets take, and some more.
const DESCRIPTORS: u64 = 40_000;

/// Steps that wait for the disk at once. They are written together, so that more would only hold
/// memory; what comes beyond waits its turn.
const AT_ONCE: usize = 32;

/// A thread that has had nothing to do for so long gives back what it holds.
const IDLE: Duration = Duration::from_secs(1);

type TheEngine = Engine<Box<dyn Store>>;

pub(crate) fn serve(args: &ServeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = args.record.folder(settings)?;
    let http = if args.no_http { HttpOption::Off } else { HttpOption::FromSettings };
    let typed = PortOptions { agent: args.agent_port, operator: args.operator_port, http };
    let doors = Doors { ports: settings.ports(&typed)?, sockets: settings.sockets(&folder)? };
    let store = args.record.to_write(settings)?;
    // Where a database keeps the record, nobody else has made it.
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    made.map_err(|error| Failure::file("make", &folder, &error, "name another with `--data`"))?;
    let path =
        starter::graph(args.graph.file.as_deref(), &folder, (settings, SystemClock.now().date()))?;
    let file = GraphFile::open(Some(&path), settings)?;
    let (credentials, made) = Credentials::kept_in(&folder)
        .map_err(|error| Failure::new(error.to_string(), error.help()))?;
    let token = credentials.operator_file();
    let engine = Engine::new(store, Box::new(SystemClock), Box::new(SystemEntropy))
        .look_at(Box::new(settings.disk()))
        .at_home(settings.home.clone())
        .protect(ours([&folder, &path].into_iter().chain(settings.protected_files())));
    engine.serve(|_| Ok(()))?;
    put_in_force(&engine, &file)?;
    let footing = Footing::found(&folder, &path, &doors.sockets);
    if let Some(made) = made {
        engine.credential_issued(&made)?;
    }
    engine.assurance_found(footing.level)?;
    let attended =
        if args.headless || settings.is_headless() { Attended::Headless } else { Attended::Yes };
    let daemon = Daemon::with(engine, attended, footing.level.word(), credentials);
    make_room();
    let (agents, operator) = (thread("agents")?, thread("operator")?);
    let threads = Threads { agents: agents.handle().clone(), operator: operator.handle().clone() };
    let greeted = Greeted { token, footing };
    operator.block_on(listen(daemon, (doors, threads, greeted), (path, file), settings))
}

/// One thread that takes connections, and some that may wait for long. One is enough: what it decides
/// goes to a writer, and that is one as well; two would wake each other for every call.
fn thread(name: &str) -> Result<Runtime, Failure> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(AT_ONCE)
        .thread_keep_alive(IDLE)
        .thread_name(name)
        .enable_all()
        .build();
    runtime.map_err(|error| broken(&error))
}

/// Where the daemon is met.
struct Doors {
    sockets: Sockets,
    ports: Ports,
}

/// What is said beside that.
struct Greeted {
    token: Option<PathBuf>,
    footing: Footing,
}

/// Systems begin with few descriptors, and let a program ask for more. If they do not, there is
/// room for fewer connections.
fn make_room() {
    let found = getrlimit(Resource::Nofile);
    let most = found.maximum.map_or(DESCRIPTORS, |most| most.min(DESCRIPTORS));
    if found.current.is_some_and(|current| current < most) {
        let asked = Rlimit { current: Some(most), maximum: found.maximum };
        let _fewer = setrlimit(Resource::Nofile, asked);
    }
}

#[allow(clippy::disallowed_methods, reason = "a poll interval decides no call")]
async fn listen(
    daemon: Arc<Daemon>,
    (doors, threads, greeted): (Doors, Threads, Greeted),
    (path, file): (PathBuf, GraphFile),
    settings: &Settings,
) -> Result<Exit, Failure> {
    let mut interrupted = signal(SignalKind::interrupt()).map_err(|error| broken(&error))?;
    let mut ended = signal(SignalKind::terminate()).map_err(|error| broken(&error))?;
    let Doors { sockets, ports } = doors;
    let listening = daemon.listen_on(sockets.clone(), &ports, &threads);
    let listening = listening.map_err(|error| Failure::new(error.to_string(), error.help()))?;
    out::eprint(&without(&ports, &listening));
    // Whoever started it may not listen any more; that ends nothing.
    let told = (greeted.token.as_deref(), &file);
    let _unheard = out::show(&greeting(&sockets, &listening, told, greeted.footing));
    let mut seen = file.bytes;
    loop {
        tokio::select! {
            _ = interrupted.recv() => break,
            _ = ended.recv() => break,
            () = tokio::time::sleep(LOOK) => {}
        }
        if let Err(error) = daemon.sweep().await {
            out::eprint(&Page::from_line(&format!(
                "what time has ended could not be written down: {error}"
            )));
        }
        look_again(&daemon, &path, &mut seen, settings).await;
    }
    listening.stop().await;
    let _unheard = out::show(&Page::from_line("stopped"));
    Ok(Exit::Allowed)
}

/// A graph that was changed is loaded if it holds together; else the last good one stays, and the
/// operator is alerted.
async fn look_again(daemon: &Arc<Daemon>, path: &Path, seen: &mut Vec<u8>, settings: &Settings) {
    let Ok(bytes) = crate::files::read(path) else { return };
    if bytes == *seen {
        return;
    }
    *seen = bytes;
    let (loaded, said) = match GraphFile::open(Some(path), settings) {
        Ok(file) => {
            let named = format!("{}: loaded again", file.name);
            (daemon.load(file.loaded).await, Page::from_line(&named))
        }
        Err(failure) => {
            let page = failure.page();
            (daemon.refused("the changed graph does not hold together").await, page)
        }
    };
    out::eprint(&said);
    if let Err(error) = loaded {
        out::eprint(&Page::from_line(&format!("the last good graph stays in force: {error}")));
    }
}

fn put_in_force(engine: &TheEngine, file: &GraphFile) -> Result<(), Failure> {
    let loaded = &file.loaded;
    Ok(engine.load_from(loaded.graph.clone(), loaded.policies.clone(), loaded.source.clone())?)
}

/// What no agent may touch: the record, the sockets, the graph, the settings.
fn ours<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Vec<String> {
    let whole = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    paths.map(whole).filter_map(|path| path.to_str().map(str::to_owned)).collect()
}

fn broken(error: &std::io::Error) -> Failure {
    Failure::new(format!("the daemon cannot start: {error}"), "look at the folder and its sockets")
}
