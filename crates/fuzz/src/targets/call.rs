//! The arguments of a call, as JSON from an agent.
//!
//! A value has one canonical form and one digest, however it was canonical_text. Input that two parsers
//! could read differently is refused. Accepted input can be decided.

use super::coding_graph;
use crate::seeds;
use crate::target::{Features, Target, TargetResult};
use countersign_commands::find_patched_files;
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json::{canonical, normal, parse};
use countersign_core::model::call::{Call, CallDraft};
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::names::{Action, Agent, SessionKey, SessionName, Tool};
use countersign_core::model::rule_results;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Assurance, Surface};
use countersign_core::state::State;
use countersign_core::steps::resolve::resolve_call;
use serde_json::Value;

pub(super) const TARGET: Target = Target {
    name: "call",
    property: "arguments have one canonical form and one digest, and can be decided",
    max_bytes: 16 << 10,
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
    seeds: || seeds::load_seeds("call"),
    check,
};

fn check(bytes: &[u8]) -> TargetResult {
    let mut features = Features::default();
    let value = match parse(bytes) {
        Ok(value) => value,
        Err(error) => {
            features.add_message("refused", &error.to_string());
            return Ok(features);
        }
    };
    let canonical_text = canonical(&value)
        .map_err(|error| format!("accepted, but has no canonical form: `{error}`"))?;
    check_canonical_form(bytes, &value, &canonical_text)?;
    add_value_features(&value, 0, &mut features);
    check_decision(&value, &mut features)?;
    Ok(features)
}

fn check_canonical_form(bytes: &[u8], value: &Value, canonical_text: &str) -> Result<(), String> {
    let reparsed = parse(canonical_text.as_bytes())
        .map_err(|error| format!("its canonical form is refused: `{error}`"))?;
    if reparsed != normal(value.clone()) {
        return Err("its canonical form is a different value".to_owned());
    }
    if canonical(&reparsed).as_deref() != Ok(canonical_text) {
        return Err("its canonical form is not stable".to_owned());
    }
    // Programs after us use another parser.
    let other: Value = serde_json::from_slice(bytes)
        .map_err(|error| format!("another parser refuses it: `{error}`"))?;
    if other != *value {
        return Err("another parser reads a different value".to_owned());
    }
    let pretty = serde_json::to_vec_pretty(value).map_err(|error| error.to_string())?;
    let pretty =
        parse(&pretty).map_err(|error| format!("its indented form is refused: `{error}`"))?;
    let digest =
        |value: &Value| Digest::hash_value("fuzz", value).map_err(|error| error.to_string());
    if digest(&pretty)? != digest(value)? {
        return Err("whitespace changes its digest".to_owned());
    }
    Ok(())
}

/// Adds the structure of the value as features.
fn add_value_features(value: &Value, depth: usize, features: &mut Features) {
    match value {
        Value::Null => features.add((depth, "null")),
        Value::Bool(flag) => features.add((depth, flag)),
        Value::Number(number) => {
            features.add((
                depth,
                number.is_f64(),
                number.to_string().len(),
                number.to_string().contains('e'),
            ));
        }
        Value::String(text) => {
            features.add_size("text", text.len());
            features.add((
                text.is_ascii(),
                text.contains(|c: char| c < ' '),
                text.contains(['"', '\\']),
            ));
        }
        Value::Array(items) => {
            features.add((depth, "list", items.len().checked_ilog2()));
            items.iter().for_each(|item| add_value_features(item, depth + 1, features));
        }
        Value::Object(fields) => {
            features.add((depth, "map", fields.len().checked_ilog2()));
            fields.values().for_each(|field| add_value_features(field, depth + 1, features));
        }
    }
}

/// Decides the value as arguments of tools that the graph maps, and of an unknown tool.
fn check_decision(args: &Value, features: &mut Features) -> Result<(), String> {
    let (now, state) = (Time::from_micros(0), State::empty());
    let ids = IdGenerator::new(now, 1);
    let facts = Facts {
        now,
        ids: &ids,
        graph: coding_graph().map(|coding| &coding.graph),
        state: &state,
        surface: Surface::Reachable,
        assurance: Assurance::Separated,
        questions: countersign_core::model::open_questions::OpenQuestions::none(
            countersign_core::model::open_questions::QuestionLimits::default(),
        ),
        protected: &["/srv/countersign".to_owned()],
        ruled: &rule_results::NO_RULE_RESULTS,
        key: None,
        node: countersign_core::model::names::NodeName::local(),
        place: None,
    };
    for tool in ["Bash", "Write", "mcp__files__read", "unheard_of"] {
        let call = draft_call(tool, args).and_then(|mut draft| {
            if let Some(mapping) = facts.graph.and_then(|graph| graph.tool(tool)) {
                draft.patched_files = find_patched_files(mapping, args);
            }
            resolve_call(&facts, draft).map_err(|e| e.to_string())
        });
        match call {
            Ok(call) => {
                let decision = decide(&facts, &call);
                features.add((tool, decision.outcome.word(), decision.reason.word()));
                check_round_trip(&call)?;
            }
            Err(why) => features.add_message(tool, &why),
        }
    }
    Ok(())
}

fn draft_call(tool: &str, args: &Value) -> Result<CallDraft, String> {
    let name = |error: countersign_core::model::names::NameError| error.to_string();
    let (agent, session) =
        (Agent::parse("a").map_err(name)?, SessionName::parse("s").map_err(name)?);
    let session = SessionKey::new(&agent, &session);
    let mut draft = CallDraft::plain(agent, session, Action::parse("files.read").map_err(name)?);
    draft.tool = Some(Tool::parse(tool).map_err(name)?);
    draft.args = args.clone();
    Ok(draft)
}

/// A call read back from the ledger is the same call.
fn check_round_trip(call: &Call) -> Result<(), String> {
    let text = serde_json::to_string(call)
        .map_err(|error| format!("a call cannot be serialized: `{error}`"))?;
    match serde_json::from_str::<Call>(&text) {
        Ok(again) if again == *call => Ok(()),
        Ok(_) => Err("a call reads back as a different call".to_owned()),
        Err(error) => Err(format!("a serialized call cannot be read: `{error}`")),
    }
}
