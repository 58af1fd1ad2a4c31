//! The tasks that this node waits for or carries out, and what their servers ask meanwhile.
//!
//! Everything here can be lost: a task is a call on record, and a restart takes it up from there.

use crate::client::{Cancel, ClientConnection};
use crate::limits;
use crate::locks::lock;
use crate::wire::{Members, encode_string, set_member};
use countersign_core::model::ids::CallId;
use countersign_core::model::time::Time;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

#[derive(Default)]
pub(crate) struct LiveTasks {
    running: Mutex<HashMap<CallId, Arc<LiveTask>>>,
    /// The last status that a client heard, and since when it is so; the newest tasks.
    statuses: Mutex<VecDeque<(CallId, &'static str, Time)>>,
    /// Counts the changes of all tasks.
    changes: watch::Sender<u64>,
}

pub(crate) struct LiveTask {
    /// The client whose server carries the task out.
    pub(crate) client: Arc<ClientConnection>,
    pub(crate) cancel: Cancel,
    questions: Mutex<Vec<TaskQuestion>>,
    answered: Notify,
}

/// What a server asks.
struct TaskQuestion {
    /// The key for the client: no two questions of a task have the same.
    key: String,
    server_key: String,
    request: String,
    response: Option<String>,
}

impl LiveTasks {
    /// None if a client that is connected runs the task already, or too many run.
    pub(crate) fn start(
        &self,
        call: CallId,
        client: &Arc<ClientConnection>,
    ) -> Option<Arc<LiveTask>> {
        let mut running = lock(&self.running);
        if running.get(&call).is_some_and(|task| task.has_client())
            || running.len() >= limits::MAX_RUNNING_TASKS
        {
            return None;
        }
        let task = Arc::new(LiveTask {
            client: Arc::clone(client),
            cancel: Cancel::default(),
            questions: Mutex::default(),
            answered: Notify::new(),
        });
        running.insert(call, Arc::clone(&task));
        Some(task)
    }

    pub(crate) fn end(&self, call: CallId, task: &Arc<LiveTask>) {
        let mut running = lock(&self.running);
        // Another client may have taken it up.
        if running.get(&call).is_some_and(|current| Arc::ptr_eq(current, task)) {
            running.remove(&call);
        }
        drop(running);
        self.note_change();
    }

    pub(crate) fn find(&self, call: CallId) -> Option<Arc<LiveTask>> {
        lock(&self.running).get(&call).cloned()
    }

    /// Notes the status of a task, and returns since when it has it.
    pub(crate) fn note_status(&self, call: CallId, status: &'static str, now: Time) -> Time {
        let mut statuses = lock(&self.statuses);
        let known = statuses.iter().position(|(other, ..)| *other == call);
        let known = known.and_then(|at| statuses.remove(at));
        let since = known.filter(|(_, before, _)| *before == status).map_or(now, |known| known.2);
        statuses.push_back((call, status, since));
        if statuses.len() > limits::KEPT_RESULTS {
            statuses.pop_front();
        }
        since
    }

    pub(crate) fn note_change(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Changes whenever a task may have changed.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

impl LiveTask {
    /// Whether its client is still connected.
    pub(crate) fn has_client(&self) -> bool {
        !self.client.is_closed()
    }

    /// Shows the server's questions to the client. `round` tells them apart from earlier ones.
    pub(crate) fn ask(&self, requests: &str, round: usize) {
        let members = Members::read(requests);
        let questions = members.iter().flat_map(|members| {
            members.names().filter_map(|name| {
                let request = members.get(name)?.to_owned();
                let (key, server_key) = (format!("{round}-{name}"), name.to_owned());
                Some(TaskQuestion { key, server_key, request, response: None })
            })
        });
        *lock(&self.questions) = questions.collect();
    }

    /// Takes the client's answers. Those to other questions are ignored.
    pub(crate) fn answer(&self, responses: &Members) {
        for question in lock(&self.questions).iter_mut() {
            if let (None, Some(response)) = (&question.response, responses.get(&question.key)) {
                question.response = Some(response.to_owned());
            }
        }
        self.answered.notify_one();
    }

    /// The questions without an answer. None if there are none.
    pub(crate) fn open_questions(&self) -> Option<String> {
        let questions = lock(&self.questions);
        let open = questions.iter().filter(|question| question.response.is_none());
        let open: Vec<String> =
            open.map(|q| format!("{}:{}", encode_string(&q.key), q.request)).collect();
        (!open.is_empty()).then(|| format!("{{{}}}", open.join(",")))
    }

    /// Waits for all answers, and returns them by the server's keys. None if the client cancels or
    /// takes too long.
    #[allow(clippy::disallowed_methods, reason = "how long a client may take decides no call")]
    pub(crate) async fn wait_for_answers(&self) -> Option<String> {
        let answered = async {
            while self.open_questions().is_some() {
                self.answered.notified().await;
            }
        };
        tokio::select! {
            () = answered => {}
            () = self.cancel.wait() => return None,
            () = sleep(limits::CONTINUATION_LIFETIME) => return None,
        }
        let questions = std::mem::take(&mut *lock(&self.questions));
        let answers = questions.iter().filter_map(|q| Some((&q.server_key, q.response.as_ref()?)));
        Some(answers.fold("{}".to_owned(), |all, (key, answer)| set_member(&all, key, answer)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> LiveTask {
        LiveTask {
            client: Arc::default(),
            cancel: Cancel::default(),
            questions: Mutex::default(),
            answered: Notify::new(),
        }
    }

    #[tokio::test]
    async fn a_question_is_answered_once_and_its_key_is_never_used_again() {
        let task = task();
        task.ask(r#"{"a":{"n":1},"b":{"n":2}}"#, 1);
        task.answer(&Members::read(r#"{"1-a":"first","2-b":"early"}"#).unwrap());
        assert_eq!(task.open_questions().as_deref(), Some(r#"{"1-b":{"n":2}}"#), "one is left");
        task.answer(&Members::read(r#"{"1-a":"second","1-b":"other"}"#).unwrap());
        let answers = task.wait_for_answers().await;
        assert_eq!(answers.as_deref(), Some(r#"{"a":"first","b":"other"}"#));
        task.ask(r#"{"a":{"n":3}}"#, 2);
        task.answer(&Members::read(r#"{"1-a":"late"}"#).unwrap());
        assert_eq!(task.open_questions().as_deref(), Some(r#"{"2-a":{"n":3}}"#));
        task.cancel.cancel();
        assert_eq!(task.wait_for_answers().await, None);
    }
}
