//! One client's connection, with the servers behind it.
//!
//! The relay forwards what it need not know. It decides every tool call, answers what concerns the
//! connection itself, and translates where client and server speak different eras.

mod approval;
mod asking;
pub(crate) mod continuations;
mod events;
pub(crate) mod exchange;
mod hello;
mod in_flight;
mod lists;
mod pages;
mod reply;
mod requests;
mod routing;
pub(crate) mod slots;
mod subscriptions;
pub(crate) mod tasks;

pub(crate) use exchange::ExchangeEnd;
pub(crate) use in_flight::Cancel;
pub(crate) use reply::{Context, Incoming, Reply, RpcResponse};
pub(crate) use requests::unreadable;
pub(crate) use slots::ServerSlot;

use crate::client_identity::ClientIdentity;
use crate::era::ClientHello;
use crate::gateway::Gateway;
use crate::spec::ServerSpec;
use crate::wire::{Kind, Message};
use asking::AskedRequests;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Project, Step};
use countersign_core::model::words::Principal;
use countersign_engine::SessionOwner;
use countersign_host::ConnectionTasks;
use exchange::Routes;
use in_flight::InFlightRequests;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How servers appear to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Front {
    /// One server, under its own names.
    Single,
    /// Several servers: each name starts with that of its server.
    Many,
}

pub(crate) struct Relay {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) owner: SessionOwner,
    pub(crate) principal: Principal,
    /// The project of its session.
    pub(crate) project: Option<Project>,
    pub(crate) front: Front,
    pub(crate) slots: Vec<Arc<ServerSlot>>,
    /// How the client introduced itself; none before it did.
    client: Mutex<Option<ClientHello>>,
    /// The level that a legacy client set for log messages, as text.
    log_level: Mutex<Option<String>>,
    /// Where messages go that belong to no request.
    outlet: Mutex<Option<Reply>>,
    /// Whether the client is gone.
    is_closed: AtomicBool,
    in_flight: InFlightRequests,
    /// Those that carry out the client's requests.
    tasks: Arc<ConnectionTasks>,
    asked: AskedRequests,
    routes: Routes,
    subscriptions: subscriptions::Subscriptions,
    /// The run that the client started, and the step that it named last.
    run: Mutex<(Option<RunId>, Option<Step>)>,
    /// Which server listed which resource.
    resources: Mutex<Vec<routing::ListedResource>>,
}

impl Relay {
    pub(crate) fn new(
        gateway: Arc<Gateway>,
        client: ClientIdentity,
        front: Front,
        servers: Vec<ServerSpec>,
    ) -> Arc<Self> {
        let ClientIdentity { owner, principal, project } = client;
        let relay = Arc::new(Self {
            gateway,
            owner,
            principal,
            project,
            front,
            slots: servers.into_iter().map(|spec| Arc::new(ServerSlot::new(spec))).collect(),
            client: Mutex::default(),
            log_level: Mutex::default(),
            outlet: Mutex::default(),
            is_closed: AtomicBool::new(false),
            in_flight: InFlightRequests::default(),
            tasks: Arc::default(),
            asked: AskedRequests::default(),
            routes: Routes::default(),
            subscriptions: subscriptions::Subscriptions::default(),
            run: Mutex::default(),
            resources: Mutex::default(),
        });
        relay.gateway.add_relay(&relay);
        relay
    }

    pub(crate) fn set_outlet(&self, outlet: Option<Reply>) {
        *lock(&self.outlet) = outlet;
    }

    pub(crate) fn outlet(&self) -> Option<Reply> {
        lock(&self.outlet).clone()
    }

    pub(crate) fn client(&self) -> Option<ClientHello> {
        lock(&self.client).clone()
    }

    /// Handles a message of the client. A request is handled in a task of its own, because it may
    /// wait for a person.
    pub(crate) async fn handle(self: &Arc<Self>, message: Message, reply: &Reply) {
        match message.kind() {
            Kind::Request => {
                let (relay, reply) = (Arc::clone(self), reply.clone());
                let task = async move { relay.handle_request(message, reply).await };
                tokio::spawn(self.tasks.track(task));
            }
            Kind::Notification => self.handle_notification(&message).await,
            Kind::Response => self.asked.settle(message),
        }
    }

    /// The run and the step that the client's calls belong to.
    pub(crate) fn current_run(&self) -> (Option<RunId>, Option<Step>) {
        lock(&self.run).clone()
    }

    pub(crate) fn set_run(&self, run: Option<RunId>, step: Option<Step>) {
        *lock(&self.run) = (run, step);
    }

    /// Whether the client is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    /// Whether no request of the client is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight.is_empty()
    }

    pub(crate) fn find_slot(&self, name: &str) -> Option<&Arc<ServerSlot>> {
        self.slots.iter().find(|slot| slot.spec.name.as_str() == name)
    }
}

/// No change under these locks is ever half done, so a poisoned one is safe to use.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
