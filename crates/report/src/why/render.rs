//! The explanation of a decision as text and as JSON.

use super::history::{
    DecisionHistory, RecordedAnswer, RecordedDecision, SubjectSummary, UsedGrant,
};
use crate::entry_text::describe_grant_words;
use crate::entry_text::{describe_answer, describe_grant_end, describe_outcome, describe_source};
use anstyle::Style;
use countersign_console::{BOLD, GREEN, Page, RED, YELLOW};
use countersign_core::decide::explain;
use countersign_core::model::change::Timing;
use countersign_core::model::grant::Grant;
use countersign_core::model::graph::{LayerRef, LayerStanding};
use countersign_core::model::words::Outcome;
use serde_json::{Value, json};

pub(super) fn explanation_page(history: &DecisionHistory) -> Page {
    let mut page = Page::new();
    let Some(explained) = history.explained() else { return page };
    let decision = &explained.decision;
    let SubjectSummary { agent, session, text, .. } = &history.summary;
    let outcome = decision.outcome;
    page.styled(outcome_style(outcome).bold(), describe_outcome(outcome)).text(": ").text(text);
    page.end();
    let mut line = |name: &str, text: &str| {
        page.text("  ").styled(BOLD, &format!("{name:<11}")).text(text).end();
    };
    line("because", &format!("{} ({})", explain::operator_sentence(decision), decision.reason));
    line("to change", &explain::nearest(decision));
    for verdict in explain::lines(decision) {
        line("rule", &verdict);
    }
    if let Some(narrowed) = &explained.narrowed {
        line("narrowed", &format!("with {} ({})", narrowed.describe(), narrowed.kind));
    }
    for UsedGrant { grant, answer } in &history.used {
        line("grant", &grant_text(grant));
        let source = match answer {
            Some(answer) => answer_text(answer),
            None => format!("from {}, at {}", describe_source(grant.source), grant.granted_at),
        };
        line("granted", &source);
    }
    line("who", &format!("{agent} in session {session}"));
    line("graph", &format!("{} was in force", explained.given.graph));
    if let Some(layer) = explained.given.layer {
        line("repo", &describe_repository_rules(layer));
    }
    line("decided", &format!("at {}, entry {} of the ledger", explained.at, explained.seq));
    add_related(history, explained, &mut line);
    line("id", &history.subject.id_text());
    if history.erased {
        line("erased", "sealed parts of this call: an empty field may have had a value");
    }
    page
}

/// The rules of the repository that a decision was made with.
fn describe_repository_rules(layer: LayerRef) -> String {
    match layer.standing {
        LayerStanding::Narrowing => format!("its own rules held, too: {}", layer.hash),
        LayerStanding::Trusted => {
            format!("its own rules held, too, as you trusted them: {}", layer.hash)
        }
        LayerStanding::Ignored => format!("its own rules did not hold: {}", layer.hash),
        LayerStanding::Unreadable => {
            "its own rules could not be read, so everything asked".to_owned()
        }
    }
}

/// The requests and answers, the other decisions about the same subject, and the effects.
fn add_related(
    history: &DecisionHistory,
    explained: &RecordedDecision,
    line: &mut impl FnMut(&str, &str),
) {
    let DecisionHistory { requests, answers, used, minted, decisions, effects, .. } = history;
    for request in requests {
        let (id, opened, end) = (request.id, request.opened_at, request.ends_at);
        line("asked", &format!("{id}, at {opened}, open until {end}"));
    }
    for answer in answers {
        line("answered", &answer_text(answer));
    }
    if !requests.is_empty() && !answers.iter().any(|answer| answer.answered.ending.is_some()) {
        line("answered", "not yet");
    }
    if let Some(often) = history.kind.describe() {
        line("asked", &format!("about this kind of call {often}"));
    }
    let is_used = |grant: &&Grant| used.iter().any(|used| used.grant.id == grant.id);
    for grant in minted.iter().filter(|grant| !is_used(grant)) {
        line("grant", &grant_text(grant));
    }
    for other in decisions.iter().filter(|other| other.seq != explained.seq) {
        let name = if other.seq < explained.seq { "before" } else { "then" };
        let outcome = describe_outcome(other.decision.outcome);
        let cause = explain::operator_sentence(&other.decision);
        line(name, &format!("{outcome}, because {cause}, at {}", other.at));
    }
    for (at, effect) in effects {
        line("ended", &format!("{effect}, at {at}"));
    }
}

