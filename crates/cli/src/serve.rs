//! `serve`: runs the daemon. It opens the record, loads the graph and listens until a signal ends it.
//!
//! This module only wires parts together. The server crate answers requests.

mod args;
mod disk_watch;
mod gateway;
mod greeting;
mod rules_watch;
mod starter;
mod write_tracker;

pub(crate) use args::ServeArgs;

use crate::clock::{SystemClock, SystemEntropy};
use crate::limits;
use crate::settings::{HttpOption, PortOptions, Settings};
use countersign_console::{Exit, Failure, Page, out};
use countersign_core::model::names::NodeName;
use countersign_core::model::request::Attendance;
use countersign_engine::{Clock, Engine, Entropy};
use countersign_gateway::Gateway;
use countersign_host::{Host, load_node_name};
use countersign_server::{Credentials, Daemon, PlaneRuntimes, Ports, Sockets};
use countersign_setup::{AssuranceReport, GraphFile, trust_in};
use disk_watch::DiskWatch;
use gateway::{gateway_routes, open_gateway};
use greeting::{Greeting, taken_ports_page};
use rules_watch::{RulesWatch, WatchedGraph};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

pub(crate) fn serve(args: &ServeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = args.record.folder(&settings.record())?;
    let http = if args.no_http { HttpOption::Off } else { HttpOption::FromSettings };
    let typed = PortOptions { agent: args.agent_port, operator: args.operator_port, http };
    let (ports, sockets) = (settings.ports(&typed)?, settings.sockets(&folder)?);
    if !args.new_record {
        args.record.check_not_lost(&settings.record())?;
    }
    let store = args.record.open_daemon_store(&settings.record())?;
    // With the record in a database, no store has created the folder.
    let created = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    let help = "name another with `--data`";
    created.map_err(|error| Failure::file("create", &folder, &error, help))?;
    let path = starter::find_or_create_graph(args.graph.file.as_deref(), &folder, settings)?;
    let (content, file) = GraphFile::read(path.clone());
    let file = file?;
    let watched = WatchedGraph::new(content, file.loaded.clone(), SystemClock.now());
    let (credentials, made) = Credentials::open(&folder)
        .map_err(|error| Failure::new(error.to_string(), error.help()))?;
    let token = credentials.operator_file();
    let engine = Engine::new(store, Box::new(SystemClock), Box::new(SystemEntropy))
        .with_node(node_name(args, settings, &folder)?)
        .with_file_system(Box::new(settings.agent_file_system(&sockets)))
        .with_home(settings.home.clone())
        .with_question_limits(settings.question_limits())
        .with_narrowing(settings.narrowing())
        .with_layer_trust(trust_in(Some(folder.clone())))
        .with_protected_paths(protected_paths(
            [&folder, &path]
                .into_iter()
                .chain(&file.policy_folder)
                .chain(settings.protected_files()),
        ));
    engine.open(|_| Ok(()))?;
    engine.load_graph(file.loaded.clone())?;
    let files = settings.daemon_files(&folder, &sockets).with_graph(&file);
    let chains = files.read_chains();
    let assurance = files.detect_assurance(&chains);
    if let Some(made) = made {
        engine.record_credential_issued(&made)?;
    }
    engine.record_assurance(assurance.level)?;
    let attendance = match args.headless || settings.is_headless() {
        true => Attendance::Headless,
        false => Attendance::Attended,
    };
    let host = Host::new(engine, attendance);
    host.set_graph_file(absolute_path(&path));
    let daemon = Daemon::new(Arc::clone(&host), credentials);
    let gateway = open_gateway(&host, &folder, &sockets, settings)?;
    daemon.add_agent_routes(gateway_routes(&gateway));
    raise_file_limit();
    let (agents, operator) = (build_runtime("agents")?, build_runtime("operator")?);
    let threads =
        PlaneRuntimes { agents: agents.handle().clone(), operator: operator.handle().clone() };
    let service = Service {
        host,
        daemon,
        gateway,
        sockets,
        ports,
        threads,
        token,
        assurance: assurance.clone(),
        graph_name: file.name,
        rules: RulesWatch::new(files, &chains, assurance, watched),
        disk: DiskWatch::new(folder),
    };
    operator.block_on(service.run())
}

/// One worker per plane is enough: it hands decisions to a single writer, and two workers would wake
/// each other for every call. The blocking threads run steps that wait for the disk.
fn build_runtime(name: &str) -> Result<Runtime, Failure> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(limits::MAX_BLOCKING_THREADS)
        .thread_keep_alive(limits::IDLE_THREAD_LIFETIME)
        .thread_name(name)
        .enable_all()
        .build();
    runtime.map_err(start_failure)
}

/// Systems start programs with a low limit and let them raise it. Without that there is room for
/// fewer connections.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(limits::OPEN_FILES, |max| max.min(limits::OPEN_FILES));
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
        let _unchanged = setrlimit(Resource::Nofile, raised);
    }
}

/// A daemon that is ready to listen.
struct Service {
    host: Arc<Host>,
    daemon: Arc<Daemon>,
    gateway: Arc<Gateway>,
    sockets: Sockets,
    ports: Ports,
    threads: PlaneRuntimes,
    token: Option<PathBuf>,
    assurance: AssuranceReport,
    graph_name: String,
    rules: RulesWatch,
    disk: DiskWatch,
}

impl Service {
    async fn run(self) -> Result<Exit, Failure> {
        let Self { host, daemon, sockets, ports, threads, token, .. } = self;
        let Self { assurance, graph_name, mut rules, mut disk, gateway, .. } = self;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(start_failure)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(start_failure)?;
        let listening = daemon.listen_on(sockets.clone(), &ports, &threads);
        let listening = listening.map_err(|error| Failure::new(error.to_string(), error.help()))?;
        threads.agents.spawn(async move { gateway.sweep_regularly().await });
        out::eprint(&taken_ports_page(&ports, &listening));
        let greeting =
            Greeting { sockets: &sockets, listening: &listening, token, assurance: &assurance };
        // A closed stdout does not end the daemon.
        let _unread = out::show(&greeting.page(&graph_name));
        let report_error = |error: String| out::eprint(&Page::from_line(&error));
        let look = || {
            disk.check_host(&host);
            rules.check_files()
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = host.sweep_regularly(report_error) => {}
            () = host.follow_rules(look, report_error) => {}
        }
        listening.stop().await;
        let _unread = out::show(&Page::from_line("stopped"));
        Ok(Exit::Allowed)
    }
}

/// Nodes that share a database need different names. A record in a folder has one node.
fn node_name(args: &ServeArgs, settings: &Settings, folder: &Path) -> Result<NodeName, Failure> {
    if args.record.local_folder(&settings.record())?.is_some() {
        return Ok(NodeName::local().clone());
    }
    load_node_name(folder, SystemEntropy.bits()).map_err(|error| {
        Failure::new(error.to_string(), "make the folder writable, or write a name into the file")
    })
}

/// The paths that no agent may touch: the record, the sockets, the graph, its policies, the settings.
fn protected_paths<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Vec<String> {
    let resolve = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    paths.map(resolve).filter_map(|path| path.to_str().map(str::to_owned)).collect()
}

fn absolute_path(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn start_failure(error: std::io::Error) -> Failure {
    Failure::new(format!("the daemon cannot start: {error}"), "check the folder and its sockets")
}
