//! Builds a step from a node whose forms were checked. Only the parsing of names can still fail.

mod related;

use super::forms::{read_count, read_flag, read_list, read_number, read_text, read_texts};
use crate::case::{
    AheadStep, CallEnding, CallStep, CaseStep, CoverageSpec, Expectation, ProposeStep,
    RevokeTarget, StepKind,
};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::Parking;
use countersign_core::model::category::Category;
use countersign_core::model::change::Kind as EntryKind;
use countersign_core::model::grant::{Confirmation, Scope};
use countersign_core::model::names::{Action, NameError, SurfaceName, Workflow};
use countersign_core::model::narrowed::NarrowingSupport;
use countersign_core::model::proposal::Diff;
use countersign_core::model::request::{AnswerChoices, Attendance};
use countersign_core::model::time::Span;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{
    Channel, Choice, Covers, Effect, Initiator, Presence, Printed, Reason, Risk, RunEnding,
    Surface, Undo,
};
use countersign_graph::{DocumentNode, Problem};
use related::{build_delivery, build_sub_agent};
use serde_json::json;
use std::collections::BTreeMap;

type BuildResult<T> = Result<T, Vec<Problem>>;

pub(super) fn build_step(number: usize, node: &DocumentNode, key: &str) -> BuildResult<CaseStep> {
    let fields = Fields { node };
    let kind = build_kind(&fields, key)?;
    Ok(CaseStep {
        number,
        span: node.span,
        session: fields
            .parse_optional("session", countersign_core::model::names::SessionName::parse)?,
        agent: fields.parse_optional("agent", countersign_core::model::names::Agent::parse)?,
        project: fields
            .parse_optional("project", countersign_core::model::names::Project::parse)?,
        kind,
        expect: Expectation {
            result: fields.text("expect"),
            because: fields.word("because", Reason::from_word),
            via: fields.text("via"),
            cards: read_cards(&fields),
            scope_granted: fields.text("scope_granted"),
        },
    })
}

fn build_kind(fields: &Fields, key: &str) -> BuildResult<StepKind> {
    let name = fields.text(key).unwrap_or_default();
    Ok(match key {
        "call" => StepKind::Call(Box::new(build_call(fields)?)),
        "finish" => StepKind::Finish { name, effect: read_effect(fields) },
        "answer" => build_answer(fields, name)?,
        "retry" => StepKind::Retry { name, ending: read_call_ending(fields) },
        "ask_ahead" => StepKind::AskAhead(Box::new(build_ahead(fields, name)?)),
        "grant" => build_grant(fields)?,
        "import" => build_import(fields)?,
        "revoke" => StepKind::Revoke(build_revoke_target(fields)?),
        "keep" => StepKind::Keep(name),
        "gesture" => {
            let declares = fields.parse_list("declares", Action::parse)?;
            StepKind::Gesture { name, declares, shows: fields.text("shows") }
        }
        "start" => StepKind::Start {
            name: fields.text("as"),
            workflow: fields.parse_required("start", Workflow::parse)?,
            gesture: fields.text("gesture"),
            attendance: match fields.flag("headless") {
                Some(true) => Attendance::Headless,
                Some(false) | None => Attendance::Attended,
            },
            parking: read_parking(fields),
        },
        "end" => {
            let how = fields.word("how", RunEnding::from_word).unwrap_or(RunEnding::Completed);
            StepKind::End { name, how }
        }
        "say" => {
            let speaker = fields.word("by", Speaker::from_word).unwrap_or(Speaker::Operator);
            StepKind::Say { name: fields.text("as"), text: name, speaker }
        }
        "plan" => StepKind::Plan {
            name: fields.text("as"),
            actions: fields.parse_list("plan", Action::parse)?,
            score: u8::try_from(fields.count_or("score", 0)).unwrap_or(u8::MAX),
            commands: fields.texts("commands"),
        },
        "propose" => StepKind::Propose(Box::new(build_proposal(fields)?)),
        "apply" => StepKind::Apply(name),
        "veto" => StepKind::Veto(name),
        "undo" => StepKind::Undo(name),
        "wait" => StepKind::Wait(Span::parse(&name).unwrap_or(Span::seconds(0))),
        "trust" => StepKind::Trust(name),
        "write" | "remove" => build_file_change(fields, key, name),
        "restart" => StepKind::Restart,
        "reattach" => StepKind::Reattach(name),
        "reconcile" => StepKind::Reconcile,
        "sub_agent_of" => build_sub_agent(fields)?,
        "load" => {
            StepKind::Load(fields.node.get("load").cloned().unwrap_or_else(|| fields.node.clone()))
        }
        "review" => StepKind::Review,
        "presence" => StepKind::Presence(Presence::from_word(&name).unwrap_or(Presence::Unknown)),
        "surface" => StepKind::Surface(Surface::from_word(&name).unwrap_or(Surface::Gone)),
        "pause" => StepKind::Pause,
        "resume" => StepKind::Resume,
        "check" => build_check(fields),
        "grants" => StepKind::Grants(fields.count("grants")),
        "requests" => StepKind::Requests(fields.count("requests")),
        "notices" => StepKind::Notices(fields.count("notices")),
        "acknowledge" => StepKind::Acknowledge,
        "deliver" => build_delivery(fields, name)?,
        "ledger" => StepKind::Ledger(fields.parse_list("ledger", parse_entry_kind)?),
        other => return Err(fields.problem(other, "is not a step key")),
    })
}

