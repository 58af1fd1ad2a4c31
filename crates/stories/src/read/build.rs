//! From a checked node to a step. The forms were checked before, so what fails here is a name
//! that is no name.

use super::forms::{count, flag, items, number, text, texts};
use crate::case::{
    AheadStep, CallStep, Covers, Does, Expect, Held, Park, ProposeStep, Revokes, Step,
};
use countersign_core::model::category::Category;
use countersign_core::model::change::Kind as EntryKind;
use countersign_core::model::delivery::Evidence;
use countersign_core::model::grant::{Confirmation, Scope};
use countersign_core::model::names::{Action, NameError, Workflow};
use countersign_core::model::proposal::Diff;
use countersign_core::model::request::{Attendance, Say};
use countersign_core::model::time::Span;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{
    Channel, Choice, Effect, Initiator, Presence, Printed, Reason, Risk, RunEnding, Surface, Undo,
};
use countersign_graph::{Node, Problem};
use serde_json::json;
use std::collections::BTreeMap;

type Built<T> = Result<T, Vec<Problem>>;

pub(super) fn step(number: usize, node: &Node, key: &str) -> Built<Step> {
    let fields = Fields { node };
    let does = does(&fields, key)?;
    Ok(Step {
        number,
        place: node.span,
        session: fields.parsed("session", countersign_core::model::names::SessionName::parse)?,
        agent: fields.parsed("agent", countersign_core::model::names::Agent::parse)?,
        project: fields.parsed("project", countersign_core::model::names::Project::parse)?,
        does,
        expect: Expect {
            word: fields.text("expect"),
            because: fields.word("because", Reason::from_word),
            via: fields.text("via"),
            cards: cards(&fields),
            scope_granted: fields.text("scope_granted"),
        },
    })
}

fn does(fields: &Fields, key: &str) -> Built<Does> {
    let name = fields.text(key).unwrap_or_default();
    Ok(match key {
        "call" => Does::Call(Box::new(call(fields)?)),
        "finish" => Does::Finish { name, effect: effect(fields) },
        "answer" => answer(fields, name),
        "retry" => Does::Retry { name, effect: held(fields) },
        "ask_ahead" => Does::AskAhead(Box::new(ahead(fields, name)?)),
        "grant" => grant(fields)?,
        "import" => import(fields)?,
        "revoke" => Does::Revoke(revoke(fields)?),
        "keep" => Does::Keep(name),
        "gesture" => {
            let declares = fields.each("declares", Action::parse)?;
            Does::Gesture { name, declares, shows: fields.text("shows") }
        }
        "start" => Does::Start {
            name: fields.text("as"),
            workflow: fields.required("start", Workflow::parse)?,
            gesture: fields.text("gesture"),
            attendance: match fields.flag("headless") {
                Some(true) => Attendance::Headless,
                Some(false) | None => Attendance::Attended,
            },
            park: park(fields),
        },
        "end" => {
            let how = fields.word("how", RunEnding::from_word).unwrap_or(RunEnding::Completed);
            Does::End { name, how }
        }
        "say" => {
            let by = fields.word("by", Speaker::from_word).unwrap_or(Speaker::Operator);
            Does::Say { name: fields.text("as"), text: name, by }
        }
        "plan" => Does::Plan {
            name: fields.text("as"),
            actions: fields.each("plan", Action::parse)?,
            score: u8::try_from(fields.count_or("score", 0)).unwrap_or(u8::MAX),
            commands: fields.texts("commands"),
        },
        "propose" => Does::Propose(Box::new(propose(fields)?)),
        "apply" => Does::Apply(name),
        "veto" => Does::Veto(name),
        "undo" => Does::Undo(name),
        "wait" => Does::Wait(Span::parse(&name).unwrap_or(Span::seconds(0))),
        "restart" => Does::Restart,
        "reattach" => Does::Reattach(name),
        "reconcile" => Does::Reconcile,
        "load" => {
            Does::Load(fields.node.get("load").cloned().unwrap_or_else(|| fields.node.clone()))
        }
        "review" => Does::Review,
        "presence" => Does::Presence(Presence::from_word(&name).unwrap_or(Presence::Unknown)),
        "surface" => Does::Surface(Surface::from_word(&name).unwrap_or(Surface::Gone)),
        "pause" => Does::Pause,
        "resume" => Does::Resume,
        "check" => check(fields),
        "grants" => Does::Grants(fields.count("grants")),
        "requests" => Does::Requests(fields.count("requests")),
        "notices" => Does::Notices(fields.count("notices")),
        "acknowledge" => Does::Acknowledge,
        "deliver" => {
            let how = fields.word("how", Evidence::from_word).unwrap_or(Evidence::Requested);
            Does::Deliver { name, how }
        }
        "ledger" => Does::Ledger(fields.each("ledger", entry_kind)?),
        other => return Err(fields.problem(other, "is no step")),
    })
}

