//! A gateway with a host in memory, a client that writes lines, and the fixture server.

use crate::clock::TestClock;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, Attendance, Request};
use countersign_core::model::words::{Choice, Surface};
use countersign_engine::{AnswerTarget, Engine, Entropy, Memory, SessionOwner, Sqlite, Store};
use countersign_gateway::{
    ClientIdentity, ClientServers, Confinement, Gateway, GatewaySettings, Launch, ProcessSpec,
    ServerName, ServerOrigin, ServerSpec,
};
use countersign_graph::Format;
use countersign_host::Host;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

pub const GRAPH: &str = "
domains:
  work: {autonomous: [do], requires_approval: [ask], blocked: [never]}
  mcp: {autonomous: [], requires_approval: [add_server], blocked: []}
workflows:
  tidy-up: {actions: [work.ask], steps: [{name: sweep, actions: [work.ask]}]}
tools:
  mcp__fixture__*: {actions: [work.do]}
  mcp__fixture__count: {actions: [work.ask]}
  mcp__fixture__wait: {actions: [work.ask]}
  mcp__fixture__leak: {actions: [work.ask]}
  mcp__fixture__consult: {actions: [work.ask]}
  mcp__fixture__perish: {actions: [work.ask]}
  mcp__fixture__reject: {actions: [work.ask]}
  mcp__fixture__fail: {actions: [work.never]}
";

/// What a person reads when the fixture asks for a name.
pub const ASKED: &str = "The MCP server `fixture` asks, in its own words:\n> name?";

struct RandomEntropy;

impl Entropy for RandomEntropy {
    fn bits(&self) -> u64 {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(0)
    }
}

/// Which era a peer speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    Legacy,
    Modern,
}

pub struct World {
    pub folder: TempDir,
    pub host: Arc<Host>,
    pub gateway: Arc<Gateway>,
    pub clock: TestClock,
    servers: Arc<Mutex<Vec<ServerSpec>>>,
}

impl World {
    pub fn open() -> Self {
        Self::with_answer_wait(Duration::from_secs(30))
    }

    /// Calls are held this long.
    pub fn with_answer_wait(answer_wait: Duration) -> Self {
        Self::on_store(tempfile::tempdir().unwrap(), Box::new(Memory::empty()), answer_wait)
    }

    /// A record on the disk, which a restart finds again.
    pub fn on_disk(answer_wait: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&folder.path().join("store")).unwrap();
        Self::on_store(folder, Box::new(store), answer_wait)
    }

    fn on_store(folder: TempDir, store: Box<dyn Store>, answer_wait: Duration) -> Self {
        let clock = TestClock::default();
        let host = open_host(store, &clock);
        let servers = Arc::<Mutex<Vec<ServerSpec>>>::default();
        let settings = settings(&folder, answer_wait, &servers);
        let gateway = Gateway::open(Arc::clone(&host), settings).unwrap();
        Self { folder, host, gateway, clock, servers }
    }

    /// A gateway that starts anew on the same record and folder.
    pub fn reopen_gateway(&mut self) {
        let settings = settings(&self.folder, Duration::from_secs(30), &self.servers);
        self.gateway = Gateway::open(Arc::clone(&self.host), settings).unwrap();
    }

    /// Ends everything, and starts anew on the record on the disk.
    pub async fn restart(&mut self) {
        self.host.stop();
        self.host = open_host(Box::new(Memory::empty()), &self.clock);
        self.reopen_gateway();
        let place = self.path("store");
        let store = loop {
            match Sqlite::open(&place) {
                Ok(store) => break store,
                // The tasks of the one before are still ending.
                Err(_) => tokio::task::yield_now().await,
            }
        };
        self.host = open_host(Box::new(store), &self.clock);
        self.reopen_gateway();
    }

    /// Adds a server, as the operator does.
    pub fn add_server(&self, server: ServerSpec) {
        self.servers.lock().unwrap().push(server);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The lines that the fixture wrote to one of its files.
    pub fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub fn fixture(&self, era: Era, origin: ServerOrigin) -> ServerSpec {
        let era = if era == Era::Modern { "modern" } else { "legacy" };
        let program = fixture_program().to_str().unwrap().to_owned();
        let folder = self.folder.path().to_str().unwrap().to_owned();
        let process = ProcessSpec {
            command: vec![program, era.to_owned(), folder],
            folder: Some(self.folder.path().to_owned()),
            environment: Vec::new(),
            confinement: Confinement::None,
        };
        let name = ServerName::parse("fixture").unwrap();
        ServerSpec { name, launch: Launch::Process(process), origin }
    }

    pub fn owner(&self) -> SessionOwner {
        SessionOwner::new(&SessionName::parse("s1").unwrap(), Agent::parse("coder").unwrap())
    }

    /// A client in front of the fixture.
    pub fn connect(&self, client: Era, server: Era) -> Client {
        self.connect_to(client, self.fixture(server, ServerOrigin::Settings))
    }

    pub fn connect_to(&self, era: Era, server: ServerSpec) -> Client {
        self.connect_as(self.owner(), era, server)
    }

    /// A modern client that knows tasks.
    pub fn task_client(&self, server: Era) -> Client {
        let mut client = self.connect(Era::Modern, server);
        client.declare_tasks();
        client
    }

    pub fn connect_as(&self, owner: SessionOwner, era: Era, server: ServerSpec) -> Client {
        self.connect_client(ClientIdentity::of_agent(owner), era, server)
    }

    pub fn connect_client(&self, client: ClientIdentity, era: Era, server: ServerSpec) -> Client {
        let (near, far) = tokio::io::duplex(1 << 20);
        let gateway = Arc::clone(&self.gateway);
        tokio::spawn(async move { gateway.serve_single(client, server, far).await });
        let (reader, writer) = tokio::io::split(near);
        Client {
            era,
            capabilities: json!({"elicitation": {}}),
            reader: BufReader::new(reader),
            writer: Some(writer),
            next: 1,
            seen: Vec::new(),
        }
    }

    /// A client of the legacy era that has introduced itself.
    pub async fn legacy_client(&self) -> Client {
        let mut client = self.connect(Era::Legacy, Era::Legacy);
        client.initialize().await;
        client
    }

    /// Puts another graph in force.
    pub async fn load_graph(&self, text: &str) {
        let text = text.as_bytes();
        let graph = countersign_graph::load_graph("graph.yaml", text, Format::Yaml).unwrap();
        self.host.run(move |engine| engine.load_graph(graph)).await.unwrap();
    }

    pub async fn open_requests(&self) -> Vec<Request> {
        let listed = self.host.run(|engine| engine.list_open_requests(None, 100)).await;
        let (_, state) = listed.unwrap();
        state
            .requests
            .values()
            .filter(|request| request.is_open(self.clock.read()))
            .cloned()
            .collect()
    }

    /// Waits until the operator is asked, and returns the only question.
    pub async fn wait_for_question(&self) -> Request {
        let mut growth = self.host.ledger_growth();
        loop {
            if let Some(request) = self.open_requests().await.into_iter().next() {
                return request;
            }
            growth.changed().await.unwrap();
        }
    }

    pub async fn answer(&self, request: &Request, choice: Choice) {
        let answer = Answer {
            say: AnswerChoices::One(choice),
            note: "as you like".to_owned(),
            proof: AnswerProof::TypedText,
            lasts: None,
            covers: None,
            from: AnswerFrom::Embedder,
        };
        let id = request.id;
        self.host
            .run(move |engine| engine.answer(AnswerTarget::Request(id), &answer))
            .await
            .unwrap();
    }
}

