//! Sends an answer to the daemon that owns the record's folder, or writes it into the record.

use super::open_engine;
use crate::limits;
use crate::operate::{SURFACE, fit_bounds};
use crate::settings::Settings;
use countersign_api::{AnswerRequest, ShownDigest};
use countersign_client::{Connection, OperatorClient};
use countersign_console::Failure;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::grant::Scope;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, Request};
use countersign_core::model::words::Choice;
use countersign_core::steps::settle::AnswerReply;
use countersign_engine::{Engine, Store};
use countersign_report::RecordOption;

pub(super) enum AnswerRoute {
    Daemon(OperatorClient),
    Record(Box<Engine<Box<dyn Store>>>),
}

impl AnswerRoute {
    /// A record in a folder has one writer: the daemon, if it runs. A database can have several.
    pub(super) fn open(record: &RecordOption, settings: &Settings) -> Result<Self, Failure> {
        let client = record.local_folder(&settings.record())?.map(|folder| {
            let socket = folder.join("operator.sock");
            OperatorClient::new(Connection::new(&socket, limits::DAEMON_TIMEOUT))
        });
        match client {
            Some(client) if client.status().is_ok() => Ok(Self::Daemon(client)),
            Some(_) | None => Ok(Self::Record(Box::new(open_engine(record, settings)?))),
        }
    }

    /// Answers a request and describes the result.
    pub(super) fn answer(&self, request: &Request, choice: Choice) -> Result<String, Failure> {
        match self {
            Self::Daemon(client) => send_answer(client, request, choice),
            Self::Record(engine) => write_answer(engine, request, choice),
        }
    }
}

fn send_answer(
    client: &OperatorClient,
    request: &Request,
    choice: Choice,
) -> Result<String, Failure> {
    let mut answer = AnswerRequest::new(ShownDigest::from(&request.digest), choice);
    answer.surface = SurfaceName::parse(SURFACE).ok();
    if choice != Choice::Decline {
        answer.confirm = Some(fit_bounds("confirmation", "yes")?);
    }
    let response = client.answer_request(request.id, &answer)?;
    let item = response.items.first();
    let scope = item.and_then(|item| item.scope_granted).map(Scope::word);
    Ok(describe_result(choice, scope, item.and_then(|item| item.reason.as_deref())))
}

fn write_answer(
    engine: &Engine<Box<dyn Store>>,
    request: &Request,
    choice: Choice,
) -> Result<String, Failure> {
    let (id, note, proof) = (request.id, String::new(), AnswerProof::SecondYes);
    let answer = Answer {
        say: AnswerChoices::One(choice),
        note,
        proof,
        lasts: None,
        covers: None,
        from: AnswerFrom::Embedder,
    };
    match engine.answer_import(id, &answer)?.reply {
        AnswerReply::Accepted { given } => {
            let scope = given.iter().find_map(|given| given.granted).map(|scope| scope.word());
            Ok(describe_result(choice, scope, given.iter().find_map(|given| given.why)))
        }
        AnswerReply::AlreadyAnswered => Err(Failure::new(
            format!("`{id}` has been answered already"),
            "`countersign import waiting` lists what is still open",
        )),
        AnswerReply::Late => Err(Failure::new(
            format!("`{id}` has expired; your answer is recorded and changes nothing"),
            "import it again",
        )),
        AnswerReply::Refused(refusal) => {
            Err(Failure::new(refusal.to_string(), "report this as a bug"))
        }
    }
}

fn describe_result(choice: Choice, scope: Option<&str>, why: Option<&str>) -> String {
    match (choice, scope, why) {
        (Choice::Decline, ..) => "declined".to_owned(),
        (_, Some(scope), None) => format!("confirmed, scope {scope}"),
        (_, Some(scope), Some(why)) => format!("confirmed, scope {scope}: {why}"),
        (_, None, why) => format!("confirmed: {}", why.unwrap_or("it grants nothing")),
    }
}
