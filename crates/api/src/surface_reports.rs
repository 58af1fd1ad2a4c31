//! What surfaces report: what they showed, and what was clicked.

use crate::BoundedList;
use countersign_core::model::delivery::{Evidence, Extent};
use countersign_core::model::ids::{CallId, GestureId, NoticeId, RequestId};
use countersign_core::model::names::{Action, Agent, SessionName, SurfaceName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A surface has shown a card or a notice: one of them. It does not say that anybody saw it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {
        "required": ["request"],
        "properties": {"request": {"type": "string"}, "notice": {"type": "null"}},
    },
    {
        "required": ["notice"],
        "properties": {"notice": {"type": "string"}, "request": {"type": "null"}},
    },
]))]
pub struct DeliveryRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<NoticeId>,
    pub surface: SurfaceName,
    pub evidence: Evidence,
    /// How much of the request it has shown. `card` counts as `whole` if the card leaves nothing out.
    #[serde(default)]
    pub shown: Extent,
}

/// A click or slash command of the operator. It covers what follows from it within a minute, or until
/// its surface closes it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    {"required": ["declares"], "properties": {"declares": {"minItems": 1}}},
    {"required": ["shows"], "properties": {"shows": {"type": "string"}}},
]))]
pub struct GestureRequest {
    pub session: SessionName,
    /// The agent of the session. Needed to open a session that does not exist yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// The actions that it covers.
    #[serde(default)]
    pub declares: BoundedList<Action, 64>,
    /// The call that the surface showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows: Option<CallId>,
    /// The surface of the click. If it is named, only it can close the click.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GestureResponse {
    pub gesture_id: GestureId,
}

/// Closes a click before its minute is over.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseGestureRequest {
    pub session: SessionName,
    /// The agent of a session that is not open yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CloseGestureResponse {
    pub gesture_id: GestureId,
    /// False if it was over already.
    pub closed: bool,
}