fn call(fields: &Fields) -> Built<CallStep> {
    Ok(CallStep {
        name: fields.text("as"),
        actions: fields.one_or_more("call"),
        declares: fields.texts("declares"),
        args: fields.node.get("args").map_or_else(|| json!({}), Node::to_json),
        target: fields.one_or_more("target"),
        categories: fields.each("categories", Category::parse)?,
        risk: fields.word("risk", Risk::from_input),
        command: fields.text("command"),
        cwd: fields.text("cwd"),
        tool: fields.parsed("tool", countersign_core::model::names::Tool::parse)?,
        confidence: fields.node.get("confidence").and_then(number).unwrap_or(0.0),
        channel: fields.word("channel", Channel::from_word).unwrap_or(Channel::Untrusted),
        initiator: fields.word("initiator", Initiator::from_word).unwrap_or(Initiator::Agent),
        gesture: fields.text("gesture"),
        callers: fields.one_or_more("caller"),
        parent: fields.text("parent"),
        run: fields.text("run"),
        step: fields.parsed("step", countersign_core::model::names::Step::parse)?,
        undo: fields.flag("reversible").map(|reversible| match reversible {
            true => Undo::Reversible,
            false => Undo::Irreversible,
        }),
        reason: fields.text("reason").unwrap_or_default(),
        fallback: fields.text("fallback").unwrap_or_default(),
        effect: held(fields),
        park: park(fields),
    })
}

fn ahead(fields: &Fields, text: String) -> Built<AheadStep> {
    let scope = match fields.text("scope").as_deref() {
        Some("this_session") => Scope::Session,
        Some("persistent") => Scope::Project,
        Some(_) | None => Scope::Once,
    };
    Ok(AheadStep {
        name: fields.text("as"),
        text,
        category: fields.parsed("category", Category::parse)?,
        scope,
        reason: fields.text("reason").unwrap_or_default(),
        fallback: fields.text("fallback").unwrap_or_default(),
        park: park(fields),
    })
}

fn propose(fields: &Fields) -> Built<ProposeStep> {
    let side = |key: &str| fields.node.get("diff").and_then(|diff| diff.get(key)).map(written);
    let diff = side("before").zip(side("after")).map(|(before, after)| Diff { before, after });
    Ok(ProposeStep {
        name: fields.text("as"),
        action: fields.required("propose", Action::parse)?,
        channel: fields.word("channel", Channel::from_word).unwrap_or(Channel::Untrusted),
        diff,
        undo: fields.text("undo"),
        park: park(fields),
    })
}

/// A side of a diff as text, whatever it is in the file.
fn written(node: &Node) -> String {
    text(node).unwrap_or_else(|| node.to_json().to_string())
}

fn answer(fields: &Fields, name: String) -> Does {
    let items = fields.node.get("items").and_then(Node::entries).map(|entries| {
        entries
            .iter()
            .filter_map(|entry| {
                let action = Action::parse(&entry.key.name).ok()?;
                Some((action, Choice::from_word(&text(&entry.value)?)?))
            })
            .collect::<BTreeMap<_, _>>()
    });
    let say = match (items, fields.word("choose", Choice::from_word)) {
        (Some(items), _) => Say::Items(items),
        (None, Some(choice)) => Say::One(choice),
        (None, None) => Say::Items(BTreeMap::new()),
    };
    let note = fields.text("note").unwrap_or_default();
    Does::Answer { name, say, note, confirmation: confirmation(fields) }
}

fn grant(fields: &Fields) -> Built<Does> {
    let coverage = coverage(fields, "grant")?;
    let (scope, ends) = terms(fields);
    Ok(Does::Grant {
        name: fields.text("as"),
        coverage,
        scope,
        ends,
        confirmation: confirmation(fields),
    })
}

fn import(fields: &Fields) -> Built<Does> {
    let coverage = coverage(fields, "import")?;
    let (scope, ends) = terms(fields);
    Ok(Does::Import { name: fields.text("as"), coverage, scope, ends })
}

