//! The credentials of a plane, as its OpenAPI document describes them.

use crate::Plane;
use crate::error::ApiErrorKind;
use crate::routes::Route;
use serde_json::{Map, Value, json};

const AGENT: &str = "The token that `countersign agent add NAME` printed. The caller is that \
    agent. Its turns can only make decisions stricter, and it may not send observations. On the \
    agents' socket no token is needed: the kernel reports the user, and that user is the agent \
    `uid-N`. A token that is sent there is used, and refused if it is unknown.";

const ADAPTER: &str = "The token that `countersign agent add NAME --adapter` printed. The caller \
    reports for that agent, which should not be able to read the token. It may do what the agent \
    may do; in addition its turns can make decisions looser, and it may send observations. On a \
    socket, too, an adapter needs its token.";

const APPLICATION: &str = "The token that `countersign agent add NAME --application` printed. The \
    caller gates its own functions, for the actions that it is bound to; other actions and most other \
    routes get 403. Its calls may say inside which of its own calls they are made. On a socket, too, \
    an application needs its token.";

const OPERATOR: &str = "The token in the file `operator.token` of the data folder. Tokens of \
    agents and adapters are refused here. On the operator's socket no token is needed: the kernel \
    reports the user, and only the daemon's own user and root are accepted.";

/// The names and descriptions of a plane's credentials. One of them is enough.
const fn plane_credentials(plane: Plane) -> &'static [(&'static str, &'static str)] {
    match plane {
        Plane::Agent => &[("agent", AGENT), ("adapter", ADAPTER), ("application", APPLICATION)],
        Plane::Operator => &[("operator", OPERATOR)],
    }
}

pub(super) fn security_schemes(plane: Plane) -> Map<String, Value> {
    let scheme = |(name, description): &(&str, &str)| {
        let format = format!("cs_{name}_ and 64 hex digits");
        let scheme = json!({
            "type": "http", "scheme": "bearer", "bearerFormat": format, "description": description,
        });
        ((*name).to_owned(), scheme)
    };
    plane_credentials(plane).iter().map(scheme).collect()
}

/// Every route of a plane requires one of these.
pub(super) fn required_schemes(plane: Plane) -> Vec<Value> {
    plane_credentials(plane).iter().map(|(name, _)| json!({*name: []})).collect()
}

pub(super) fn describe_adapter_fields(route: &Route) -> Option<String> {
    let fields: Vec<_> = route.adapter_fields.iter().map(|field| format!("`{field}`")).collect();
    let (last, others) = fields.split_last()?;
    let fields = match others {
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    };
    Some(format!("Only an adapter may send {fields}; an agent that does gets 403."))
}

/// The headers of an error response.
pub(super) fn headers(kind: ApiErrorKind) -> Option<Value> {
    match kind {
        ApiErrorKind::Unauthenticated => Some(json!({"WWW-Authenticate": {
            "required": true, "description": "The expected scheme",
            "schema": {"const": "Bearer"},
        }})),
        ApiErrorKind::TooMany => Some(json!({"Retry-After": {
            "required": true, "description": "Seconds after which the client may try again",
            "schema": {"type": "integer", "minimum": 1},
        }})),
        ApiErrorKind::Unreadable
        | ApiErrorKind::Forbidden
        | ApiErrorKind::Unknown
        | ApiErrorKind::Conflict
        | ApiErrorKind::TooLarge
        | ApiErrorKind::NotJson
        | ApiErrorKind::Invalid
        | ApiErrorKind::LongHead
        | ApiErrorKind::Unavailable => None,
    }
}
