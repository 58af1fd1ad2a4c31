//! Why input is refused as malformed, in words for its sender.

use crate::encoding::json::JsonError;
use crate::model::limits;
use crate::model::names::{StepName, Tool};

/// Why input is not a valid call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("the call names no action")]
    NoAction,
    #[error("the call names more than {} actions", limits::ACTIONS_PER_CALL)]
    TooManyActions,
    #[error("the confidence is not a number from 0 to 1")]
    Confidence,
    #[error("the arguments cannot be recorded: {0}")]
    Arguments(#[from] JsonError),
    #[error("the agent's words are longer than {} bytes", limits::CLAIM_BYTES)]
    TooManyWords,
    #[error("the tool `{0}` does not run command lines")]
    CommandWithoutShell(Tool),
    #[error("the command line differs from the one in the arguments of `{0}`")]
    AnotherCommand(Tool),
    #[error("the graph has no workflow `{0}`")]
    UnknownWorkflow(String),
    #[error("no run of this session has that id")]
    UnknownRun,
    #[error("consent denied: the operator declined the start of this run")]
    RunDeclined,
    #[error("the request to start this run has ended without a yes")]
    RunNeverStarted,
    #[error("the run's workflow has no step `{0}`")]
    UnknownStep(StepName),
    #[error("the session belongs to another agent")]
    ForeignSession,
    #[error("the parent is a call of another agent")]
    ForeignParent,
    #[error("no call of this session and agent has that operation id")]
    UnknownOperation,
    #[error("the arguments of this call were erased")]
    Erased,
    #[error("{0} seems to contain a secret; remove it, because {0} is recorded")]
    Secret(&'static str),
    #[error("{0}")]
    Unreadable(String),
}
