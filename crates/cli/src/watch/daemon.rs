//! Carries what was typed to the daemon. A failure is shown, and is never an answer.

use super::feed::question_news;
use super::lists;
use crate::failure::Failure;
use crate::ids::short_id;
use countersign_api::{
    AnswerRequest, AnswerResponse, DeliveryRequest, PresenceRequest, RequestView, ShownDigest,
};
use countersign_client::{ClientError, OperatorClient};
use countersign_core::model::delivery::Evidence;
use countersign_core::model::ids::{NoticeId, RequestId};
use countersign_core::model::names::{Action, Agent, SurfaceName};
use countersign_core::model::request::RequestState;
use countersign_core::model::words::{Choice, Presence};
use countersign_terminal::{Closing, Command, News, Operator, Outcome, Then, Told, What};

/// The name of this surface in deliveries and answers.
const SURFACE: &str = "terminal";

/// The operator's plane, for the desk at a terminal.
pub(crate) struct DaemonOperator {
    client: OperatorClient,
    /// The name under which presence is reported. None reports nothing.
    presence_surface: Option<SurfaceName>,
}

/// A name for presence that no other terminal has.
pub(crate) fn own_surface() -> Option<SurfaceName> {
    SurfaceName::parse(&format!("{SURFACE}-{}", std::process::id())).ok()
}

impl DaemonOperator {
    pub(crate) fn new(client: OperatorClient, presence_surface: Option<SurfaceName>) -> Self {
        Self { client, presence_surface }
    }

    fn request(&self, id: &str) -> Result<RequestView, ClientError> {
        self.client.request(parse_request(id)?)
    }

    fn is_open(&self, id: &str) -> bool {
        self.request(id).is_ok_and(|found| found.state == RequestState::Open)
    }

    fn send_answer(&self, told: &Told) -> Result<AnswerResponse, ClientError> {
        self.client.answer_request(parse_request(&told.request)?, &answer_request(told)?)
    }

    fn pause(&self, agent: &str) -> Result<Vec<String>, Failure> {
        self.client.pause(&parse_agent(agent)?)?;
        Ok(vec![format!("{agent} is paused: its calls are denied")])
    }

    fn resume(&self, agent: &str) -> Result<Vec<String>, Failure> {
        self.client.resume(&parse_agent(agent)?)?;
        Ok(vec![format!("{agent} goes on")])
    }
}

impl Operator for DaemonOperator {
    fn answer(&mut self, told: &Told) -> Outcome {
        match self.send_answer(told) {
            Ok(response) => Outcome::Taken(describe_answer(&told.request, &response)),
            Err(error @ ClientError::Refused { .. }) => {
                let id = short_id(&told.request);
                match self.is_open(&told.request) {
                    true => Outcome::Refused(error.to_string()),
                    false => Outcome::Over(format!("{id}: {error}")),
                }
            }
            Err(error) => Outcome::Refused(format!("nothing is known to be answered: {error}")),
        }
    }

    fn command(&mut self, command: &Command) -> Vec<String> {
        let lines = match command {
            Command::Grants => lists::grants(&self.client),
            Command::Allowlist(session) => lists::allowlist(&self.client, session.as_deref()),
            Command::Revoke(named) => lists::revoke(&self.client, named),
            Command::Pause(agent) => self.pause(agent),
            Command::Resume(agent) => self.resume(agent),
            // The desk handles these itself.
            Command::Show(_) | Command::Waiting | Command::Help | Command::Quit => Ok(Vec::new()),
        };
        lines.unwrap_or_else(|failure| vec![failure.line()])
    }

    fn presence(&mut self, presence: Presence) {
        let Some(surface) = self.presence_surface.clone() else { return };
        // A failure is not shown: the desk reports again once the daemon is back, and without a
        // report presence is unknown.
        let _unsent = self.client.report_presence(&PresenceRequest { surface, presence });
    }

    fn delivered(&mut self, what: &What, evidence: Evidence) {
        let Ok(surface) = SurfaceName::parse(SURFACE) else { return };
        let (request, notice) = match what {
            What::Request(id) => (RequestId::parse(id), None),
            What::Notice(id) => (None, NoticeId::parse(id)),
        };
        // A delivery that is not recorded proves as little as one that is.
        let delivery = DeliveryRequest { request, notice, surface, evidence };
        let _unsent = self.client.report_delivery(&delivery);
    }

    fn fetch(&mut self, request: &str) -> Option<News> {
        let found = self.request(request).ok()?;
        Some(match found.state {
            RequestState::Open => question_news(&found.card),
            RequestState::Closed(ending) => News::Closed(Closing {
                request: request.to_owned(),
                ending: Some(ending),
                surface: None,
                at: "an unknown time".to_owned(),
            }),
        })
    }
}

fn parse_request(id: &str) -> Result<RequestId, ClientError> {
    RequestId::parse(id).ok_or_else(|| ClientError::Unwritable(format!("`{id}` is not an id")))
}

fn parse_agent(name: &str) -> Result<Agent, Failure> {
    Agent::parse(name).map_err(|error| Failure::usage(error.to_string(), "name an agent"))
}

fn answer_request(told: &Told) -> Result<AnswerRequest, ClientError> {
    let unwritable = |error: String| ClientError::Unwritable(error);
    let digest = ShownDigest::try_from(told.digest.clone()).map_err(unwritable)?;
    let (choice, items) = match told.choices.as_slice() {
        [(_, choice)] => (Some(*choice), Default::default()),
        several => {
            let parse = |(action, choice): &(String, Choice)| {
                Action::parse(action).map(|action| (action, *choice))
            };
            let items: Result<_, _> = several.iter().map(parse).collect();
            (None, items.map_err(|error| unwritable(error.to_string()))?)
        }
    };
    let confirm = told.confirm.clone().map(TryInto::try_into).transpose();
    Ok(AnswerRequest {
        digest,
        choice,
        items,
        note: told.note.clone().try_into().map_err(|error| out_of_bounds("note", &error))?,
        confirm: confirm.map_err(|error| out_of_bounds("confirmation", &error))?,
        stop: told.then == Then::Stop,
        surface: SurfaceName::parse(SURFACE).ok(),
    })
}

fn out_of_bounds(name: &str, error: &countersign_api::OutOfBounds) -> ClientError {
    ClientError::Unwritable(format!("the {name} is out of bounds: {error}"))
}

/// What each item got, one line each.
fn describe_answer(request: &str, response: &AnswerResponse) -> Vec<String> {
    let id = short_id(request);
    let describe = |item: &countersign_api::AnsweredItem| {
        let action = item.action.as_ref().map_or("it", |action| action.as_str());
        let why = item.reason.as_ref().map(|why| format!(", because {why}")).unwrap_or_default();
        match item.scope_granted {
            Some(scope) => format!("{id}: you allowed {action}, {scope}{why}"),
            None if item.scope_requested == Choice::Decline => {
                format!("{id}: you declined {action}")
            }
            None => format!("{id}: you answered {action}{why}"),
        }
    };
    response.items.iter().map(describe).collect()
}
