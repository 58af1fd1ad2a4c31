//! A daemon for one test, with its sockets in a temporary folder.

use countersign_api::{EventsQuery, LedgerPosition};
use countersign_client::{ClientError, Connection, Events, OperatorClient};
use countersign_core::model::names::SurfaceName;
use countersign_core::model::open_questions::QuestionLimits;
use countersign_core::model::request::Attendance;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Assurance, Surface};
use countersign_engine::{
    Clock, Engine, Entropy, Postgres, PostgresSettings, Sqlite, SqliteReader, Store, StoreReader,
};
use countersign_graph::Format;
use countersign_host::Host;
use countersign_ledger::Entry;
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

struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Time {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Time::from_micros(since.as_micros().try_into().unwrap())
    }
}

struct RandomEntropy;

impl Entropy for RandomEntropy {
    fn bits(&self) -> u64 {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(0)
    }
}

/// The daemon has one of these for each plane.
fn plane_runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

pub struct TestServer {
    agents: Runtime,
    operators: Runtime,
    pub running: Option<RunningServer>,
    pub sockets: Sockets,
    folder: TempDir,
}

struct TestSetup<'a> {
    graph: &'a str,
    attended: Attendance,
    surface: Surface,
    database: Option<PostgresSettings>,
}

impl<'a> TestSetup<'a> {
    fn with_graph(graph: &'a str) -> Self {
        let (attended, surface) = (Attendance::Attended, Surface::Reachable);
        Self { graph, attended, surface, database: None }
    }
}

impl TestServer {
    pub fn open() -> Self {
        Self::with_ports(&Ports::none()).unwrap()
    }

    pub fn with_ports(ports: &Ports) -> Result<Self, ListenError> {
        Self::with_sockets(ports, Sockets::in_folder)
    }

    pub fn with_sockets(
        ports: &Ports,
        sockets: impl FnOnce(&Path) -> Sockets,
    ) -> Result<Self, ListenError> {
        Self::start(&TestSetup::with_graph(GRAPH), ports, sockets, |_| ())
    }

    /// No surface is connected, but an operator exists.
    pub fn without_surface() -> Self {
        let setup = TestSetup::with_graph(GRAPH);
        Self::start_on_sockets(&TestSetup { surface: Surface::Gone, ..setup })
    }

    /// There is no operator.
    pub fn headless() -> Self {
        let (attended, surface) = (Attendance::Headless, Surface::Gone);
        let setup = TestSetup::with_graph(GRAPH);
        Self::start_on_sockets(&TestSetup { attended, surface, ..setup })
    }

    /// A node on a database, in a schema that no other test uses.
    pub fn on_postgres(settings: &PostgresSettings) -> Self {
        let database = Some(settings.clone());
        Self::start_on_sockets(&TestSetup { database, ..TestSetup::with_graph(GRAPH) })
    }

    pub fn with_graph(graph: &str) -> Self {
        Self::start_on_sockets(&TestSetup::with_graph(graph))
    }

    /// Runs steps on the engine before the server starts.
    pub fn with_history(graph: &str, history: impl FnOnce(&Engine<Box<dyn Store>>)) -> Self {
        let setup = TestSetup::with_graph(graph);
        Self::start(&setup, &Ports::none(), Sockets::in_folder, history).unwrap()
    }

    fn start_on_sockets(setup: &TestSetup<'_>) -> Self {
        Self::start(setup, &Ports::none(), Sockets::in_folder, |_| ()).unwrap()
    }

    fn start(
        setup: &TestSetup<'_>,
        ports: &Ports,
        sockets: impl FnOnce(&Path) -> Sockets,
        history: impl FnOnce(&Engine<Box<dyn Store>>),
    ) -> Result<Self, ListenError> {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let store: Box<dyn Store> = match &setup.database {
            Some(settings) => Box::new(Postgres::open(settings.clone()).unwrap()),
            None => Box::new(Sqlite::open(&folder.path().join("store")).unwrap()),
        };
        let engine =
            Engine::new(store, Box::new(RealClock), Box::new(RandomEntropy)).with_question_limits(
                QuestionLimits { per_session: 1_000, per_agent: 1_000, in_all: 1_000 },
            );
        engine.open(|_| Ok(())).unwrap();
        let text = setup.graph.as_bytes();
        let loaded = countersign_graph::load_graph("graph.yaml", text, Format::Yaml).unwrap();
        engine.load_graph(loaded).unwrap();
        engine.set_surface(setup.surface).unwrap();
        engine.set_assurance(Assurance::Shared);
        history(&engine);
        let (credentials, _) = Credentials::open(folder.path()).unwrap();
        let daemon: Arc<Daemon> = Daemon::new(Host::new(engine, setup.attended), credentials);
        let sockets = sockets(folder.path());
        let (agents, operators) = (plane_runtime(), plane_runtime());
        let runtimes =
            PlaneRuntimes { agents: agents.handle().clone(), operator: operators.handle().clone() };
        let running = daemon.listen_on(sockets.clone(), ports, &runtimes)?;
        Ok(Self { agents, operators, running: Some(running), sockets, folder })
    }

