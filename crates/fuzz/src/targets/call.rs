//! The arguments of a call, as JSON from an agent.
//!
//! One value has one canonical form and one digest, however it was written; what two readers could
//! read differently is refused. Whatever is accepted can be decided.

use super::coding;
use crate::seeds;
use crate::target::{Held, Target, Traits};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json::{canonical, normal, parse};
use countersign_core::model::call::{Call, CallDraft};
use countersign_core::model::ids::Fresh;
use countersign_core::model::names::{Action, Agent, SessionName, Tool};
use countersign_core::model::ruled;
use countersign_core::model::time::Time;
use countersign_core::model::words::Surface;
use countersign_core::state::State;
use countersign_core::steps::resolve::resolve_call;
use serde_json::Value;

pub(super) const TARGET: Target = Target {
    name: "call",
    what: "arguments have one canonical form and one digest, and can be decided",
    longest: 16 << 10,
    words: &[
        "\"command\":",
        "\"file_path\":",
        "\"tool\":",
        "null",
        "true",
        "false",
        "{}",
        "[]",
        "\\ud83d\\ude00",
        "\\u0041",
        "1.0",
        "-0.0",
        "1E2",
        "1e-7",
        "5e-324",
        "1.7976931348623157e308",
        "{\"a\":1,\"a\":1}",
        "\"__entity\":{\"type\":\"Action\",\"id\":\"x\"}",
        "\"__extn\":{\"fn\":\"ip\",\"arg\":\"::1\"}",
    ],
    seeds: || seeds::own("call"),
    hold,
};

fn hold(bytes: &[u8]) -> Held {
    let mut traits = Traits::default();
    let value = match parse(bytes) {
        Ok(value) => value,
        Err(error) => {
            traits.say("refused", &error.to_string());
            return Ok(traits);
        }
    };
    let written =
        canonical(&value).map_err(|error| format!("accepted and not writable: `{error}`"))?;
    one_form(bytes, &value, &written)?;
    described(&value, 0, &mut traits);
    decided(&value, &mut traits)?;
    Ok(traits)
}

fn one_form(bytes: &[u8], value: &Value, written: &str) -> Result<(), String> {
    let again =
        parse(written.as_bytes()).map_err(|error| format!("its own form is refused: `{error}`"))?;
    if again != normal(value.clone()) {
        return Err("its canonical form is another value".to_owned());
    }
    if canonical(&again).as_deref() != Ok(written) {
        return Err("its canonical form has another canonical form".to_owned());
    }
    // Who reads it after us reads it with another reader.
    let elsewhere: Value = serde_json::from_slice(bytes)
        .map_err(|error| format!("another reader refuses it: `{error}`"))?;
    if elsewhere != *value {
        return Err("another reader reads another value".to_owned());
    }
    let pretty = serde_json::to_vec_pretty(value).map_err(|error| error.to_string())?;
    let pretty =
        parse(&pretty).map_err(|error| format!("refused once it is indented: `{error}`"))?;
    let digest = |value: &Value| Digest::of("fuzz", value).map_err(|error| error.to_string());
    if digest(&pretty)? != digest(value)? {
        return Err("blanks change its digest".to_owned());
    }
    Ok(())
}

/// What the value is made of.
fn described(value: &Value, depth: usize, traits: &mut Traits) {
    match value {
        Value::Null => traits.note((depth, "null")),
        Value::Bool(flag) => traits.note((depth, flag)),
        Value::Number(number) => {
            traits.note((
                depth,
                number.is_f64(),
                number.to_string().len(),
                number.to_string().contains('e'),
            ));
        }
        Value::String(text) => {
            traits.count("text", text.len());
            traits.note((
                text.is_ascii(),
                text.contains(|c: char| c < ' '),
                text.contains(['"', '\\']),
            ));
        }
        Value::Array(items) => {
            traits.note((depth, "list", items.len().checked_ilog2()));
            items.iter().for_each(|item| described(item, depth + 1, traits));
        }
        Value::Object(fields) => {
            traits.note((depth, "map", fields.len().checked_ilog2()));
            fields.values().for_each(|field| described(field, depth + 1, traits));
        }
    }
}

/// As the arguments of a tool with pointers into them, and of one that nobody knows.
fn decided(args: &Value, traits: &mut Traits) -> Result<(), String> {
    let (now, state) = (Time::from_micros(0), State::empty());
    let fresh = Fresh::new(now, 1);
    let facts = Facts {
        now,
        fresh: &fresh,
        graph: coding().map(|coding| &coding.graph),
        state: &state,
        surface: Surface::Reachable,
        protected: &["/srv/countersign".to_owned()],
        ruled: &ruled::NOTHING,
        key: None,
        node: countersign_core::model::names::NodeName::local(),
    };
    for tool in ["Bash", "Write", "mcp__files__read", "unheard_of"] {
        let call = draft(tool, args)
            .and_then(|draft| resolve_call(&facts, draft).map_err(|e| e.to_string()));
        match call {
            Ok(call) => {
                let decision = decide(&facts, &call);
                traits.note((tool, decision.outcome.word(), decision.reason.word()));
                kept(&call)?;
            }
            Err(why) => traits.say(tool, &why),
        }
    }
    Ok(())
}

fn draft(tool: &str, args: &Value) -> Result<CallDraft, String> {
    let name = |error: countersign_core::model::names::NameError| error.to_string();
    let (agent, session) =
        (Agent::parse("a").map_err(name)?, SessionName::parse("s").map_err(name)?);
    let mut draft = CallDraft::plain(agent, session, Action::parse("files.read").map_err(name)?);
    draft.tool = Some(Tool::parse(tool).map_err(name)?);
    draft.args = args.clone();
    Ok(draft)
}

/// What is written into the ledger reads back as the same call.
fn kept(call: &Call) -> Result<(), String> {
    let text =
        serde_json::to_string(call).map_err(|error| format!("a call cannot be kept: `{error}`"))?;
    match serde_json::from_str::<Call>(&text) {
        Ok(again) if again == *call => Ok(()),
        Ok(_) => Err("a kept call is another call".to_owned()),
        Err(error) => Err(format!("a kept call cannot be read: `{error}`")),
    }
}
