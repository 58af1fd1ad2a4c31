//! One call: what is asked, and the function that runs after a durable allow.

use crate::place::{AtPlace, Place, RunningCall, run_at};
use crate::{Application, Error};
use countersign_api::{
    CallContext, CheckRequest, CheckResponse, CheckStatus, Millis, OperationState, ReportedEffect,
    WaitRequest,
};
use countersign_core::model::category::Category;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::words::Risk;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::park_timeout;
use std::time::{Duration, Instant};

/// One wait of the daemon; it accepts five minutes.
const POLL: Duration = Duration::from_secs(280);
/// An answer can come until its request ends, which is two hours at most.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(2 * 3600 + 300);
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A call that is being described. A mistake in it is returned when it runs.
#[must_use]
#[derive(Debug)]
pub struct Call {
    action: String,
    tool: String,
    args: Map<String, Value>,
    target: Vec<String>,
    declares: Vec<String>,
    categories: Vec<String>,
    risk: Option<String>,
    reason: String,
    is_irreversible: bool,
    wait: Duration,
    mistake: Option<String>,
}

/// The function may run now, once.
#[must_use]
#[derive(Debug)]
pub struct Permit {
    application: Arc<Application>,
    operation: CallId,
    parent_token: Option<String>,
}

impl Call {
    pub fn new(action: &str) -> Self {
        Self {
            action: action.to_owned(),
            tool: String::new(),
            args: Map::new(),
            target: Vec::new(),
            declares: Vec::new(),
            categories: Vec::new(),
            risk: None,
            reason: String::new(),
            is_irreversible: false,
            wait: LONGEST_WAIT,
            mistake: None,
        }
    }

    /// How the record names the function.
    pub fn tool(mut self, name: &str) -> Self {
        name.clone_into(&mut self.tool);
        self
    }

