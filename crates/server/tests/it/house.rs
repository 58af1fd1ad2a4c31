//! A daemon of one's own, on sockets in a folder that goes with it.

use countersign_api::{EventsQuery, LedgerPosition};
use countersign_client::{ClientError, Connection, Events, OperatorClient};
use countersign_core::model::names::SurfaceName;
use countersign_core::model::request::Attendance;
use countersign_core::model::time::Time;
use countersign_core::model::words::Surface;
use countersign_engine::{Clock, Engine, Entropy, Sqlite, SqliteReader, Store, StoreReader};
use countersign_graph::Format;
use countersign_host::Host;
use countersign_server::{
    Credentials, Daemon, ListenError, Plane, PlaneRuntimes, Ports, RunningServer, Sockets,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

const GRAPH: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: [wipe]}
  bank: {autonomous: [], requires_approval: [pay], blocked: [], actions: {pay: {categories: [purchase]}}}
tools:
  Read: {actions: [files.read], target: /path}
  Write: {actions: [files.write], target: /path}
  Bash: {actions: [files.write], command: /command}
  Pay: {actions: [bank.pay], target: /payee, amount: /amount}
";

struct Real;

impl Clock for Real {
    fn now(&self) -> Time {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Time::from_micros(since.as_micros().try_into().unwrap())
    }
}

struct Drawn;

impl Entropy for Drawn {
    fn bits(&self) -> u64 {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(0)
    }
}

/// As the daemon has one for each plane.
fn thread() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

pub struct House {
    agents: Runtime,
    operators: Runtime,
    pub listening: Option<RunningServer>,
    pub sockets: Sockets,
    folder: TempDir,
}

impl House {
    pub fn open() -> Self {
        Self::on(&Ports::none()).unwrap()
    }

    pub fn on(ports: &Ports) -> Result<Self, ListenError> {
        Self::with(ports, Sockets::in_folder)
    }

    pub fn with(
        ports: &Ports,
        sockets: impl FnOnce(&Path) -> Sockets,
    ) -> Result<Self, ListenError> {
        Self::built((GRAPH, Attendance::Attended, Surface::Reachable), ports, sockets)
    }

    /// No surface is shown anything; what may wait is kept.
    pub fn unseen() -> Self {
        Self::alone((GRAPH, Attendance::Attended, Surface::Gone))
    }

    /// Nobody can be asked here.
    pub fn headless() -> Self {
        Self::alone((GRAPH, Attendance::Headless, Surface::Gone))
    }

    pub fn under(graph: &str) -> Self {
        Self::alone((graph, Attendance::Attended, Surface::Reachable))
    }

    /// Something has happened on the record before it is listened to.
    pub fn after(graph: &str, happened: impl FnOnce(&Engine<Box<dyn Store>>)) -> Self {
        let world = (graph, Attendance::Attended, Surface::Reachable);
        Self::begun(world, (&Ports::none(), Sockets::in_folder), happened).unwrap()
    }

    fn alone(world: (&str, Attendance, Surface)) -> Self {
        Self::built(world, &Ports::none(), Sockets::in_folder).unwrap()
    }

    fn built(
        world: (&str, Attendance, Surface),
        ports: &Ports,
        sockets: impl FnOnce(&Path) -> Sockets,
    ) -> Result<Self, ListenError> {
        Self::begun(world, (ports, sockets), |_| ())
    }

    fn begun(
        (graph, attended, surface): (&str, Attendance, Surface),
        (ports, sockets): (&Ports, impl FnOnce(&Path) -> Sockets),
        happened: impl FnOnce(&Engine<Box<dyn Store>>),
    ) -> Result<Self, ListenError> {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let store: Box<dyn Store> = Box::new(Sqlite::open(&folder.path().join("store")).unwrap());
        let engine = Engine::new(store, Box::new(Real), Box::new(Drawn));
        engine.open(|_| Ok(())).unwrap();
        let read =
            countersign_graph::load_graph("graph.yaml", graph.as_bytes(), Format::Yaml).unwrap();
        engine.load_graph(read).unwrap();
        engine.set_surface(surface).unwrap();
        happened(&engine);
        let (credentials, _) = Credentials::open(folder.path()).unwrap();
        let daemon: Arc<Daemon> = Daemon::new(Host::new(engine, attended), "L0", credentials);
        let sockets = sockets(folder.path());
        let (agents, operators) = (thread(), thread());
        let threads =
            PlaneRuntimes { agents: agents.handle().clone(), operator: operators.handle().clone() };
        let listening = daemon.listen_on(sockets.clone(), ports, &threads)?;
        Ok(Self { agents, operators, listening: Some(listening), sockets, folder })
    }

