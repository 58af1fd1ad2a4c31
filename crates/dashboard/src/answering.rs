//! The fields of an answer's form.

use countersign_core::model::ids::RequestId;
use countersign_core::model::time::Time;

/// What an answer carries besides what the operator chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFields {
    pub request: RequestId,
    /// The digest that this page shows.
    pub digest: String,
    /// When the server rendered the card, in microseconds.
    pub rendered_at: Time,
    /// Binds all of it to this browser's session.
    pub token: String,
}

impl AnswerFields {
    pub fn rendered_micros(&self) -> i64 {
        self.rendered_at.micros()
    }
}

/// A choice that has to be confirmed a second time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirming {
    /// As the form sent it: `project.head`.
    pub choice: String,
    /// What it permits, and how long.
    pub permits: String,
    pub note: String,
}
