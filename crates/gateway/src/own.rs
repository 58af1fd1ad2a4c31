//! Our own tools. They ask and report; none of them grants anything, and none is gated.

mod retry;

pub(crate) use retry::adopt_meta;

use crate::relay::{Context, Relay, RpcResponse};
use crate::wire::json_text::encode_string;
use std::sync::Arc;

/// A tool of ours.
#[derive(Clone, Copy)]
pub(crate) struct OwnTool {
    pub(crate) name: &'static str,
    /// Tells a model when to use it.
    description: &'static str,
    /// The schema of the arguments.
    schema: &'static str,
    kind: OwnKind,
}

#[derive(Clone, Copy)]
enum OwnKind {
    Retry,
    Status,
}

pub(crate) const TOOLS: &[OwnTool] = &[
    OwnTool {
        name: "retry",
        description: "Carries out a call that waited for the operator. Use it with the operation_id \
                      of a result that said the call waits. It waits for the answer, carries out \
                      the call once if it was approved, and returns its result.",
        schema: retry::SCHEMA,
        kind: OwnKind::Retry,
    },
    OwnTool {
        name: "consent_status",
        description: "Tells whether a call that waited for the operator was answered, without \
                      carrying it out. Use it with the operation_id of that call.",
        schema: retry::SCHEMA,
        kind: OwnKind::Status,
    },
];

impl OwnTool {
    /// The definition for a list of tools.
    pub(crate) fn definition(&self, name: &str) -> String {
        let (name, description) = (encode_string(name), encode_string(self.description));
        let schema = self.schema;
        format!("{{\"name\":{name},\"description\":{description},\"inputSchema\":{schema}}}")
    }
}

impl Relay {
    /// The tool of ours that a client means by this name.
    pub(crate) fn find_own_tool(&self, name: &str) -> Option<OwnTool> {
        TOOLS.iter().find(|tool| self.own_name(tool.name) == name).copied()
    }

    pub(crate) async fn call_own_tool(
        self: &Arc<Self>,
        context: &Context,
        tool: OwnTool,
    ) -> RpcResponse {
        match tool.kind {
            OwnKind::Retry => self.retry_operation(context).await,
            OwnKind::Status => self.report_status(context).await,
        }
    }
}