fn build_call(fields: &Fields) -> BuildResult<CallStep> {
    Ok(CallStep {
        name: fields.text("as"),
        actions: fields.text_or_list("call"),
        declares: fields.texts("declares"),
        args: fields.node.get("args").map_or_else(|| json!({}), DocumentNode::to_json),
        target: fields.text_or_list("target"),
        categories: fields.parse_list("categories", Category::parse)?,
        risk: fields.word("risk", Risk::from_input),
        command: fields.text("command"),
        cwd: fields.text("cwd"),
        tool: fields.parse_optional("tool", countersign_core::model::names::Tool::parse)?,
        confidence: fields.node.get("confidence").and_then(read_number).unwrap_or(0.0),
        channel: fields.word("channel", Channel::from_word).unwrap_or(Channel::Untrusted),
        initiator: fields.word("initiator", Initiator::from_word).unwrap_or(Initiator::Agent),
        gesture: fields.text("gesture"),
        callers: fields.text_or_list("caller"),
        parent: fields.text("parent"),
        run: fields.text("run"),
        step: fields.parse_optional("step", countersign_core::model::names::StepName::parse)?,
        undo: fields.flag("reversible").map(|reversible| match reversible {
            true => Undo::Reversible,
            false => Undo::Irreversible,
        }),
        reason: fields.text("reason").unwrap_or_default(),
        fallback: fields.text("fallback").unwrap_or_default(),
        ending: read_call_ending(fields),
        narrowing: match fields.flag("narrows") {
            Some(true) => NarrowingSupport::Accepted,
            Some(false) | None => NarrowingSupport::None,
        },
        parking: read_parking(fields),
    })
}

fn build_ahead(fields: &Fields, text: String) -> BuildResult<AheadStep> {
    let scope = match fields.text("scope").as_deref() {
        Some("this_session") => Scope::Session,
        Some("persistent") => Scope::Project,
        Some(_) | None => Scope::Once,
    };
    Ok(AheadStep {
        name: fields.text("as"),
        text,
        category: fields.parse_optional("category", Category::parse)?,
        scope,
        reason: fields.text("reason").unwrap_or_default(),
        fallback: fields.text("fallback").unwrap_or_default(),
        parking: read_parking(fields),
    })
}

