//! Sends what the operator types to the daemon. A failure is shown; it never counts as an answer.

use super::feed::question_event;
use super::{lists, overview};
use crate::operate::{describe_answer, say_words};
use countersign_api::{
    AnswerRequest, AnswerResponse, DeliveryRequest, PresenceRequest, RequestView, ShownDigest,
};
use countersign_client::{ClientError, OperatorClient};
use countersign_console::{Failure, Page, out, pager, short_id};
use countersign_core::model::delivery::{Evidence, Extent};
use countersign_core::model::ids::{NoticeId, RequestId};
use countersign_core::model::names::{Action, Agent, SurfaceName};
use countersign_core::model::request::RequestState;
use countersign_core::model::words::{Choice, Presence};
use countersign_terminal::{
    AfterAnswer, AnswerOutcome, DeliverySubject, OperatorBackend, PagerEnd, PanelLine, PromptEvent,
    ReportedAnswer, SlashCommand, TypedAnswer,
};

/// How the name of this surface begins.
const SURFACE: &str = "terminal";

/// The operator's plane, for the prompt at a terminal.
pub(crate) struct DaemonOperator {
    client: OperatorClient,
    /// The name under which presence is reported. None reports nothing.
    presence_surface: Option<SurfaceName>,
}

/// A name that no other terminal has: what another one has shown does not count here.
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

    fn post_answer(&self, answer: &TypedAnswer) -> Result<AnswerResponse, ClientError> {
        self.client.answer_request(parse_request(&answer.request)?, &answer_request(answer)?)
    }

    fn pause(&self, agent: &str) -> Result<Vec<String>, Failure> {
        self.client.pause(&parse_agent(agent)?)?;
        Ok(vec![format!("{agent} is paused: Countersign denies its calls")])
    }

    fn resume(&self, agent: &str) -> Result<Vec<String>, Failure> {
        self.client.resume(&parse_agent(agent)?)?;
        Ok(vec![format!("{agent} is resumed")])
    }
}

impl OperatorBackend for DaemonOperator {
    fn send_answer(&mut self, answer: &TypedAnswer) -> AnswerOutcome {
        match self.post_answer(answer) {
            Ok(response) => {
                let id = short_id(&answer.request);
                let lines = describe_answer(&response).into_iter();
                AnswerOutcome::Accepted(lines.map(|line| format!("{id}: {line}")).collect())
            }
            Err(error @ ClientError::Refused { .. }) => {
                let id = short_id(&answer.request);
                match self.is_open(&answer.request) {
                    true if error.is_not_shown() => {
                        AnswerOutcome::Refused(format!("{error}: v shows it"))
                    }
                    true => AnswerOutcome::Refused(error.to_string()),
                    false => AnswerOutcome::RequestClosed(format!("{id}: {error}")),
                }
            }
            Err(error) => {
                AnswerOutcome::Refused(format!("the daemon did not confirm the answer: {error}"))
            }
        }
    }

    fn run_command(&mut self, command: &SlashCommand) -> Vec<String> {
        let lines = match command {
            SlashCommand::Grants => lists::grants(&self.client),
            SlashCommand::Allowlist(session) => lists::allowlist(&self.client, session.as_deref()),
            SlashCommand::Revoke(named) => lists::revoke(&self.client, named),
            SlashCommand::RevokeAnswer(request) => lists::revoke_answer(&self.client, request),
            SlashCommand::Say { session, words } => {
                say_words(&self.client, session.as_deref(), words)
            }
            SlashCommand::Pause(agent) => self.pause(agent),
            SlashCommand::Resume(agent) => self.resume(agent),
            // The prompt handles these itself.
            SlashCommand::Show(_)
            | SlashCommand::RevokeLast
            | SlashCommand::Messages
            | SlashCommand::ListRequests
            | SlashCommand::Help
            | SlashCommand::Quit => Ok(Vec::new()),
        };
        lines.unwrap_or_else(|failure| vec![failure.line()])
    }

