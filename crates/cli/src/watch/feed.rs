//! Reads the daemon's events on a thread of its own and sends them to the terminal.
//!
//! After a lost connection it continues from the last position in the ledger, so that nothing is
//! missed and nothing comes twice.

use super::wires::Bell;
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
pub(crate) struct Feed {
    over: Option<Sender<()>>,
    line: Arc<Mutex<Option<StreamCloser>>>,
    thread: Option<JoinHandle<()>>,
}

/// Which events are read, and for whom.
pub(crate) struct EventFilter {
    /// The name under which this terminal reports presence.
    pub surface: Option<SurfaceName>,
    /// Only events about this request.
    pub request: Option<String>,
}

impl Feed {
    /// Sends what is open now, then what happens.
    pub(crate) fn start(client: &OperatorClient, bell: Bell, filter: EventFilter) -> Self {
        let (over, ended) = channel();
        let line = Arc::new(Mutex::new(None));
        let (client, kept) = (client.clone(), Arc::clone(&line));
        let mut reader = EventReader { client, bell, filter, last: None, line: kept };
        let thread = std::thread::spawn(move || reader.run(&ended));
        Self { over: Some(over), line, thread: Some(thread) }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.over = None;
        if let Ok(line) = self.line.lock()
            && let Some(line) = line.as_ref()
        {
            line.close();
        }
        if let Some(thread) = self.thread.take() {
            // Nothing depends on how the thread ended.
            let _ended = thread.join();
        }
    }
}

struct EventReader {
    client: OperatorClient,
    bell: Bell,
    filter: EventFilter,
    /// The last position in the ledger that was sent to the terminal.
    last: Option<u64>,
    line: Arc<Mutex<Option<StreamCloser>>>,
}

impl EventReader {
    fn run(&mut self, ended: &Receiver<()>) {
        let mut delay = MIN_RECONNECT_DELAY;
        loop {
            let why = match self.listen(ended) {
                Ok(()) => "it ended".to_owned(),
                Err(error) => error.to_string(),
            };
            if is_over(ended, Duration::ZERO) {
                return;
            }
            self.bell.news(PromptEvent::ConnectionLost(why));
            if is_over(ended, delay) {
                return;
            }
            delay = (delay * 2).min(MAX_RECONNECT_DELAY);
        }
    }

    fn listen(&mut self, ended: &Receiver<()>) -> Result<(), ClientError> {
        let next = self.last.map(|last| last.saturating_add(1));
        let from = next.and_then(LedgerPosition::new);
        let query = EventsQuery { from, surface: self.filter.surface.clone() };
        let events = self.client.events(&query)?;
        if let Ok(mut line) = self.line.lock() {
            *line = Some(events.closer()?);
        }
        if is_over(ended, Duration::ZERO) {
            return Ok(());
        }
        if self.last.is_none() {
            self.catch_up()?;
        } else {
            self.bell.news(PromptEvent::ConnectionRestored { open_requests: None });
        }
        for event in events {
            let event = event?;
            // Not twice, should the stream overlap with the one before.
            if self.last.is_some_and(|last| event.seq <= last) {
                continue;
            }
            self.last = Some(event.seq);
            if let Some(news) = event_news(&event.data) {
                self.tell(news);
            }
        }
        Ok(())
    }

    /// Without a position to continue from, what is open is all there is to know.
    fn catch_up(&mut self) -> Result<(), ClientError> {
        let cards = self.client.list_requests()?;
        let open = cards.iter().map(|view| view.card.request.to_string()).collect();
        self.bell.news(PromptEvent::ConnectionRestored { open_requests: Some(open) });
        cards.iter().for_each(|card| self.tell(question_news(card)));
        let notices = self.client.list_notices()?;
        notices.iter().for_each(|notice| self.tell(notice_news(notice)));
        Ok(())
    }

    fn tell(&self, news: PromptEvent) {
        let about = match &news {
            PromptEvent::RequestOpened(question) => Some(&question.request),
            PromptEvent::RequestAnswered(answer) => Some(&answer.request),
            PromptEvent::NoticeRaised { .. } | PromptEvent::Message(_) => None,
            PromptEvent::ConnectionLost(_) | PromptEvent::ConnectionRestored { .. } => {
                self.filter.request.as_ref()
            }
        };
        if self.filter.request.is_none() || self.filter.request.as_ref() == about {
            self.bell.news(news);
        }
    }
}

/// Waits this long for the feed to be dropped.
fn is_over(ended: &Receiver<()>, wait: Duration) -> bool {
    !matches!(ended.recv_timeout(wait), Err(RecvTimeoutError::Timeout))
}

/// What an event means at the terminal, if anything.
fn event_news(event: &LedgerEvent) -> Option<PromptEvent> {
    match event.kind {
        Kind::RequestOpened => Some(question_news(event.card.as_ref()?)),
        Kind::RequestAnswered => Some(PromptEvent::RequestAnswered(reported_answer(event)?)),
        Kind::NoticeRaised => Some(notice_news(event.notice.as_ref()?)),
        _ => None,
    }
}

pub(super) fn question_news(card: &CardView) -> PromptEvent {
    match PromptQuestion::from_card(card) {
        Some(question) => PromptEvent::RequestOpened(Box::new(question)),
        None => {
            PromptEvent::Message("a card could not be read; `countersign ls` lists it".to_owned())
        }
    }
}

fn reported_answer(event: &LedgerEvent) -> Option<ReportedAnswer> {
    Some(ReportedAnswer {
        request: event.request?.to_string(),
        ending: event.ending,
        surface: event.surface.as_ref().map(ToString::to_string),
        at: event.at?.to_string(),
    })
}

fn notice_news(notice: &NoticeView) -> PromptEvent {
    let by = notice.agent.as_ref().map(|agent| format!(" ({agent})")).unwrap_or_default();
    PromptEvent::NoticeRaised {
        id: notice.id.to_string(),
        urgency: notice.urgency.word(),
        text: format!("{}{by}", notice.text),
    }
}
