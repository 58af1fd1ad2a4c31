//! Sessions of HTTP clients: those that legacy clients opened, and one per agent, session name and
//! server for modern ones.

use super::session_id::{issue_session_id, read_session_id};
use crate::call::ToolNaming;
use crate::client_identity::ClientIdentity;
use crate::limits;
use crate::locks::lock;
use crate::session::{ClientSession, Sessions};
use axum::http::HeaderMap;
use countersign_core::model::names::Project;
use countersign_host::Seal;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::time::Instant;

/// The header with the id of a legacy session.
pub(super) const SESSION_HEADER: &str = "mcp-session-id";

pub(crate) struct HttpSessions {
    sessions: Arc<Sessions>,
    /// By the id of a legacy session, or by what a modern request names.
    open: Mutex<HashMap<HttpSessionId, HttpSession>>,
    /// Legacy sessions that their clients ended here, the latest last.
    ended: Mutex<VecDeque<String>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum HttpSessionId {
    Legacy(String),
    /// A legacy server learns the capabilities of its client once, and a modern client names them
    /// with each request, so requests with others than the first need a session of their own.
    Modern {
        session: String,
        server: Option<String>,
        capabilities: Option<String>,
    },
}

#[derive(Clone)]
pub(super) struct HttpSession {
    pub(super) session: Arc<ClientSession>,
    client: ClientIdentity,
    used_at: Instant,
}

/// The legacy session that a request names.
pub(super) enum SessionChoice {
    Found(HttpSession),
    Missing,
    Unknown,
}

impl HttpSessions {
    pub(crate) fn new(sessions: Arc<Sessions>) -> Self {
        Self { sessions, open: Mutex::default(), ended: Mutex::default() }
    }

    /// The session of a modern request.
    pub(super) fn find_or_open(
        &self,
        client: ClientIdentity,
        server: Option<String>,
        capabilities: String,
    ) -> Result<Arc<ClientSession>, String> {
        // A project can contain blanks, so it comes last.
        let ClientIdentity { owner, principal, project } = &client;
        let project = project.as_ref().map_or("", Project::as_str);
        let name = format!("{} {} {principal} {project}", owner.agent, owner.session.name());
        let named = |capabilities| {
            let (session, server) = (name.clone(), server.clone());
            HttpSessionId::Modern { session, server, capabilities }
        };
        let mut id = named(None);
        if self
            .touch(&id)
            .is_some_and(|known| known.session.servers.expects_other_capabilities(&capabilities))
        {
            id = named(Some(capabilities));
        }
        if let Some(known) = self.touch(&id) {
            return Ok(known.session);
        }
        let session = self.open_session(client.clone(), server)?;
        self.keep(id, &session, client)?;
        Ok(session)
    }

    /// Opens a session of the legacy era, with the params of its `initialize`.
    pub(super) fn open_legacy(
        &self,
        client: ClientIdentity,
        server: Option<String>,
        params: &str,
    ) -> Result<(String, Arc<ClientSession>), String> {
        let id = issue_session_id(self.seal(), &client, server.as_deref(), params);
        let id = id.ok_or("there is no randomness")?;
        let session = self.open_session(client.clone(), server)?;
        self.keep(HttpSessionId::Legacy(id.clone()), &session, client)?;
        Ok((id, session))
    }

    /// A session that this node does not know may be one of another node, or of an earlier start: then
    /// it goes on here, with servers of its own.
    pub(super) fn find_legacy(
        &self,
        client: &ClientIdentity,
        server: Option<String>,
        headers: &HeaderMap,
    ) -> SessionChoice {
        let Some(id) = headers.get(SESSION_HEADER) else { return SessionChoice::Missing };
        let id = id.to_str().unwrap_or_default().to_owned();
        let found = match self.touch(&HttpSessionId::Legacy(id.clone())) {
            Some(found) => Some(found).filter(|found| found.client == *client),
            None => self.take_up(client, server, id),
        };
        found.map_or(SessionChoice::Unknown, SessionChoice::Found)
    }

    fn take_up(
        &self,
        client: &ClientIdentity,
        server: Option<String>,
        id: String,
    ) -> Option<HttpSession> {
        if lock(&self.ended).contains(&id) {
            return None;
        }
        let params = read_session_id(self.seal(), client, server.as_deref(), &id)?;
        let session = self.open_session(client.clone(), server).ok()?;
        session.client.introduce("initialize", &params).ok()?;
        let id = HttpSessionId::Legacy(id);
        self.keep(id.clone(), &session, client.clone()).ok()?;
        self.touch(&id)
    }

    fn seal(&self) -> &Seal {
        &self.sessions.shared.seal
    }

    pub(super) fn end_legacy(
        &self,
        client: &ClientIdentity,
        server: Option<String>,
        headers: &HeaderMap,
    ) -> SessionChoice {
        let found = self.find_legacy(client, server, headers);
        if let (SessionChoice::Found(found), Some(id)) = (&found, headers.get(SESSION_HEADER)) {
            found.session.close();
            let id = id.to_str().unwrap_or_default().to_owned();
            let mut ended = lock(&self.ended);
            ended.push_back(id.clone());
            while ended.len() > limits::MAX_HTTP_CLIENTS {
                ended.pop_front();
            }
            lock(&self.open).remove(&HttpSessionId::Legacy(id));
        }
        found
    }

    fn open_session(
        &self,
        client: ClientIdentity,
        server: Option<String>,
    ) -> Result<Arc<ClientSession>, String> {
        let mut servers = (self.sessions.shared.settings.servers)()?;
        let Some(name) = server else {
            return Ok(self.sessions.open(client, ToolNaming::Prefixed, servers));
        };
        servers.retain(|server| server.name.as_str() == name);
        if servers.is_empty() {
            return Err(format!("there is no server `{name}`"));
        }
        Ok(self.sessions.open(client, ToolNaming::Plain, servers))
    }

    #[allow(clippy::disallowed_methods, reason = "how long an idle client is kept decides no call")]
    fn touch(&self, id: &HttpSessionId) -> Option<HttpSession> {
        let mut open = lock(&self.open);
        let found = open.get_mut(id)?;
        found.used_at = Instant::now();
        Some(found.clone())
    }

    #[allow(clippy::disallowed_methods, reason = "how long an idle client is kept decides no call")]
    fn keep(
        &self,
        id: HttpSessionId,
        session: &Arc<ClientSession>,
        client: ClientIdentity,
    ) -> Result<(), String> {
        let mut open = lock(&self.open);
        if open.len() >= limits::MAX_HTTP_CLIENTS {
            return Err("too many clients are connected".to_owned());
        }
        let session = Arc::clone(session);
        open.insert(id, HttpSession { session, client, used_at: Instant::now() });
        Ok(())
    }

    /// Ends the sessions that nobody has used for a while and that carry nothing out.
    #[allow(clippy::disallowed_methods, reason = "how long an idle client is kept decides no call")]
    pub(crate) fn end_idle(&self) {
        let now = Instant::now();
        lock(&self.open).retain(|_, found| {
            let is_idle = now.duration_since(found.used_at) > limits::HTTP_CLIENT_IDLE
                && found.session.client.in_flight.is_empty();
            if is_idle {
                found.session.close();
            }
            !is_idle
        });
    }
}