const fn outcome_style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Allow | Outcome::Notify => GREEN,
        Outcome::Ask => YELLOW,
        Outcome::Deny => RED,
    }
}

fn grant_text(grant: &Grant) -> String {
    let Grant { id, scope, .. } = grant;
    let covers = describe_grant_words(grant);
    format!("{id}: {covers}, for {scope}, {}", describe_grant_end(grant))
}

fn answer_text(answer: &RecordedAnswer) -> String {
    format!("{}, at {}", describe_answer(&answer.answered, "it"), answer.at)
}

pub(super) fn explanation_json(history: &DecisionHistory) -> Value {
    let Some(explained) = history.explained() else { return Value::Null };
    let summary = &history.summary;
    let call = summary.call.as_ref();
    let mut object = decision_json(explained);
    let more = json!({
        "v": 1,
        "id": history.subject.id_text(),
        "what": summary.text,
        "session": summary.session,
        "agent": summary.agent,
        "call": call.map(|call| call.id),
        "digest": call.map(|call| call.digest),
        "tool": call.and_then(|call| call.tool.as_ref()),
        "verdicts": explained.decision.verdicts,
        "same_kind_answers": {"yes": history.kind.yes, "no": history.kind.no},
        "decisions": history.decisions.iter().map(decision_json).collect::<Vec<_>>(),
        "requests": history.requests.iter().map(|request| json!({
            "id": request.id, "opened_at": request.opened_at.to_string(),
            "ends_at": request.ends_at.to_string(),
        })).collect::<Vec<_>>(),
        "answers": history.answers.iter().map(answer_json).collect::<Vec<_>>(),
        "grants_used": history.used.iter().map(used_grant_json).collect::<Vec<_>>(),
        "grants_minted": history.minted.iter().map(grant_json).collect::<Vec<_>>(),
        "effects": history.effects.iter().map(|(at, effect)| {
            json!({"effect": effect, "at": at.to_string()})
        }).collect::<Vec<_>>(),
        "erased": history.erased,
    });
    if let (Value::Object(fields), Value::Object(more)) = (&mut object, more) {
        fields.extend(more);
    }
    object
}

fn decision_json(decision: &RecordedDecision) -> Value {
    let RecordedDecision { seq, at, decision, given, narrowed } = decision;
    json!({
        "narrowed": narrowed,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "sentence": explain::operator_sentence(decision),
        "nearest": explain::nearest(decision),
        "basis": decision.basis,
        "rules": explain::lines(decision),
        "graph": given.graph,
        "repository_rules": given.layer,
        "decided_at": at.to_string(),
        "entry": seq,
    })
}

fn answer_json(answer: &RecordedAnswer) -> Value {
    let answered = &answer.answered;
    let choices: Vec<&str> = answered.items.iter().map(|(_, choice)| choice.word()).collect();
    json!({
        "request": answered.request,
        "answer": answered.ending,
        "choices": choices,
        "note": answered.note,
        "late": answered.timing == Timing::Late,
        "surface": answered.surface,
        "at": answer.at.to_string(),
    })
}

fn grant_json(grant: &Grant) -> Value {
    json!({
        "id": grant.id,
        "covers": describe_grant_words(grant),
        "scope": grant.scope,
        "source": grant.source,
        "granted_at": grant.granted_at.to_string(),
        "ends_at": grant.ends_at.map(|end| end.to_string()),
        "request": grant.request,
    })
}

fn used_grant_json(used: &UsedGrant) -> Value {
    let mut grant = grant_json(&used.grant);
    if let Value::Object(fields) = &mut grant {
        let answer = used.answer.as_ref().map_or(Value::Null, answer_json);
        fields.insert("answer".to_owned(), answer);
    }
    grant
}