    pub fn arg(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => {
                self.args.insert(name.to_owned(), value);
            }
            Err(error) => {
                self.mistake = Some(format!("the argument `{name}` is not JSON: {error}"))
            }
        }
        self
    }

    /// An argument that the daemon seals before it writes anything.
    pub fn secret(self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        let text = match serde_json::to_value(value) {
            Ok(Value::String(text)) => text,
            Ok(other) => other.to_string(),
            Err(_) => return Self { mistake: Some(format!("`{name}` is not JSON")), ..self },
        };
        // The daemon replaces what stands under this name.
        self.arg(name, &json!({"secret": text}))
    }

    /// A path, a recipient, a branch.
    pub fn target(mut self, target: &(impl ToString + ?Sized)) -> Self {
        self.target.push(target.to_string());
        self
    }

    /// Actions of gated calls inside: they are asked about together.
    pub fn declares(mut self, actions: &[&str]) -> Self {
        self.declares = actions.iter().map(ToString::to_string).collect();
        self
    }

    /// Kinds of harm that this call adds.
    pub fn categories(mut self, categories: &[&str]) -> Self {
        self.categories = categories.iter().map(ToString::to_string).collect();
        self
    }

    /// Raises the risk of the graph; it never lowers it.
    pub fn risk(mut self, risk: &str) -> Self {
        self.risk = Some(risk.to_owned());
        self
    }

    pub fn reason(mut self, reason: &str) -> Self {
        reason.clone_into(&mut self.reason);
        self
    }

    pub fn irreversible(mut self) -> Self {
        self.is_irreversible = true;
        self
    }

    /// Seconds to wait for an answer; without it until the question ends.
    pub fn wait(mut self, seconds: u64) -> Self {
        self.wait = Duration::from_secs(seconds);
        self
    }

    /// Does not wait: a question is `Error::Pending` at once.
    pub fn raise_pending(mut self) -> Self {
        self.wait = Duration::ZERO;
        self
    }

    /// Asks, and runs the function if it may run. `has_failed` says whether what it returned is a
    /// failure. A panic is reported as unknown.
    pub fn run<T>(
        self,
        run: impl FnOnce() -> T,
        has_failed: impl FnOnce(&T) -> bool,
    ) -> Result<T, Error> {
        let permit = self.check(&Place::current())?;
        Ok(permit.run(run, has_failed))
    }

    /// The same for a future. While it waits for the daemon, a thread of its own does.
    pub async fn run_async<T>(
        self,
        future: impl Future<Output = T>,
        has_failed: impl FnOnce(&T) -> bool,
    ) -> Result<T, Error> {
        let place = Place::current();
        let permit = crate::off_thread::run_off_thread(move || self.check(&place)).await?;
        let (mut end, place) = permit.start();
        let value = AtPlace { place, future: Box::pin(future) }.await;
        end.effect = judge_effect(&value, has_failed);
        // The report must not block the runtime either.
        crate::off_thread::run_off_thread(move || {
            drop(end);
            Ok(())
        })
        .await?;
        Ok(value)
    }

    fn check(self, place: &Place) -> Result<Permit, Error> {
        let application = Application::current()?;
        let (wait, action) = (self.wait, self.action.clone());
        let request = self.into_request(&application, place)?;
        let response = application.client(Duration::ZERO).check(&request);
        let response = response.map_err(|error| with_rule(Error::from_client(error), &action))?;
        let (CheckStatus::Pending, Some(operation)) = (response.status, response.operation_id)
        else {
            return judge(application, response, &action);
        };
        match wait_for_answer(&application, operation, wait)? {
            OperationState::Pending => Err(Error::Pending {
                operation_id: operation.to_string(),
                sentence: add_graph_lines(&response, &action),
            }),
            _ => redeem_operation(application, operation, &action),
        }
    }

    fn into_request(self, application: &Application, place: &Place) -> Result<CheckRequest, Error> {
        let malformed =
            |error: &dyn std::fmt::Display| Error::denied("malformed", error.to_string());
        if let Some(mistake) = self.mistake {
            return Err(Error::denied("not_json", mistake));
        }
        let action = |name: &String| Action::parse(name).map_err(|error| malformed(&error));
        let declares: Vec<Action> = self.declares.iter().map(action).collect::<Result<_, _>>()?;
        let category = |name: &String| Category::parse(name).map_err(|error| malformed(&error));
        let categories: Vec<Category> =
            self.categories.iter().map(category).collect::<Result<_, _>>()?;
        let risk = self.risk.map(|word| {
            Risk::from_word(&word).ok_or_else(|| malformed(&format!("`{word}` is no risk")))
        });
        let mut request = CheckRequest::new(application.session.clone());
        request.tool = Some(Tool::parse(&self.tool).map_err(|error| malformed(&error))?);
        request.actions =
            vec![action(&self.action)?].try_into().map_err(|error| malformed(&error))?;
        request.declares = declares.try_into().map_err(|error| malformed(&error))?;
        request.categories = categories.try_into().map_err(|error| malformed(&error))?;
        request.args = Value::Object(self.args);
        request.target = self.target.try_into().map_err(|error| malformed(&error))?;
        request.risk = risk.transpose()?;
        request.reason = self.reason.try_into().map_err(|error| malformed(&error))?;
        request.irreversible = self.is_irreversible;
        if let Some((run, step)) = &place.run {
            (request.run, request.step) = (Some(*run), step.clone());
        }
        request.context = describe_place(place)?;
        Ok(request)
    }
}

fn describe_place(place: &Place) -> Result<Option<CallContext>, Error> {
    let parent = place.find_parent_token().map(TryInto::try_into).transpose();
    let parent = parent.map_err(|_| Error::denied("malformed", "the token is too long".into()))?;
    let context = CallContext { parent, gesture: place.click };
    Ok((context.parent.is_some() || context.gesture.is_some()).then_some(context))
}

/// Decides a parked call again. With the permit the function runs as for any other call.
pub fn redeem(operation_id: &str) -> Result<Permit, Error> {
    let operation = CallId::parse(operation_id)
        .ok_or_else(|| Error::denied("malformed", "this is no id of an operation".to_owned()))?;
    redeem_operation(Application::current()?, operation, "")
}

fn redeem_operation(
    application: Arc<Application>,
    operation: CallId,
    action: &str,
) -> Result<Permit, Error> {
    let response = application.client(Duration::ZERO).retry(operation, &application.session);
    let response = response.map_err(|error| with_rule(Error::from_client(error), action))?;
    if response.status == CheckStatus::Pending {
        let operation_id = operation.to_string();
        return Err(Error::Pending { operation_id, sentence: response.sentence });
    }
    judge(application, response, action)
}

