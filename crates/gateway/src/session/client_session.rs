//! One client with its servers, and all that are connected.

use super::lists::Lists;
use crate::call::{Servers, SharedCalls, ToolCalls, ToolNaming};
use crate::carrier::CarrierPorts;
use crate::client::ClientConnection;
use crate::client_identity::ClientIdentity;
use crate::locks::lock;
use crate::spec::ServerSpec;
use countersign_core::model::names::SessionKey;
use countersign_host::ConnectionTasks;
use std::sync::{Arc, Mutex, Weak};

pub(crate) struct ClientSession {
    pub(crate) client: Arc<ClientConnection>,
    pub(crate) servers: Arc<Servers>,
    pub(crate) calls: Arc<ToolCalls>,
    pub(super) lists: Lists,
    /// Those that carry out the client's requests.
    pub(super) tasks: Arc<ConnectionTasks>,
}

impl ClientSession {
    fn new(
        shared: &Arc<SharedCalls>,
        identity: ClientIdentity,
        naming: ToolNaming,
        specs: Vec<ServerSpec>,
    ) -> Self {
        let client = Arc::<ClientConnection>::default();
        let servers = Servers::new(shared, identity.clone(), Arc::clone(&client), naming, specs);
        let servers = Arc::new(servers);
        let calls = ToolCalls::new(Arc::clone(shared), identity, Arc::clone(&servers));
        let (calls, lists) = (Arc::new(calls), Lists::new(Arc::clone(&servers)));
        Self { client, servers, calls, lists, tasks: Arc::default() }
    }

    /// Ends the session. Calls that are still carried out are carried out to their end.
    pub(crate) fn close(&self) {
        self.client.close();
        self.servers.disconnect();
    }
}

/// The sessions of all clients that are connected.
pub(crate) struct Sessions {
    pub(crate) shared: Arc<SharedCalls>,
    /// Of the clients that run their server themselves.
    pub(crate) carriers: CarrierPorts,
    open: Mutex<Vec<Weak<ClientSession>>>,
}

impl Sessions {
    pub(crate) fn new(shared: Arc<SharedCalls>) -> Self {
        Self { shared, carriers: CarrierPorts::default(), open: Mutex::default() }
    }

    pub(crate) fn open(
        &self,
        client: ClientIdentity,
        naming: ToolNaming,
        servers: Vec<ServerSpec>,
    ) -> Arc<ClientSession> {
        let session = Arc::new(ClientSession::new(&self.shared, client, naming, servers));
        let mut open = lock(&self.open);
        open.retain(|session| session.strong_count() > 0);
        open.push(Arc::downgrade(&session));
        session
    }

    /// Those of one session of an agent.
    pub(crate) fn find_all(&self, key: &SessionKey) -> Vec<Arc<ClientSession>> {
        let open = lock(&self.open);
        let live = open.iter().filter_map(Weak::upgrade);
        live.filter(|session| session.calls.owner.session == *key).collect()
    }
}
