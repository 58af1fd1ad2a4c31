//! The texts of the rules that were in force, so that a replay can make decisions under them again.

use crate::model::graph::LayerRef;
use serde::{Deserialize, Serialize};

/// The source of a graph, so that it can be parsed again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphSource {
    pub name: String,
    pub text: String,
    /// The policy files of its folder: name and text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<(String, String)>,
}

/// The rules of a repository, as a session found them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerSighting {
    pub of: LayerRef,
    /// Why they are ignored or cannot be read; otherwise empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The text of rules that are in force, so that decisions under them can be made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
