//! How something that cannot be done is answered.

use schemars::JsonSchema;
use serde::Serialize;

/// What is wrong.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorBody {
    pub error: ErrorDetail,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorDetail {
    /// One word for programs.
    pub code: &'static str,
    /// One sentence for people: what is wrong, and where.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}
