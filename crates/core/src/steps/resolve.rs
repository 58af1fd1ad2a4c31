//! Resolves a submitted call against the graph's tool mappings and its session's project.
//!
//! See docs/decisions/0013-several-target-pointers.md.

use crate::decide::facts::Facts;
use crate::encoding::digest::Digest;
use crate::encoding::json;
use crate::model::call::{Call, CallDraft, Malformed, Words};
use crate::model::ids::CallId;
use crate::model::words::Undo;
use serde_json::Value;
use std::collections::BTreeMap;

/// Resolves a draft to the call to be decided.
pub fn resolve_call(facts: &Facts, draft: CallDraft) -> Result<Call, Malformed> {
    draft.check_bounds()?;
    let mapping = draft.tool.as_ref().and_then(|t| facts.graph.and_then(|g| g.tool(t.as_str())));
    if let (Some(tool), Some(_)) = (&draft.tool, &draft.command)
        && mapping.is_none_or(|m| m.command.is_none())
    {
        return Err(Malformed::CommandWithoutShell(tool.clone()));
    }
    // The check comes first: it bounds the depth, and `normal` recurses.
    json::check(&draft.args)?;
    let args = json::normal(draft.args);
    let (project, folders) = facts.find_project(&draft.session, draft.project.as_ref());
    let mut actions = draft.actions;
    let mut declares = draft.declares;
    let mut given = draft.observed.categories.clone();
    if let Some(mapping) = mapping {
        push_missing(&mut actions, mapping.find_actions(&args));
        push_missing(&mut declares, &mapping.declares);
        push_missing(&mut given, &mapping.categories);
    }
    // The arguments determine what will happen, so their target wins over a separate one.
    let pointers = mapping.map_or(&[][..], |m| &m.target);
    let target = match resolve_pointers(pointers, &args, &draft.patched_files) {
        found if found.is_empty() => draft.target,
        found => found,
    };
    let recipients = match mapping.and_then(|m| m.recipient.as_ref()) {
        Some(pointer) => {
            resolve_pointers(std::slice::from_ref(pointer), &args, &draft.patched_files)
        }
        None => target.clone(),
    };
    let (command, detectors) = draft
        .command
        .map_or((None, Vec::new()), |analysed| (Some(analysed.command), analysed.detectors));
    let undo = match (mapping.and_then(|m| m.undo), draft.claims.undo) {
        (_, Some(Undo::Irreversible)) => Some(Undo::Irreversible),
        (mapped, _) => mapped,
    };
    let mut call = Call {
        id: CallId::generate(facts.ids),
        agent: draft.agent,
        session: draft.session,
        project,
        folders,
        actions,
        declares,
        tool: draft.tool,
        args,
        target,
        recipients,
        command,
        cwd: draft.cwd,
        detectors,
        given,
        undo,
        run: draft.run,
        step: draft.step,
        claims: draft.claims,
        observed: draft.observed,
        parking: draft.parking,
        narrowing: draft.narrowing,
        words: Words::Kept,
        digest: Digest::zero(),
        lasting: Digest::zero(),
    };
    let (digest, lasting) = call.digests()?;
    (call.digest, call.lasting) = (digest.keyed(facts.key), lasting.keyed(facts.key));
    Ok(call)
}

fn push_missing<T: Clone + PartialEq>(list: &mut Vec<T>, more: &[T]) {
    for item in more {
        if !list.contains(item) {
            list.push(item.clone());
        }
    }
}

/// The strings that JSON pointers find in the arguments, each once. A patch stands for the files that
/// it changes.
fn resolve_pointers(
    pointers: &[String],
    args: &Value,
    patched_files: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    let mut found = Vec::new();
    for pointer in pointers {
        if let Some(files) = patched_files.get(pointer) {
            push_missing(&mut found, files);
            continue;
        }
        match args.pointer(pointer) {
            Some(Value::Array(items)) => {
                push_missing(&mut found, &items.iter().map(to_text).collect::<Vec<_>>());
            }
            Some(Value::Null) | None => {}
            Some(other) => push_missing(&mut found, &[to_text(other)]),
        }
    }
    found
}

fn to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::category::Category;
    use crate::model::command::{Command, CommandAnalysis};
    use crate::model::ids::IdGenerator;
    use crate::model::names::{Action, Agent, Project, SessionKey, Tool};
    use crate::model::rule_results::NO_RULE_RESULTS;
    use crate::model::time::Time;
    use crate::model::words::{Assurance, Risk, Surface};
    use crate::state::State;
    use serde_json::json;

    fn resolve(draft: CallDraft) -> Call {
        let (now, state) = (Time::from_micros(0), State::empty());
        let facts = Facts {
            now,
            ids: &IdGenerator::new(now, 7),
            graph: None,
            state: &state,
            surface: Surface::Gone,
            assurance: Assurance::Separated,
            questions: crate::model::open_questions::OpenQuestions::none(
                crate::model::open_questions::QuestionLimits::default(),
            ),
            protected: &[],
            ruled: &NO_RULE_RESULTS,
            key: None,
            node: crate::model::names::NodeName::local(),
            place: None,
        };
        resolve_call(&facts, draft).unwrap()
    }

    /// The same digests, computed from a JSON value.
    fn digests_from_value(call: &Call) -> (Digest, Digest) {
        let mut categories: Vec<&str> =
            call.given.iter().chain(&call.claims.categories).map(Category::as_str).collect();
        categories.sort_unstable();
        categories.dedup();
        let mut form = json!({
            "agent": call.agent, "project": call.project, "actions": call.actions,
            "declares": call.declares, "tool": call.tool, "args": call.args,
            "target": call.target, "categories": categories, "risk": call.claims.risk,
            "command": call.command,
        });
        if let (None, Some(cwd)) = (&call.command, &call.cwd) {
            form["cwd"] = json!(cwd);
        }
        let lasting = Digest::hash_value("countersign/call-in-any-session/v1", &form).unwrap();
        form["session"] = json!(call.session.name());
        (Digest::hash_value("countersign/call/v1", &form).unwrap(), lasting)
    }

    #[test]
    fn a_call_has_the_digests_of_its_canonical_form() {
        let agent = Agent::parse("agent-1").unwrap();
        let session = SessionKey::parse("agent-1 s1").unwrap();
        let action = |name| Action::parse(name).unwrap();
        let plain = CallDraft::plain(agent, session, action("files.write"));
        let mut full = plain.clone();
        full.project = Some(Project::parse("p").unwrap());
        full.declares = vec![action("mail.send"), action("files.read")];
        full.args = json!({"b": [1.0, 2.5, "\"ü\"\n"], "a": {"z": null, "é": true, "c": {}}});
        full.target = vec!["x".to_owned(), "y\\".to_owned()];
        full.cwd = Some("/w".to_owned());
        full.claims.risk = Some(Risk::High);
        let category = |name| Category::parse(name).unwrap();
        full.claims.categories = vec![category("tool:b"), category("tool:a")];
        full.observed.categories = vec![category("tool:b")];
        let mut tooled = full.clone();
        tooled.tool = Some(Tool::parse("sh").unwrap());
        let mut running = full.clone();
        let argv = vec!["ls".to_owned(), "-la".to_owned()];
        let command = Command::Plain { argv, cwd: Some("/w".to_owned()) };
        running.command = Some(CommandAnalysis { command, detectors: Vec::new() });
        for draft in [plain, full, tooled, running] {
            let call = resolve(draft);
            assert_eq!(call.digests().unwrap(), digests_from_value(&call));
            assert_eq!((call.digest, call.lasting), digests_from_value(&call));
        }
    }
}