    fn fetch_whole(&mut self, request: &str) -> Result<Vec<String>, String> {
        let text = parse_request(request).and_then(|id| self.client.whole_text(id));
        text.map_err(|error| Failure::from(error).line())
    }

    fn show_paged(&mut self, lines: &[String]) -> Result<PagerEnd, String> {
        let mut page = Page::new();
        for line in lines {
            page.text(line).end();
        }
        pager::start_pager();
        let shown = out::show(&page);
        pager::finish_pager();
        match shown {
            Err(Failure::OutputClosed) => Ok(PagerEnd::LeftEarly),
            Err(failure) => Err(failure.line()),
            Ok(()) => Ok(PagerEnd::AllShown),
        }
    }

    fn report_whole(&mut self, request: &str) {
        if let (Some(id), Some(surface)) = (RequestId::parse(request), own_surface()) {
            // Without this report a yes at high risk is refused, which says what to do.
            let _unsent = self.client.report_shown(id, &surface, Extent::Whole);
        }
    }

    fn fetch_overview(&mut self) -> Vec<PanelLine> {
        overview::describe_overview(&self.client)
            .unwrap_or_else(|failure| vec![PanelLine::Text(failure.line())])
    }

    fn report_presence(&mut self, presence: Presence) {
        let Some(surface) = self.presence_surface.clone() else { return };
        // A failure is not shown: the prompt reports again once the daemon is back, and without a
        // report presence is unknown.
        let _unsent = self.client.report_presence(&PresenceRequest { surface, presence });
    }

    fn report_delivery(&mut self, what: &DeliverySubject, evidence: Evidence) {
        let Some(surface) = own_surface() else { return };
        let (request, notice) = match what {
            DeliverySubject::Request(id) => (RequestId::parse(id), None),
            DeliverySubject::Notice(id) => (None, NoticeId::parse(id)),
        };
        // A delivery that is not recorded proves as little as one that is.
        let shown = match evidence {
            Evidence::Requested => Extent::Card,
            Evidence::Queued | Evidence::SpokenByFallback | Evidence::HeardUnverified => {
                Extent::Part
            }
        };
        let delivery = DeliveryRequest { request, notice, surface, evidence, shown };
        let _unsent = self.client.report_delivery(&delivery);
    }

    fn fetch_request(&mut self, request: &str) -> Option<PromptEvent> {
        let found = self.request(request).ok()?;
        Some(match found.state {
            RequestState::Open => question_event(&found.card),
            RequestState::Closed(ending) => PromptEvent::RequestAnswered(ReportedAnswer {
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

fn answer_request(answer: &TypedAnswer) -> Result<AnswerRequest, ClientError> {
    let unwritable = |error: String| ClientError::Unwritable(error);
    let digest = ShownDigest::try_from(answer.digest.clone()).map_err(unwritable)?;
    let (choice, items) = match answer.choices.as_slice() {
        [(_, choice)] => (Some(*choice), Default::default()),
        several => {
            let parse = |(action, choice): &(String, Choice)| {
                Action::parse(action).map(|action| (action, *choice))
            };
            let items: Result<_, _> = several.iter().map(parse).collect();
            (None, items.map_err(|error| unwritable(error.to_string()))?)
        }
    };
    let confirm = answer.confirm.clone().map(TryInto::try_into).transpose();
    Ok(AnswerRequest {
        digest,
        choice,
        items,
        covers: answer.covers,
        note: answer.note.clone().try_into().map_err(|error| out_of_bounds("note", &error))?,
        confirm: confirm.map_err(|error| out_of_bounds("confirmation", &error))?,
        seconds: None,
        stop: answer.after == AfterAnswer::StopSession,
        surface: own_surface(),
    })
}

fn out_of_bounds(name: &str, error: &countersign_api::OutOfBounds) -> ClientError {
    ClientError::Unwritable(format!("the {name} is out of bounds: {error}"))
}
