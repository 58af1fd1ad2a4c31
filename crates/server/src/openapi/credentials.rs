//! Which credentials open a plane, as its document says it.

use crate::Plane;
use crate::api::Route;
use crate::fault::Refusal;
use serde_json::{Map, Value, json};

const AGENT: &str = "The token that `countersign agent add NAME` showed: whoever sends it is that \
    agent. Its turns can only tighten, and what was observed it cannot say. On the agents' socket \
    none is needed: the kernel says who connects, and that user is the agent `uid-N`. One that is \
    sent there counts all the same, and is refused if nobody knows it.";

const ADAPTER: &str = "The token that `countersign agent add NAME --adapter` showed: whoever sends \
    it reports for that agent, and is out of its reach. It opens what the agent's own opens; its \
    turns count when they loosen, too, and it can say what it observed. No socket takes anybody \
    for an adapter without it.";

const OPERATOR: &str = "The token in the file `operator.token` of the data folder; no agent's or \
    adapter's opens anything here. On the operator's socket none is needed: the kernel says who \
    connects, and only the daemon's own user and root are let in.";

/// The names of the credentials, each with what it is. Any one of them opens the plane.
const fn of(plane: Plane) -> &'static [(&'static str, &'static str)] {
    match plane {
        Plane::Agent => &[("agent", AGENT), ("adapter", ADAPTER)],
        Plane::Operator => &[("operator", OPERATOR)],
    }
}

pub(super) fn schemes(plane: Plane) -> Map<String, Value> {
    let scheme = |(name, about): &(&str, &str)| {
        let form = format!("cs_{name}_ and 64 hex digits");
        let scheme = json!({
            "type": "http", "scheme": "bearer", "bearerFormat": form, "description": about,
        });
        ((*name).to_owned(), scheme)
    };
    of(plane).iter().map(scheme).collect()
}

/// No route of a plane is open to whoever holds none of them.
pub(super) fn required(plane: Plane) -> Vec<Value> {
    of(plane).iter().map(|(name, _)| json!({*name: []})).collect()
}

/// What only an adapter can say to a route, and what becomes of it otherwise.
pub(super) fn observed(route: &Route) -> Option<String> {
    let fields: Vec<_> = route.observed.iter().map(|field| format!("`{field}`")).collect();
    let (last, others) = fields.split_last()?;
    let fields = match others {
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    };
    Some(format!("Only an adapter's credential can say {fields}; an agent that does gets 403."))
}

/// The header that says how to go on after a refusal.
pub(super) fn headers(refusal: Refusal) -> Option<Value> {
    match refusal {
        Refusal::Unauthenticated => Some(json!({"WWW-Authenticate": {
            "required": true, "description": "What is expected",
            "schema": {"const": "Bearer"},
        }})),
        Refusal::TooMany => Some(json!({"Retry-After": {
            "required": true, "description": "Seconds after which there is room again",
            "schema": {"type": "integer", "minimum": 1},
        }})),
        Refusal::Unreadable
        | Refusal::Forbidden
        | Refusal::Unknown
        | Refusal::Conflict
        | Refusal::TooLarge
        | Refusal::NotJson
        | Refusal::Invalid
        | Refusal::LongHead
        | Refusal::Unavailable => None,
    }
}