fn coverage(fields: &Fields, key: &str) -> Built<Covers> {
    let entry = fields.node.get(key).and_then(Node::entries).and_then(<[_]>::first);
    let Some(entry) = entry else { return Err(fields.problem(key, "covers nothing")) };
    let value = text(&entry.value).unwrap_or_default();
    Ok(match entry.key.name.as_str() {
        "command" => Covers::Command(value),
        "action" => Covers::Action(fields.name(&value, Action::parse)?),
        "category" => Covers::Category(fields.name(&value, Category::parse)?),
        _ => Covers::Everything,
    })
}

fn terms(fields: &Fields) -> (Scope, Option<Span>) {
    let ends = fields.text("ends").and_then(|text| Span::parse(&text));
    (fields.word("scope", Scope::from_word).unwrap_or(Scope::Session), ends)
}

fn revoke(fields: &Fields) -> Built<Revokes> {
    if let Some(name) = fields.text("revoke") {
        return Ok(if name == "all" { Revokes::All } else { Revokes::Name(name) });
    }
    let entry = fields.node.get("revoke").and_then(Node::entries).and_then(<[_]>::first);
    let Some(entry) = entry else { return Err(fields.problem("revoke", "names nothing")) };
    let value = text(&entry.value).unwrap_or_default();
    Ok(match entry.key.name.as_str() {
        "command" => Revokes::Command(value),
        "workflow" => Revokes::Workflow(fields.name(&value, Workflow::parse)?),
        _ => Revokes::Action(fields.name(&value, Action::parse)?),
    })
}

fn check(fields: &Fields) -> Does {
    let parts = fields.node.get("check").and_then(items).unwrap_or_default();
    let part = |at: usize| parts.get(at).and_then(text).unwrap_or_default();
    Does::Check {
        domain: part(0),
        action: part(1),
        confidence: parts.get(2).and_then(number).unwrap_or(0.0),
        prints: fields.word("prints", Printed::from_word),
    }
}

fn cards(fields: &Fields) -> Option<Vec<Vec<String>>> {
    items(fields.node.get("items")?)?.iter().map(texts).collect()
}

fn entry_kind(word: &str) -> Result<EntryKind, String> {
    EntryKind::from_word(word).ok_or_else(|| format!("`{word}` is no kind of ledger entry"))
}

fn held(fields: &Fields) -> Held {
    match fields.text("effect").as_deref() {
        Some("hold") => Held::Hold,
        Some(_) | None => Held::Ends(effect(fields)),
    }
}

fn effect(fields: &Fields) -> Effect {
    fields.word("effect", Effect::from_word).unwrap_or(Effect::Done)
}

fn park(fields: &Fields) -> Park {
    match fields.flag("park") {
        Some(true) => Park::Yes,
        Some(false) | None => Park::No,
    }
}

fn confirmation(fields: &Fields) -> Confirmation {
    match fields.flag("confirm") {
        Some(true) => Confirmation::Confirmed,
        Some(false) | None => Confirmation::Plain,
    }
}

struct Fields<'a> {
    node: &'a Node,
}

impl Fields<'_> {
    fn text(&self, key: &str) -> Option<String> {
        self.node.get(key).and_then(text)
    }

    fn texts(&self, key: &str) -> Vec<String> {
        self.node.get(key).and_then(texts).unwrap_or_default()
    }

    fn one_or_more(&self, key: &str) -> Vec<String> {
        self.text(key).map_or_else(|| self.texts(key), |one| vec![one])
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.node.get(key).and_then(flag)
    }

    fn count(&self, key: &str) -> u64 {
        self.node.get(key).and_then(count).unwrap_or(u64::MAX)
    }

    fn count_or(&self, key: &str, default: u64) -> u64 {
        self.node.get(key).and_then(count).unwrap_or(default)
    }

    fn word<T>(&self, key: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.text(key).and_then(|text| read(&text))
    }

    fn parsed<T>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Result<T, NameError>,
    ) -> Built<Option<T>> {
        self.text(key).map(|text| self.name(&text, read)).transpose()
    }

    fn required<T>(&self, key: &str, read: impl Fn(&str) -> Result<T, NameError>) -> Built<T> {
        self.name(&self.text(key).unwrap_or_default(), read)
    }

    fn each<T, E: ToString>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Built<Vec<T>> {
        self.texts(key).iter().map(|text| self.name(text, &read)).collect()
    }

    fn name<T, E: ToString>(&self, text: &str, read: impl Fn(&str) -> Result<T, E>) -> Built<T> {
        read(text).map_err(|error| {
            vec![Problem::new(self.node.span, error.to_string(), "correct this name")]
        })
    }

    fn problem(&self, key: &str, what: &str) -> Vec<Problem> {
        vec![Problem::new(self.node.span, format!("`{key}` {what}"), "correct this step")]
    }
}
