//! The body of every error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The body of a response that is no success.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    pub error: ErrorDetail,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErrorDetail {
    /// One word for programs.
    pub code: Cow<'static, str>,
    /// One sentence for people: what is wrong, and where.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}
