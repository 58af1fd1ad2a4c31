//! The gateway of one daemon: what all clients' relays share.

use crate::call::elicit::PutQuestions;
use crate::call::kept::KeptResponses;
use crate::call::parents::ParentTokens;
use crate::call::parked::ParkedCalls;
use crate::http::HttpSessions;
use crate::pins::Pins;
use crate::profiles::hold_for;
use crate::relay::continuations::Continuations;
use crate::relay::tasks::RunningTasks;
use crate::relay::{Relay, lock};
use crate::spec::ServerSpec;
use countersign_core::model::call::Parking;
use countersign_core::model::request::Attendance;
use countersign_host::Host;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// What the daemon's settings say about the gateway.
pub struct GatewaySettings {
    /// Where pins are stored.
    pub data: PathBuf,
    /// Folders that no server process may write to.
    pub own_folders: Vec<PathBuf>,
    /// How long a call is held for an answer; none if it depends on the client.
    pub hold: Option<Duration>,
    /// What a server gets that a client names.
    pub environment: ClientEnvironment,
    /// Reads the servers that the operator added.
    pub servers: Box<dyn Fn() -> Result<Vec<ServerSpec>, String> + Send + Sync>,
}

/// The environment of a server that a client names.
pub enum ClientEnvironment {
    /// That of the client: it runs as our own user and could start the server itself.
    Passed,
    /// This one: clients are other users, and a variable can make a program run other code.
    Replaced(Vec<(String, String)>),
}

pub struct Gateway {
    pub(crate) host: Arc<Host>,
    pub(crate) settings: GatewaySettings,
    pub(crate) pins: Pins,
    pub(crate) kept: KeptResponses,
    pub(crate) parked: ParkedCalls,
    pub(crate) parents: ParentTokens,
    pub(crate) continuations: Continuations,
    pub(crate) questions: PutQuestions,
    pub(crate) tasks: RunningTasks,
    pub(crate) http: HttpSessions,
    /// The relays of clients that are connected.
    pub(crate) relays: Mutex<Vec<Weak<Relay>>>,
}

impl Gateway {
    /// Reads the pins. A file of pins that cannot be read is an error: every server and tool would
    /// count as new.
    pub fn open(host: Arc<Host>, settings: GatewaySettings) -> Result<Arc<Self>, String> {
        let pins = Pins::load(&settings.data)?;
        Ok(Arc::new(Self {
            host,
            settings,
            pins,
            kept: KeptResponses::default(),
            parked: ParkedCalls::default(),
            parents: ParentTokens::default(),
            continuations: Continuations::default(),
            questions: PutQuestions::default(),
            tasks: RunningTasks::default(),
            http: HttpSessions::default(),
            relays: Mutex::default(),
        }))
    }

    pub(crate) fn add_relay(&self, relay: &Arc<Relay>) {
        let mut relays = lock(&self.relays);
        relays.retain(|relay| relay.strong_count() > 0);
        relays.push(Arc::downgrade(relay));
    }

    pub(crate) fn hold(&self, client: &str) -> Duration {
        self.settings.hold.unwrap_or_else(|| hold_for(client))
    }

    pub(crate) fn parking(&self) -> Parking {
        match self.host.attendance() {
            Attendance::Attended => Parking::Allowed,
            Attendance::Headless => Parking::Refused,
        }
    }
}