fn judge(
    application: Arc<Application>,
    response: CheckResponse,
    action: &str,
) -> Result<Permit, Error> {
    if let (CheckStatus::Allowed, Some(operation)) = (response.status, response.operation_id) {
        return Ok(Permit { application, operation, parent_token: response.parent_token });
    }
    Err(Error::Denied {
        reason: response.reason.word().to_owned(),
        sentence: response.sentence,
        note: response.note,
        rule: action.to_owned(),
        operation_id: response.operation_id.map(|id| id.to_string()),
    })
}

fn with_rule(error: Error, action: &str) -> Error {
    match error {
        Error::Denied { reason, sentence, note, operation_id, .. } => {
            Error::Denied { reason, sentence, note, operation_id, rule: action.to_owned() }
        }
        other => other,
    }
}

/// What the operator can add to the graph, if it does not list the action.
fn add_graph_lines(response: &CheckResponse, action: &str) -> String {
    match (response.reason.word(), action.split_once('.')) {
        ("unclassified", Some((domain, verb))) => format!(
            "{}\nto list it, add to the graph:\ndomains:\n  {domain}: {{autonomous: [], \
             requires_approval: [{verb}], blocked: []}}",
            response.sentence
        ),
        _ => response.sentence.clone(),
    }
}

/// The state of a call once it is answered, or pending. A daemon that restarts is waited for.
#[allow(clippy::disallowed_methods, reason = "how long to wait for a person; it decides no call")]
fn wait_for_answer(
    application: &Application,
    operation: CallId,
    wait: Duration,
) -> Result<OperationState, Error> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        let left = wait.saturating_sub(started.elapsed());
        if left.is_zero() {
            return Ok(OperationState::Pending);
        }
        let poll = left.min(POLL).max(Duration::from_millis(1));
        let wait_ms = to_millis(poll);
        let request = WaitRequest { session: application.session.clone(), wait_ms };
        match application.client(poll).wait(operation, &request).map_err(Error::from_client) {
            Ok(response) if response.state != OperationState::Pending => return Ok(response.state),
            Ok(_) => pause = FIRST_PAUSE,
            Err(error) if error.is_unavailable() => {
                park_timeout(pause.min(left));
                pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
}

/// None of our waits is longer than what a request may say.
pub(crate) fn to_millis(wait: Duration) -> Millis {
    u64::try_from(wait.as_millis())
        .ok()
        .and_then(|wait| Millis::try_from(wait).ok())
        .unwrap_or_default()
}

fn judge_effect<T>(value: &T, has_failed: impl FnOnce(&T) -> bool) -> ReportedEffect {
    if has_failed(value) { ReportedEffect::Failed } else { ReportedEffect::Done }
}

impl Permit {
    /// Runs the function and reports how it ended.
    pub fn run<T>(self, run: impl FnOnce() -> T, has_failed: impl FnOnce(&T) -> bool) -> T {
        let (mut end, place) = self.start();
        let value = run_at(place, run);
        end.effect = judge_effect(&value, has_failed);
        value
    }

    fn start(self) -> (ReportAtEnd, Place) {
        let around = Place::current();
        let call = Arc::new(RunningCall {
            parent_token: self.parent_token,
            outer: around.call.clone(),
            is_over: AtomicBool::new(false),
        });
        let place = Place { call: Some(Arc::clone(&call)), ..around };
        let (application, operation) = (self.application, self.operation);
        let effect = ReportedEffect::Unknown;
        (ReportAtEnd { application, operation, call, effect }, place)
    }
}

/// Reports the end of a call, also after a panic, and when a future is dropped.
struct ReportAtEnd {
    application: Arc<Application>,
    operation: CallId,
    call: Arc<RunningCall>,
    effect: ReportedEffect,
}

impl Drop for ReportAtEnd {
    fn drop(&mut self) {
        self.call.is_over.store(true, Ordering::SeqCst);
        let (client, session) =
            (self.application.client(Duration::ZERO), &self.application.session);
        // The function has run: its value counts, and the daemon records an end that nobody reports
        // as unknown.
        let _unreported = client.report_outcome(self.operation, session, self.effect);
    }
}
