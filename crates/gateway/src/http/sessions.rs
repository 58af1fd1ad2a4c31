//! Relays of HTTP clients: one per session of the legacy era, one per agent, session and server of
//! the modern one.

use super::endpoint::SESSION_HEADER;
use crate::client_identity::ClientIdentity;
use crate::gateway::Gateway;
use crate::limits;
use crate::random::random_handle;
use crate::relay::{Front, Relay, lock};
use crate::spec::ServerSpec;
use axum::http::HeaderMap;
use countersign_core::model::names::Project;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::time::Instant;

#[derive(Default)]
pub(crate) struct HttpSessions {
    /// By the id of a legacy session, or by what a modern request names.
    open: Mutex<HashMap<SessionId, ClientSession>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum SessionId {
    Legacy(String),
    /// A legacy server learns the capabilities of its client once, and a modern client names them
    /// with each request, so requests with others than the first need a relay of their own.
    Modern {
        session: String,
        server: Option<String>,
        capabilities: Option<String>,
    },
}

#[derive(Clone)]
pub(super) struct ClientSession {
    pub(super) relay: Arc<Relay>,
    client: ClientIdentity,
    used_at: Instant,
}

/// The legacy session that a request names.
pub(super) enum SessionChoice {
    Found(ClientSession),
    Missing,
    Unknown,
}

impl Gateway {
    /// The relay of a modern request.
    pub(super) fn find_relay(
        self: &Arc<Self>,
        client: ClientIdentity,
        server: Option<String>,
        capabilities: String,
    ) -> Result<Arc<Relay>, String> {
        // A project can contain blanks, so it comes last.
        let ClientIdentity { owner, principal, project } = &client;
        let project = project.as_ref().map_or("", Project::as_str);
        let session = format!("{} {} {principal} {project}", owner.agent, owner.session.name());
        let named = |capabilities| {
            let (session, server) = (session.clone(), server.clone());
            SessionId::Modern { session, server, capabilities }
        };
        let mut id = named(None);
        if self.touch(&id).is_some_and(|known| known.relay.expects_other(&capabilities)) {
            id = named(Some(capabilities));
        }
        if let Some(known) = self.touch(&id) {
            return Ok(known.relay);
        }
        let relay = self.new_relay(client.clone(), server)?;
        self.keep(id, &relay, client)?;
        Ok(relay)
    }

    /// Opens a session of the legacy era.
    pub(super) fn open_session(
        self: &Arc<Self>,
        client: ClientIdentity,
        server: Option<String>,
    ) -> Result<(String, Arc<Relay>), String> {
        let id = random_handle().ok_or("there is no randomness")?;
        let relay = self.new_relay(client.clone(), server)?;
        self.keep(SessionId::Legacy(id.clone()), &relay, client)?;
        Ok((id, relay))
    }

    pub(super) fn find_session(
        &self,
        client: &ClientIdentity,
        headers: &HeaderMap,
    ) -> SessionChoice {
        let Some(id) = headers.get(SESSION_HEADER) else { return SessionChoice::Missing };
        let id = id.to_str().unwrap_or_default().to_owned();
        match self.touch(&SessionId::Legacy(id)).filter(|session| session.client == *client) {
            Some(session) => SessionChoice::Found(session),
            None => SessionChoice::Unknown,
        }
    }

    pub(super) fn end_session(
        &self,
        client: &ClientIdentity,
        headers: &HeaderMap,
    ) -> SessionChoice {
        let found = self.find_session(client, headers);
        if let (SessionChoice::Found(session), Some(id)) = (&found, headers.get(SESSION_HEADER)) {
            session.relay.close();
            let id = SessionId::Legacy(id.to_str().unwrap_or_default().to_owned());
            lock(&self.http.open).remove(&id);
        }
        found
    }

    fn new_relay(
        self: &Arc<Self>,
        client: ClientIdentity,
        server: Option<String>,
    ) -> Result<Arc<Relay>, String> {
        let mut servers: Vec<ServerSpec> = (self.settings.servers)()?;
        let front = match &server {
            Some(_) => Front::Single,
            None => Front::Many,
        };
        if let Some(name) = server {
            servers.retain(|server| server.name.as_str() == name);
            if servers.is_empty() {
                return Err(format!("there is no server `{name}`"));
            }
        }
        Ok(Relay::new(Arc::clone(self), client, front, servers))
    }

    #[allow(clippy::disallowed_methods, reason = "how long an idle client is kept decides no call")]
    fn touch(&self, id: &SessionId) -> Option<ClientSession> {
        let mut open = lock(&self.http.open);
        let session = open.get_mut(id)?;
        session.used_at = Instant::now();
        Some(session.clone())
    }

    #[allow(clippy::disallowed_methods, reason = "how long an idle client is kept decides no call")]
    fn keep(
        &self,
        id: SessionId,
        relay: &Arc<Relay>,
        client: ClientIdentity,
    ) -> Result<(), String> {
        let mut open = lock(&self.http.open);
        if open.len() >= limits::MAX_HTTP_CLIENTS {
            return Err("too many clients are connected".to_owned());
        }
        let session = ClientSession { relay: Arc::clone(relay), client, used_at: Instant::now() };
        open.insert(id, session);
        Ok(())
    }

    /// Ends the relays that nobody has used for a while and that carry nothing out.
    #[allow(clippy::disallowed_methods, reason = "how long an idle client is kept decides no call")]
    pub(crate) fn end_idle_clients(&self) {
        let now = Instant::now();
        let is_idle = |session: &ClientSession| {
            now.duration_since(session.used_at) > limits::HTTP_CLIENT_IDLE
                && session.relay.is_idle()
        };
        lock(&self.http.open).retain(|_, session| {
            let is_kept = !is_idle(session);
            if !is_kept {
                session.relay.close();
            }
            is_kept
        });
    }
}
