//! Why an operation of an agent was not carried out, as a response of HTTP.

use crate::error::ApiError;
use countersign_api::RunStatus;
use countersign_conversation::JoinRefusal;
use countersign_host::AgentError;

impl From<AgentError> for ApiError {
    fn from(error: AgentError) -> Self {
        let message = error.to_string();
        match error {
            AgentError::Engine(error) => error.into(),
            AgentError::Unknown(object) => Self::unknown(object),
            AgentError::ForeignSession => Self::forbidden(&message, "use your own session"),
            AgentError::NotJoined(JoinRefusal::NotOpen) => Self::unknown("session above"),
            AgentError::NotJoined(JoinRefusal::TooMany | JoinRefusal::TooDeep) => {
                Self::conflict(message, "end sessions of sub-agents that have finished")
            }
            AgentError::NotJoined(JoinRefusal::BelowAnother | JoinRefusal::Circle) => {
                Self::conflict(message, "open another session for the sub-agent")
            }
            AgentError::NoAction => Self::invalid(message, "name one of them"),
            AgentError::NoTool => Self::invalid(message, "name the tool that the program calls"),
            AgentError::Name(_) => Self::invalid(message, "name the actions of the tool"),
            AgentError::NoRules => Self::unavailable(message, "the operator can load a graph"),
            AgentError::QuestionClosed => Self::conflict(message, "read it with GET"),
            AgentError::CallOver(_) => Self::conflict(message, "there is nothing to do"),
            AgentError::NotAnswered(_) => {
                Self::conflict(message, "the operator finds it in the log")
            }
            AgentError::Run { state, .. } => match state {
                RunStatus::Pending => Self::not_started(&message),
                RunStatus::Declined => Self::consent_denied(&message),
                RunStatus::Live => Self::conflict(message, "there is nothing to do"),
                RunStatus::Cancelled
                | RunStatus::Expired
                | RunStatus::Suspended
                | RunStatus::Ended => Self::conflict(message, "start a new one"),
            },
        }
    }
}