    /// Holds up the thread that serves agents, as a disk would that hangs, until this is dropped.
    pub fn hold_up_agents(&self) -> Sender<()> {
        let ((hold, held), (stand, stands)) = (channel::<()>(), channel());
        self.agents.spawn(async move {
            stand.send(()).unwrap();
            let _let_go = held.recv();
        });
        stands.recv().unwrap();
        hold
    }

    /// A new credential for an agent, or for what reports for it.
    pub fn token(&self, body: &Value) -> String {
        let added = self.operator().post("/v1/agents", body).unwrap();
        added["token"].as_str().unwrap().to_owned()
    }

    pub fn operator_token(&self) -> String {
        let text = std::fs::read_to_string(self.folder.path().join("operator.token")).unwrap();
        text.trim_end().to_owned()
    }

    /// How many entries of these kinds the record has, read beside the daemon.
    pub fn recorded<const N: usize>(&self, kinds: [&str; N]) -> [usize; N] {
        let reader = SqliteReader::open(&self.folder.path().join("store")).unwrap();
        let entries = reader.read_entries(0, usize::MAX).unwrap();
        kinds.map(|kind| entries.iter().filter(|entry| entry.kind.word() == kind).count())
    }

    /// Stops, as the daemon does on a signal.
    pub fn stop(&mut self) {
        if let Some(listening) = self.listening.take() {
            self.operators.block_on(listening.stop());
        }
    }

    pub fn agent(&self) -> Connection {
        Connection::new(&self.sockets.agent, Duration::from_secs(20))
    }

    pub fn operator(&self) -> Connection {
        Connection::new(&self.sockets.operator, Duration::from_secs(20))
    }

    /// The same plane with types.
    pub fn typed_operator(&self) -> OperatorClient {
        OperatorClient::new(self.operator())
    }

    pub fn events(&self, from: Option<u64>) -> Result<Events, ClientError> {
        let from = from.and_then(LedgerPosition::new);
        self.typed_operator().events(&EventsQuery { from, surface: None })
    }

    pub fn events_of(&self, surface: &str) -> Result<Events, ClientError> {
        let surface = SurfaceName::parse(surface).ok();
        self.typed_operator().events(&EventsQuery { from: None, surface })
    }

    /// Exactly these bytes, on the agents' socket.
    pub fn raw(&self, method: &str, path: &str, kind: &str, body: &str) -> (u16, String) {
        self.raw_on(Plane::Agent, (method, path), kind, body.as_bytes())
    }

    pub fn raw_on(
        &self,
        plane: Plane,
        (method, path): (&str, &str),
        kind: &str,
        body: &[u8],
    ) -> (u16, String) {
        use std::io::{Read, Write};
        let socket = match plane {
            Plane::Agent => &self.sockets.agent,
            Plane::Operator => &self.sockets.operator,
        };
        let mut stream = std::os::unix::net::UnixStream::connect(socket).unwrap();
        // What has no end is no answer that anybody waits for here.
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        // Whoever refuses a body need not read it to its end.
        let _refused = stream.write_all(body);
        let mut text = String::new();
        let _ended = stream.read_to_string(&mut text);
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// A call that asks, by the id under which it waits.
    pub fn pending(&self) -> String {
        let asked = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}});
        let decided = self.agent().post("/v1/check", &asked).unwrap();
        assert_eq!(decided["status"], "pending", "{decided}");
        decided["operation_id"].as_str().unwrap().to_owned()
    }

    /// The one card that is open.
    pub fn card(&self) -> Value {
        let found = self.operator().get("/v1/requests").unwrap();
        let cards = found["requests"].as_array().unwrap();
        assert_eq!(cards.len(), 1, "{found}");
        cards[0].clone()
    }

    pub fn answer(&self, card: &Value, choice: &str) -> Result<Value, ClientError> {
        let body = json!({"digest": card["digest"], "choice": choice});
        self.operator()
            .post(&format!("/v1/requests/{}/answer", card["request"].as_str().unwrap()), &body)
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The status and the word of a refusal.
pub fn refusal(answer: Result<Value, ClientError>) -> (u16, String) {
    match answer {
        Err(ClientError::Refused { status, code, message, remedy }) => {
            assert!(!message.is_empty() && !remedy.is_empty(), "{code}");
            (status, code)
        }
        other => panic!("{other:?}"),
    }
}
