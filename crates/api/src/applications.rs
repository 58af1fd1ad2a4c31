//! Applications: programs that gate their own functions.

use crate::json::Json;
use crate::{BoundedList, OperationState, Text};
use countersign_core::model::application::{ActionPattern, ApplicationRights};
use countersign_core::model::ids::{CallId, GestureId};
use countersign_core::model::names::{Action, Agent, SessionName, Tool};
use countersign_core::model::words::Risk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a new application is bound to.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplicationRequest {
    /// The actions that its calls may name; at least one.
    pub actions: BoundedList<ActionPattern, 64>,
    /// The actions for which it may open gestures.
    #[serde(default)]
    pub gestures: BoundedList<ActionPattern, 64>,
}

/// Where in an application a call is made. Only an application's credential gives it a meaning; from
/// any other it is ignored.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallContext {
    /// The token that came with the call inside which this one is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Text<256>>,
    /// The gesture that this call follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gesture: Option<GestureId>,
}

/// The application that the credential stands for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApplicationView {
    pub agent: Agent,
    pub rights: ApplicationRights,
    /// The graph's risk reducers between actions of this application.
    pub reducers: Vec<ReducerView>,
}

/// While `caller` runs, `action` counts as the risk `to`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReducerView {
    pub caller: String,
    pub action: Action,
    pub to: Risk,
}

/// A person's click in the application. It covers the declared actions in this session for a minute,
/// or until it is closed, and never a critical call.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplicationGestureRequest {
    pub session: SessionName,
    /// What was clicked, for the record.
    pub label: Text<100>,
    /// The actions that it covers; at least one.
    pub declares: BoundedList<Action, 64>,
}

/// Closes a click of the application, which is named as when it was opened.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseApplicationGestureRequest {
    pub session: SessionName,
    pub label: Text<100>,
}

/// An own call as it is on record, to be carried out with these arguments.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StoredCallResponse {
    pub operation_id: CallId,
    pub state: OperationState,
    pub risk: Risk,
    pub tool: Option<Tool>,
    pub actions: Vec<Action>,
    #[schemars(with = "Json")]
    pub args: Value,
    /// Whether values were replaced by marks. Then only who still has them can carry it out.
    pub redacted: bool,
}
