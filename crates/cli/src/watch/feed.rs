//! Reads the daemon's events on a thread of its own and sends them to the terminal.
//!
//! After a lost connection it continues from the last position in the ledger, so that nothing is
//! missed and nothing comes twice.

use super::input_queue::InputSender;
use crate::limits::{MAX_RECONNECT_DELAY, MIN_RECONNECT_DELAY};
use countersign_api::{CardView, EventsQuery, LedgerEvent, LedgerPosition, NoticeView};
use countersign_client::{ClientError, OperatorClient, StreamCloser};
use countersign_core::model::change::Kind;
use countersign_core::model::names::SurfaceName;
use countersign_terminal::{PromptEvent, PromptQuestion, ReportedAnswer};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Reads events until it is dropped.
pub(crate) struct EventFeed {
    stop: Option<Sender<()>>,
    stream: Arc<Mutex<Option<StreamCloser>>>,
    thread: Option<JoinHandle<()>>,
}

/// Which events are read, and for whom.
pub(crate) struct EventFilter {
    /// The name under which this terminal reports presence.
    pub surface: Option<SurfaceName>,
    /// Only events about this request.
    pub request: Option<String>,
}

impl EventFeed {
    /// Sends what is open now, then what happens.
    pub(crate) fn start(client: &OperatorClient, sender: InputSender, filter: EventFilter) -> Self {
        let (stop, stopped) = channel();
        let stream = Arc::new(Mutex::new(None));
        let (client, shared) = (client.clone(), Arc::clone(&stream));
        let delay = MIN_RECONNECT_DELAY;
        let mut reader = EventReader { client, sender, filter, last: None, stream: shared, delay };
        let thread = std::thread::spawn(move || reader.run(&stopped));
        Self { stop: Some(stop), stream, thread: Some(thread) }
    }
}

impl Drop for EventFeed {
    fn drop(&mut self) {
        self.stop = None;
        if let Ok(stream) = self.stream.lock()
            && let Some(stream) = stream.as_ref()
        {
            stream.close();
        }
        if let Some(thread) = self.thread.take() {
            // Nothing depends on how the thread ended.
            let _result = thread.join();
        }
    }
}

struct EventReader {
    client: OperatorClient,
    sender: InputSender,
    filter: EventFilter,
    /// The last position in the ledger that was sent to the terminal.
    last: Option<u64>,
    stream: Arc<Mutex<Option<StreamCloser>>>,
    /// How long to wait before the daemon is tried again.
    delay: Duration,
}

impl EventReader {
    fn run(&mut self, stopped: &Receiver<()>) {
        loop {
            let why = match self.listen(stopped) {
                Ok(()) => "the daemon closed the connection".to_owned(),
                Err(error) => error.to_string(),
            };
            if is_stopped(stopped, Duration::ZERO) {
                return;
            }
            self.sender.send_event(PromptEvent::ConnectionLost(why));
            if is_stopped(stopped, self.delay) {
                return;
            }
            self.delay = (self.delay * 2).min(MAX_RECONNECT_DELAY);
        }
    }

    fn listen(&mut self, stopped: &Receiver<()>) -> Result<(), ClientError> {
        let next = self.last.map(|last| last.saturating_add(1));
        let from = next.and_then(LedgerPosition::new);
        let query = EventsQuery { from, surface: self.filter.surface.clone() };
        let events = self.client.events(&query)?;
        // The daemon is there: if it goes away again, it is tried soon.
        self.delay = MIN_RECONNECT_DELAY;
        if let Ok(mut stream) = self.stream.lock() {
            *stream = Some(events.closer()?);
        }
        if is_stopped(stopped, Duration::ZERO) {
            return Ok(());
        }
        if self.last.is_none() {
            self.catch_up()?;
        } else {
            self.sender.send_event(PromptEvent::ConnectionRestored { open_requests: None });
        }
        for event in events {
            let event = event?;
            // The stream may overlap with the previous one.
            if self.last.is_some_and(|last| event.seq <= last) {
                continue;
            }
            self.last = Some(event.seq);
            if let Some(news) = event_from_ledger(&event.data) {
                self.send(news);
            }
        }
        Ok(())
    }

    /// Without a position to continue from, the open requests and notices are sent.
    fn catch_up(&mut self) -> Result<(), ClientError> {
        let mut open = Vec::new();
        self.client.visit_requests(|view| open.push(view.card.request.to_string()))?;
        self.sender.send_event(PromptEvent::ConnectionRestored { open_requests: Some(open) });
        self.client.visit_requests(|card| self.send(question_event(&card)))?;
        let notices = self.client.list_notices()?;
        notices.iter().for_each(|notice| self.send(notice_event(notice)));
        Ok(())
    }

    fn send(&self, news: PromptEvent) {
        let about = match &news {
            PromptEvent::RequestOpened(question) => Some(&question.request),
            PromptEvent::RequestAnswered(closing) => Some(&closing.request),
            PromptEvent::NoticeRaised { .. }
            | PromptEvent::Announced { .. }
            | PromptEvent::Message(_) => None,
            PromptEvent::ConnectionLost(_) | PromptEvent::ConnectionRestored { .. } => {
                self.filter.request.as_ref()
            }
        };
        if self.filter.request.is_none() || self.filter.request.as_ref() == about {
            self.sender.send_event(news);
        }
    }
}

/// Waits this long for the end of the feed.
fn is_stopped(stopped: &Receiver<()>, wait: Duration) -> bool {
    !matches!(stopped.recv_timeout(wait), Err(RecvTimeoutError::Timeout))
}

/// What the terminal shows about an event, if anything.
fn event_from_ledger(event: &LedgerEvent) -> Option<PromptEvent> {
    match event.kind {
        Kind::RequestOpened => Some(question_event(event.card.as_ref()?)),
        Kind::RequestAnswered => Some(PromptEvent::RequestAnswered(closed_request(event)?)),
        Kind::NoticeRaised => Some(notice_event(event.notice.as_ref()?)),
        _ if !event.announcements.is_empty() => Some(PromptEvent::Announced {
            session: event.session.clone()?,
            lines: event.announcements.clone(),
        }),
        _ => None,
    }
}

pub(super) fn question_event(card: &CardView) -> PromptEvent {
    match PromptQuestion::from_card(card) {
        Some(question) => PromptEvent::RequestOpened(Box::new(question)),
        None => {
            PromptEvent::Message("a card could not be read; `countersign ls` lists it".to_owned())
        }
    }
}

fn closed_request(event: &LedgerEvent) -> Option<ReportedAnswer> {
    Some(ReportedAnswer {
        request: event.request?.to_string(),
        ending: event.ending,
        surface: event.surface.as_ref().map(ToString::to_string),
        at: event.at?.to_string(),
    })
}

fn notice_event(notice: &NoticeView) -> PromptEvent {
    let by = notice.agent.as_ref().map(|agent| format!(" ({agent})")).unwrap_or_default();
    PromptEvent::NoticeRaised {
        id: notice.id.to_string(),
        urgency: notice.urgency.word(),
        text: format!("{}{by}", notice.describe()),
    }
}
