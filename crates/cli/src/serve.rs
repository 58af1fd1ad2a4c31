//! `serve`: the daemon, wired together. It opens the record, loads the graph, listens, and looks
//! after both until it is told to stop.

mod starter;

use crate::args::Serve;
use crate::clock::{Drawn, SystemClock};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::out;
use crate::page::{BOLD, Page, YELLOW};
use crate::settings::Settings;
use countersign_engine::{Engine, Store};
use countersign_server::{Attended, Daemon, Sockets};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

/// How often time and the graph's file are looked at.
const LOOK: Duration = Duration::from_secs(2);
/// Everything under one user: accidents are stopped, a hostile process is not.
const ASSURANCE: &str = "L0";

type TheEngine = Engine<Box<dyn Store>>;

pub(crate) fn serve(args: &Serve, settings: &Settings) -> Result<Exit, Failure> {
    let folder = args.record.folder(settings)?;
    let store = args.record.to_write(settings)?;
    let path = starter::graph(args.graph.file.as_deref(), &folder, settings)?;
    let file = GraphFile::open(Some(&path), settings)?;
    let sockets = Sockets::in_folder(&folder);
    let engine = Engine::new(store, Box::new(SystemClock), Box::new(Drawn))
        .look_at(Box::new(settings.disk()))
        .at_home(settings.home.clone())
        .protect(ours([&folder, &path].into_iter().chain(&settings.file)));
    engine.serve(|_| Ok(()))?;
    put_in_force(&engine, &file)?;
    let attended =
        if args.headless || settings.headless() { Attended::Headless } else { Attended::Yes };
    let daemon = Daemon::new(engine, attended, ASSURANCE);
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| broken(&error))?;
    runtime.block_on(listen(daemon, sockets, (path, file), settings))
}

async fn listen(
    daemon: Arc<Daemon>,
    sockets: Sockets,
    (path, file): (PathBuf, GraphFile),
    settings: &Settings,
) -> Result<Exit, Failure> {
    let mut interrupted = signal(SignalKind::interrupt()).map_err(|error| broken(&error))?;
    let mut ended = signal(SignalKind::terminate()).map_err(|error| broken(&error))?;
    let listening = daemon.listen(sockets.clone()).map_err(|error| broken(&error))?;
    // Whoever started it may not listen any more; that ends nothing.
    let _unheard = out::show(&greeting(&sockets, &file));
    let mut seen = file.bytes;
    loop {
        tokio::select! {
            _ = interrupted.recv() => break,
            _ = ended.recv() => break,
            () = tokio::time::sleep(LOOK) => {}
        }
        if let Err(error) = daemon.sweep().await {
            out::tell(&Page::of(&format!(
                "what time has ended could not be written down: {error}"
            )));
        }
        look_again(&daemon, &path, &mut seen, settings).await;
    }
    listening.stop().await;
    let _unheard = out::show(&Page::of("stopped"));
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
            (daemon.load(file.loaded).await, Page::of(&named))
        }
        Err(failure) => {
            let page = failure.page();
            (daemon.refused("the changed graph does not hold together").await, page)
        }
    };
    out::tell(&said);
    if let Err(error) = loaded {
        out::tell(&Page::of(&format!("the last good graph stays in force: {error}")));
    }
}

fn put_in_force(engine: &TheEngine, file: &GraphFile) -> Result<(), Failure> {
    let loaded = &file.loaded;
    Ok(engine.load_from(loaded.graph.clone(), loaded.rules.clone(), loaded.source.clone())?)
}

/// What no agent may touch: the record, the sockets, the graph, the settings.
fn ours<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Vec<String> {
    let whole = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    paths.map(whole).filter_map(|path| path.to_str().map(str::to_owned)).collect()
}

fn greeting(sockets: &Sockets, file: &GraphFile) -> Page {
    let mut page = Page::new();
    page.styled(BOLD, "ready")
        .text(": agents at ")
        .text(&sockets.agent.display().to_string())
        .end();
    page.text("operator at ").text(&sockets.operator.display().to_string()).end();
    page.text("graph ").text(&file.name).end();
    page.styled(YELLOW, "assurance L0")
        .text(": agents that run as your own user could go around this");
    page.end();
    page.text("`countersign ls` shows what waits for you; Ctrl-C ends this").end();
    page
}

fn broken(error: &std::io::Error) -> Failure {
    Failure::new(format!("the daemon cannot start: {error}"), "look at the folder and its sockets")
}