    /// Blocks the agents' runtime, as a disk that hangs would, until the result is dropped.
    pub fn block_agents(&self) -> Sender<()> {
        let ((unblock, unblocked), (block, blocked)) = (channel::<()>(), channel());
        self.agents.spawn(async move {
            block.send(()).unwrap();
            let _dropped = unblocked.recv();
        });
        blocked.recv().unwrap();
        unblock
    }

    /// Issues a token to an agent or an adapter.
    pub fn issue_token(&self, body: &Value) -> String {
        let added = self.operator().post("/v1/agents", body).unwrap();
        added["token"].as_str().unwrap().to_owned()
    }

    pub fn operator_token(&self) -> String {
        let text = std::fs::read_to_string(self.folder.path().join("operator.token")).unwrap();
        text.trim_end().to_owned()
    }

    /// The number of ledger entries of each kind, read from the store directly.
    pub fn count_entries<const N: usize>(&self, kinds: [&str; N]) -> [usize; N] {
        let entries = self.read_entries();
        kinds.map(|kind| entries.iter().filter(|entry| entry.kind.word() == kind).count())
    }

    /// The ledger, read from the store directly.
    pub fn read_entries(&self) -> Vec<Entry> {
        let reader = SqliteReader::open(&self.folder.path().join("store")).unwrap();
        reader.read_entries(0, usize::MAX).unwrap()
    }

    /// Stops as the daemon does on a signal.
    pub fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            self.operators.block_on(running.stop());
        }
    }

    pub fn agent(&self) -> Connection {
        Connection::new(&self.sockets.agent, Duration::from_secs(20))
    }

    pub fn operator(&self) -> Connection {
        Connection::new(&self.sockets.operator, Duration::from_secs(20))
    }

    /// The typed client of the same plane.
    pub fn typed_operator(&self) -> OperatorClient {
        OperatorClient::new(self.operator())
    }

    pub fn events(&self, from: Option<u64>) -> Result<Events, ClientError> {
        let from = from.and_then(LedgerPosition::new);
        self.typed_operator().events(&EventsQuery { from, surface: None })
    }

    pub fn surface_events(&self, surface: &str) -> Result<Events, ClientError> {
        let surface = SurfaceName::parse(surface).ok();
        self.typed_operator().events(&EventsQuery { from: None, surface })
    }

    /// Sends exactly these bytes on the agents' socket.
    pub fn send_raw(&self, method: &str, path: &str, kind: &str, body: &str) -> (u16, String) {
        self.send_raw_to(Plane::Agent, (method, path), kind, body.as_bytes())
    }

    pub fn send_raw_to(
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
        // An event stream has no end.
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        // The server may refuse a body before it has read all of it.
        let _refused = stream.write_all(body);
        let mut text = String::new();
        let _ended = stream.read_to_string(&mut text);
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// Makes a call that asks, and returns its id.
    pub fn park_call(&self) -> String {
        let request = json!({"session": "s1", "tool": "Write", "args": {"path": "/srv/a"}});
        let decided = self.agent().post("/v1/check", &request).unwrap();
        assert_eq!(decided["status"], "pending", "{decided}");
        decided["operation_id"].as_str().unwrap().to_owned()
    }

    /// Until a card is open.
    pub fn wait_for_card(&self) {
        while self.operator().get("/v1/requests").unwrap()["requests"] == json!([]) {}
    }

    /// The only open card.
    pub fn card(&self) -> Value {
        let found = self.operator().get("/v1/requests").unwrap();
        let cards = found["requests"].as_array().unwrap();
        assert_eq!(cards.len(), 1, "{found}");
        cards[0].clone()
    }

    /// Reports that the surface `test` has shown this much of a request.
    pub fn show_card(&self, card: &Value, shown: &str) {
        let delivery = json!({
            "request": card["request"], "surface": "test", "evidence": "requested", "shown": shown,
        });
        self.operator().post("/v1/deliveries", &delivery).unwrap();
    }

    /// Answers on the surface `test`, which has shown the card.
    pub fn answer_card(&self, card: &Value, choice: &str) -> Result<Value, ClientError> {
        self.show_card(card, "card");
        let body = json!({"digest": card["digest"], "choice": choice, "surface": "test"});
        self.operator()
            .post(&format!("/v1/requests/{}/answer", card["request"].as_str().unwrap()), &body)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The status and the code of an error.
pub fn expect_error(answer: Result<Value, ClientError>) -> (u16, String) {
    match answer {
        Err(ClientError::Refused { status, code, message, remedy }) => {
            assert!(!message.is_empty() && !remedy.is_empty(), "{code}");
            (status, code)
        }
        other => panic!("{other:?}"),
    }
}
