//! Opening the dashboard in a browser, and the browsers in which it is open.

use crate::{Text, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A login that waits for a browser. The link alone authorizes nothing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenDashboardResponse {
    pub login: String,
    /// The page that shows the characters to confirm with.
    pub url: String,
    /// How long the characters can be typed.
    pub seconds: u64,
}

/// The characters that the browser shows. They can be sent once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmLoginRequest {
    pub login: Text<64>,
    pub code: Text<16>,
}

/// The browser that showed the characters is open now.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConfirmLoginResponse {
    /// What it says that it is.
    pub browser: String,
}

/// The browsers in which the dashboard is open, the newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BrowserSessionsResponse {
    pub sessions: Vec<BrowserSessionView>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BrowserSessionView {
    pub id: String,
    /// What the browser says that it is.
    pub browser: String,
    pub opened_at: Timestamp,
    /// To within a quarter of an hour.
    pub used_at: Timestamp,
    /// When it ends, however often it is used.
    pub ends_at: Timestamp,
}

/// The browser session to end. Without one, all.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndBrowserSessionRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Text<64>>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndBrowserSessionResponse {
    pub ended: usize,
}