fn build_proposal(fields: &Fields) -> BuildResult<ProposeStep> {
    let side =
        |key: &str| fields.node.get("diff").and_then(|diff| diff.get(key)).map(diff_side_text);
    let diff = side("before").zip(side("after")).map(|(before, after)| Diff { before, after });
    Ok(ProposeStep {
        name: fields.text("as"),
        action: fields.parse_required("propose", Action::parse)?,
        channel: fields.word("channel", Channel::from_word).unwrap_or(Channel::Untrusted),
        diff,
        undo: fields.text("undo"),
        parking: read_parking(fields),
    })
}

/// One side of a diff as text; a value that is not text becomes JSON.
fn diff_side_text(node: &DocumentNode) -> String {
    read_text(node).unwrap_or_else(|| node.to_json().to_string())
}

fn build_answer(fields: &Fields, name: String) -> BuildResult<StepKind> {
    let items = fields.node.get("items").and_then(DocumentNode::entries).map(|entries| {
        entries
            .iter()
            .filter_map(|entry| {
                let action = Action::parse(&entry.key.name).ok()?;
                Some((action, Choice::from_word(&read_text(&entry.value)?)?))
            })
            .collect::<BTreeMap<_, _>>()
    });
    let say = match (items, fields.word("choose", Choice::from_word)) {
        (Some(items), _) => AnswerChoices::Items(items),
        (None, Some(choice)) => AnswerChoices::One(choice),
        (None, None) => AnswerChoices::Items(BTreeMap::new()),
    };
    let note = fields.text("note").unwrap_or_default();
    let proof = read_proof(fields);
    let surface = fields.parse_optional("on", SurfaceName::parse)?;
    let covers = fields.word("covers", Covers::from_word);
    Ok(StepKind::Answer { name, say, covers, note, proof, surface })
}

fn build_grant(fields: &Fields) -> BuildResult<StepKind> {
    let coverage = build_coverage(fields, "grant")?;
    let (scope, ends) = read_grant_terms(fields);
    Ok(StepKind::Grant {
        name: fields.text("as"),
        coverage,
        scope,
        ends,
        confirmation: Confirmation::from_proof(read_proof(fields)),
    })
}

fn build_import(fields: &Fields) -> BuildResult<StepKind> {
    let coverage = build_coverage(fields, "import")?;
    let (scope, ends) = read_grant_terms(fields);
    Ok(StepKind::Import { name: fields.text("as"), coverage, scope, ends })
}

fn build_coverage(fields: &Fields, key: &str) -> BuildResult<CoverageSpec> {
    let entry = fields.node.get(key).and_then(DocumentNode::entries).and_then(<[_]>::first);
    let Some(entry) = entry else { return Err(fields.problem(key, "has no coverage")) };
    let value = read_text(&entry.value).unwrap_or_default();
    Ok(match entry.key.name.as_str() {
        "command" => CoverageSpec::Command(value),
        "action" => CoverageSpec::Action(fields.parse_name(&value, Action::parse)?),
        "category" => CoverageSpec::Category(fields.parse_name(&value, Category::parse)?),
        _ => CoverageSpec::Everything,
    })
}

fn read_grant_terms(fields: &Fields) -> (Scope, Option<Span>) {
    let ends = fields.text("ends").and_then(|text| Span::parse(&text));
    (fields.word("scope", Scope::from_word).unwrap_or(Scope::Session), ends)
}

fn build_revoke_target(fields: &Fields) -> BuildResult<RevokeTarget> {
    if let Some(name) = fields.text("revoke") {
        return Ok(if name == "all" { RevokeTarget::All } else { RevokeTarget::Name(name) });
    }
    let entry = fields.node.get("revoke").and_then(DocumentNode::entries).and_then(<[_]>::first);
    let Some(entry) = entry else { return Err(fields.problem("revoke", "has no target")) };
    let value = read_text(&entry.value).unwrap_or_default();
    Ok(match entry.key.name.as_str() {
        "command" => RevokeTarget::Command(value),
        "workflow" => RevokeTarget::Workflow(fields.parse_name(&value, Workflow::parse)?),
        _ => RevokeTarget::Action(fields.parse_name(&value, Action::parse)?),
    })
}

