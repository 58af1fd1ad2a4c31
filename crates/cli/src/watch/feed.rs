//! What the daemon tells, brought to the terminal: from its place in the ledger on, so that a lost
//! connection costs nothing and repeats nothing.

use super::wires::Bell;
use countersign_client::{Client, ClientError, Event, HangUp};
use countersign_core::model::notice::Cause;
use countersign_core::model::words::Ending;
use countersign_terminal::{Closing, News, Question};
use serde_json::Value;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two attempts to reach a daemon that is away: at first, and at most.
pub(super) const SOON: Duration = Duration::from_millis(200);
pub(super) const LATER: Duration = Duration::from_secs(5);

/// Reads events until it is dropped.
pub(crate) struct Feed {
    over: Option<Sender<()>>,
    line: Arc<Mutex<Option<HangUp>>>,
    thread: Option<JoinHandle<()>>,
}

/// Who looks, and at what.
pub(crate) struct Looks<'a> {
    /// The name under which it says whether somebody is there.
    pub surface: Option<&'a str>,
    /// One request, and nothing else.
    pub only: Option<&'a str>,
}

impl Feed {
    /// What is open now comes first, then what happens.
    pub(crate) fn start(client: &Client, bell: Bell, looks: Looks<'_>) -> Self {
        let (over, ended) = channel();
        let line = Arc::new(Mutex::new(None));
        let client = client.clone();
        let [surface, only] = [looks.surface, looks.only].map(|name| name.map(str::to_owned));
        let kept = Arc::clone(&line);
        let mut reader = Reader { client, bell, surface, only, last: None, line: kept };
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
            line.hang_up();
        }
        if let Some(thread) = self.thread.take() {
            // It has nothing left to say, however it ended.
            let _ended = thread.join();
        }
    }
}

struct Reader {
    client: Client,
    bell: Bell,
    surface: Option<String>,
    /// Nothing else is told.
    only: Option<String>,
    /// The last place in the ledger that was told.
    last: Option<u64>,
    line: Arc<Mutex<Option<HangUp>>>,
}

impl Reader {
    fn run(&mut self, ended: &Receiver<()>) {
        let mut pause = SOON;
        loop {
            let why = match self.listen(ended) {
                Ok(()) => "it ended".to_owned(),
                Err(error) => error.to_string(),
            };
            if is_over(ended, Duration::ZERO) {
                return;
            }
            self.bell.news(News::Lost(why));
            if is_over(ended, pause) {
                return;
            }
            pause = (pause * 2).min(LATER);
        }
    }

    fn listen(&mut self, ended: &Receiver<()>) -> Result<(), ClientError> {
        let next = self.last.map(|last| last.saturating_add(1));
        let events = self.client.events_as(self.surface.as_deref(), next)?;
        if let Ok(mut line) = self.line.lock() {
            *line = Some(events.hang_up()?);
        }
        if is_over(ended, Duration::ZERO) {
            return Ok(());
        }
        if self.last.is_none() {
            self.catch_up()?;
        } else {
            self.bell.news(News::Back { open: None });
        }
        for event in events {
            let event = event?;
            // A place that was told before is not told again.
            if self.last.is_some_and(|last| event.seq <= last) {
                continue;
            }
            self.last = Some(event.seq);
            if let Some(news) = news(&event) {
                self.tell(news);
            }
        }
        Ok(())
    }

    /// Without a place to go on from: what is open is all there is to know.
    fn catch_up(&mut self) -> Result<(), ClientError> {
        let found = self.client.list("/v1/requests", "requests")?;
        let cards = found.get("requests").and_then(Value::as_array).cloned().unwrap_or_default();
        let id = |card: &Value| Some(card.get("request")?.as_str()?.to_owned());
        self.bell.news(News::Back { open: Some(cards.iter().filter_map(id).collect()) });
        cards.iter().for_each(|card| self.tell(asked(card)));
        let found = self.client.get("/v1/notices")?;
        let notices = found.get("notices").and_then(Value::as_array).cloned().unwrap_or_default();
        notices.iter().filter_map(told).for_each(|news| self.tell(news));
        Ok(())
    }

    fn tell(&self, news: News) {
        let about = match &news {
            News::Asked(question) => Some(&question.request),
            News::Closed(closing) => Some(&closing.request),
            News::Told { .. } | News::Said(_) => None,
            News::Lost(_) | News::Back { .. } => self.only.as_ref(),
        };
        if self.only.is_none() || self.only.as_ref() == about {
            self.bell.news(news);
        }
    }
}

/// Waits this long for the end of it all.
fn is_over(ended: &Receiver<()>, wait: Duration) -> bool {
    !matches!(ended.recv_timeout(wait), Err(RecvTimeoutError::Timeout))
}

/// What an event is to whoever watches, if it is anything.
fn news(event: &Event) -> Option<News> {
    match event.kind.as_str() {
        "request_opened" => Some(asked(event.data.get("card")?)),
        "request_answered" => Some(News::Closed(closing(&event.data)?)),
        "notice_raised" => told(event.data.get("notice")?),
        _ => None,
    }
}

pub(super) fn asked(card: &Value) -> News {
    match Question::read(card) {
        Some(question) => News::Asked(Box::new(question)),
        None => News::Said("a card could not be read; `countersign ls` lists it".to_owned()),
    }
}

fn closing(data: &Value) -> Option<Closing> {
    let text = |name: &str| Some(data.get(name)?.as_str()?.to_owned());
    Some(Closing {
        request: text("request")?,
        ending: text("ending").and_then(|word| Ending::from_word(&word)),
        surface: text("surface"),
        at: text("at")?,
    })
}

/// Something that was done or tried.
fn told(notice: &Value) -> Option<News> {
    let text = |name: &str| Some(notice.get(name)?.as_str()?.to_owned());
    let urgency = Cause::from_word(&text("cause")?)?.urgency().word();
    let by = text("agent").map(|agent| format!(" ({agent})")).unwrap_or_default();
    Some(News::Told { id: text("id")?, urgency, text: format!("{}{by}", text("text")?) })
}