fn open_host(store: Box<dyn Store>, clock: &TestClock) -> Arc<Host> {
    let engine = Engine::new(store, Box::new(clock.clone()), Box::new(RandomEntropy));
    engine.open(|_| Ok(())).unwrap();
    let text = GRAPH.as_bytes();
    let graph = countersign_graph::load_graph("graph.yaml", text, Format::Yaml).unwrap();
    engine.load_graph(graph).unwrap();
    engine.set_surface(Surface::Reachable).unwrap();
    Host::new(engine, Attendance::Attended)
}

fn settings(
    folder: &TempDir,
    answer_wait: Duration,
    servers: &Arc<Mutex<Vec<ServerSpec>>>,
) -> GatewaySettings {
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    let servers = Arc::clone(servers);
    GatewaySettings {
        own_folders: vec![data.clone()],
        data,
        answer_wait: Some(answer_wait),
        client_servers: ClientServers::StartedByDaemon,
        servers: Box::new(move || Ok(servers.lock().unwrap().clone())),
    }
}

pub fn fixture_program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.ancestors().nth(2).unwrap().join("examples/fixture-server");
    let remedy = "cargo build -p countersign-gateway --example fixture-server";
    assert!(program.is_file(), "{} is missing: {remedy}", program.display());
    program
}

pub struct Client {
    era: Era,
    /// What a modern client can do.
    capabilities: Value,
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: Option<WriteHalf<DuplexStream>>,
    next: u64,
    /// Messages that came while another was awaited.
    pub seen: Vec<Value>,
}

impl Client {
    pub fn set_capabilities(&mut self, capabilities: Value) {
        self.capabilities = capabilities;
    }

    pub fn declare_tasks(&mut self) {
        self.capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
    }

    pub async fn write(&mut self, text: &str) {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(format!("{text}\n").as_bytes()).await.unwrap();
    }

    /// Reads the next line. None at the end.
    pub async fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        let length = self.reader.read_line(&mut line).await.unwrap();
        (length > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Sends a request and returns its id.
    pub async fn send(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                self.capabilities.clone();
        }
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&message.to_string()).await;
        id
    }

    /// Reads until the response to this request.
    pub async fn wait(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await.expect("the connection ended");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.seen.push(message);
        }
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.wait(id).await
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    pub async fn initialize(&mut self) -> Value {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "test", "version": "1"}});
        let hello = self.request("initialize", params).await;
        self.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        hello
    }

    /// Closes the client's side, as a client that ends does.
    pub async fn leave(mut self) {
        self.writer.take().unwrap().shutdown().await.unwrap();
    }

    /// Waits for a message that is no response.
    pub async fn wait_for(&mut self, method: &str) -> Value {
        loop {
            let message = self.read().await.expect("the connection ended");
            if message["method"] == method {
                return message;
            }
            self.seen.push(message);
        }
    }
}

/// The first text of a tool result.
pub fn text_of(response: &Value) -> &str {
    response["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{response}"))
}

/// Texts that are JSON, as values: the order of members does not count.
pub fn parsed(texts: &[String]) -> Vec<Value> {
    texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}
