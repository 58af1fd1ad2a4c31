//! What became of a request that takes no answer any more.

use crate::CardContext;
use crate::text::DisplayText;
use countersign_core::model::request::{Request, RequestState};
use countersign_core::model::words::Ending;
use serde::{Deserialize, Serialize};

/// How a request ended. Its card says so first and offers nothing.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    pub ending: Ending,
    pub text: DisplayText,
}

/// None while the request is open. One that nobody has closed yet ends by its time.
pub(crate) fn describe_end(context: CardContext<'_>, request: &Request) -> Option<Closed> {
    let ending = match request.state {
        RequestState::Closed(ending) => ending,
        RequestState::Open if context.now >= request.ends_at => Ending::Expired,
        RequestState::Open => return None,
    };
    let text = match ending {
        Ending::Approved => "Answered: you allowed this".to_owned(),
        Ending::Declined => "Answered: you declined this".to_owned(),
        Ending::Cancelled => "Cancelled: nobody has to answer this".to_owned(),
        Ending::Expired => {
            format!("Expired at {}: an answer would have no effect", request.ends_at)
        }
    };
    Some(Closed { ending, text: DisplayText::from_trusted(text) })
}
