//! Why an operation of an agent was not carried out. A denial is a decision, not an error.

use countersign_api::RunStatus;
use countersign_conversation::JoinRefusal;
use countersign_core::model::names::NameError;
use countersign_engine::EngineError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum AgentError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// It does not exist, or it belongs to another session or agent.
    #[error("there is no such {0}")]
    Unknown(&'static str),
    #[error("the session belongs to another agent")]
    ForeignSession,
    #[error("the session is not put below another one: {0}")]
    NotJoined(#[from] JoinRefusal),
    #[error("the call names neither an action nor a tool")]
    NoAction,
    #[error("the program's call names no tool")]
    NoTool,
    /// Such as a tool that no rule names, and whose name makes no action.
    #[error(transparent)]
    Name(NameError),
    #[error("there are no rules, so nothing is allowed")]
    NoRules,
    #[error("the question is not open any more")]
    QuestionClosed,
    /// A report or a withdrawal that comes too late for its call.
    #[error("{0}")]
    CallOver(String),
    #[error("the call ran without the operator's answer: {0}")]
    NotAnswered(String),
    /// A run that cannot be ended, cancelled or continued.
    #[error("{sentence}")]
    Run { state: RunStatus, sentence: String },
}