fn build_file_change(fields: &Fields, key: &str, path: String) -> StepKind {
    match key {
        "remove" => StepKind::Remove(path),
        _ => StepKind::Write { path, text: fields.text("text").unwrap_or_default() },
    }
}

fn build_check(fields: &Fields) -> StepKind {
    let parts = fields.node.get("check").and_then(read_list).unwrap_or_default();
    let part = |at: usize| parts.get(at).and_then(read_text).unwrap_or_default();
    StepKind::Check {
        domain: part(0),
        action: part(1),
        confidence: parts.get(2).and_then(read_number).unwrap_or(0.0),
        prints: fields.word("prints", Printed::from_word),
    }
}

fn read_cards(fields: &Fields) -> Option<Vec<Vec<String>>> {
    read_list(fields.node.get("items")?)?.iter().map(read_texts).collect()
}

fn parse_entry_kind(word: &str) -> Result<EntryKind, String> {
    EntryKind::from_word(word).ok_or_else(|| format!("`{word}` is not a kind of ledger entry"))
}

fn read_call_ending(fields: &Fields) -> CallEnding {
    match fields.text("effect").as_deref() {
        Some("hold") => CallEnding::StillRunning,
        Some(_) | None => CallEnding::Finished(read_effect(fields)),
    }
}

fn read_effect(fields: &Fields) -> Effect {
    fields.word("effect", Effect::from_word).unwrap_or(Effect::Done)
}

fn read_parking(fields: &Fields) -> Parking {
    match fields.flag("park") {
        Some(true) => Parking::Allowed,
        Some(false) | None => Parking::Refused,
    }
}

/// A story confirms with whatever the card asks for.
fn read_proof(fields: &Fields) -> AnswerProof {
    match fields.flag("confirm") {
        Some(true) => AnswerProof::TypedText,
        Some(false) | None => AnswerProof::KeyPress,
    }
}

struct Fields<'a> {
    node: &'a DocumentNode,
}

impl Fields<'_> {
    fn text(&self, key: &str) -> Option<String> {
        self.node.get(key).and_then(read_text)
    }

    fn texts(&self, key: &str) -> Vec<String> {
        self.node.get(key).and_then(read_texts).unwrap_or_default()
    }

    fn text_or_list(&self, key: &str) -> Vec<String> {
        self.text(key).map_or_else(|| self.texts(key), |one| vec![one])
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.node.get(key).and_then(read_flag)
    }

    fn count(&self, key: &str) -> u64 {
        self.node.get(key).and_then(read_count).unwrap_or(u64::MAX)
    }

    fn count_or(&self, key: &str, default: u64) -> u64 {
        self.node.get(key).and_then(read_count).unwrap_or(default)
    }

    fn word<T>(&self, key: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.text(key).and_then(|text| parse(&text))
    }

    fn parse_optional<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, NameError>,
    ) -> BuildResult<Option<T>> {
        self.text(key).map(|text| self.parse_name(&text, parse)).transpose()
    }

    fn parse_required<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, NameError>,
    ) -> BuildResult<T> {
        self.parse_name(&self.text(key).unwrap_or_default(), parse)
    }

    fn parse_list<T, E: ToString>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> BuildResult<Vec<T>> {
        self.texts(key).iter().map(|text| self.parse_name(text, &parse)).collect()
    }

    fn parse_name<T, E: ToString>(
        &self,
        text: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> BuildResult<T> {
        parse(text).map_err(|error| {
            vec![Problem::new(self.node.span, error.to_string(), "correct this name")]
        })
    }

    fn problem(&self, key: &str, what: &str) -> Vec<Problem> {
        vec![Problem::new(self.node.span, format!("`{key}` {what}"), "correct this step")]
    }
}
