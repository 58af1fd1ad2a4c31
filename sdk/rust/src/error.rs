//! Why a gated function did not run. No message contains an argument.

use countersign_client::ClientError;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It was not allowed. `reason` is Countersign's word for why, `note` what the operator wrote, and
    /// `rule` the action whose rule decided.
    #[error("{sentence}")]
    Denied {
        reason: String,
        sentence: String,
        note: String,
        rule: String,
        operation_id: Option<String>,
    },
    /// The operator is asked, and has not answered yet. `redeem` uses a later yes.
    #[error("{sentence}")]
    Pending { operation_id: String, sentence: String },
    /// No decision could be had.
    #[error("{0}")]
    Unavailable(String),
}

impl Error {
    pub(crate) fn denied(reason: &str, sentence: String) -> Self {
        let (note, rule) = (String::new(), String::new());
        Self::Denied { reason: reason.to_owned(), sentence, note, rule, operation_id: None }
    }

    /// A refusal is a denial; everything else means that nobody decided.
    pub(crate) fn from_client(error: ClientError) -> Self {
        match error {
            ClientError::Refused { status: 429 | 503, message, remedy, .. } => {
                Self::Unavailable(format!("{message}; {remedy}"))
            }
            ClientError::Refused { code, message, remedy, .. } => {
                Self::denied(&code, format!("{message}; {remedy}"))
            }
            other => {
                let help = other.help();
                Self::Unavailable(format!("{other}, so nothing runs; {help}"))
            }
        }
    }

    pub(crate) const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}
