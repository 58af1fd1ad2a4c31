//! The explanation in sentences and as JSON. Every fact comes out of the record.

use super::story::{Decided, Known, Said, Story, What};
use crate::page::{BOLD, GREEN, Page, RED, YELLOW};
use anstyle::Style;
use countersign_core::decide::explain;
use countersign_core::model::change::Timing;
use countersign_core::model::grant::Grant;
use countersign_core::model::words::{Choice, Ending, Outcome};
use serde_json::{Value, json};

pub(super) fn page(story: &Story) -> Page {
    let mut page = Page::new();
    let Some(decided) = story.explained() else { return page };
    let decision = &decided.decision;
    page.styled(style(decision.outcome).bold(), said(decision.outcome));
    page.text(": ").text(&story.what.words).end();
    let mut line = |name: &str, text: &str| {
        page.text("  ").styled(BOLD, &format!("{name:<10}")).text(text).end();
    };
    line("because", &format!("{} ({})", explain::sentence(decision), decision.reason));
    line("nearest", &explain::nearest(decision));
    for verdict in explain::lines(decision) {
        line("rule", &verdict);
    }
    for known in &story.used {
        line("grant", &granted(&known.grant));
        line("given", &known.by.as_ref().map_or_else(|| source(&known.grant), answer));
    }
    let What { agent, session, .. } = &story.what;
    line("who", &format!("{agent} in session {session}"));
    line("graph", &format!("{} was in force", decided.given.graph));
    line("decided", &format!("{}, entry {} of the ledger", decided.at, decided.seq));
    followed(story, decided, &mut line);
    line("id", &story.about.text());
    if story.erased {
        line("erased", "words of this call: what is empty here may not have been");
    }
    page
}

/// What came before and after: other decisions about the same, the question, its answer, the end.
fn followed(story: &Story, decided: &Decided, line: &mut impl FnMut(&str, &str)) {
    for request in &story.requests {
        let text =
            format!("{}, at {}, open until {}", request.id, request.opened_at, request.ends_at);
        line("asked", &text);
    }
    for said in &story.answers {
        line("answered", &answer(said));
    }
    if !story.requests.is_empty()
        && !story.answers.iter().any(|said| said.answered.ending.is_some())
    {
        line("answered", "not yet");
    }
    for grant in
        story.minted.iter().filter(|grant| !story.used.iter().any(|used| used.grant.id == grant.id))
    {
        line("granted", &granted(grant));
    }
    for other in story.decisions.iter().filter(|other| other.seq != decided.seq) {
        let name = if other.seq < decided.seq { "before" } else { "then" };
        let (outcome, sentence) = (other.decision.outcome, explain::sentence(&other.decision));
        line(name, &format!("{outcome}, because {sentence}, at {}", other.at));
    }
    for (at, effect) in &story.effects {
        line("ended", &format!("{effect}, at {at}"));
    }
}

fn said(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allow => "allowed",
        Outcome::Notify => "allowed, and you were told",
        Outcome::Ask => "asked",
        Outcome::Deny => "denied",
    }
}

fn style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Allow | Outcome::Notify => GREEN,
        Outcome::Ask => YELLOW,
        Outcome::Deny => RED,
    }
}

fn granted(grant: &Grant) -> String {
    let Grant { id, coverage, scope, .. } = grant;
    let ends = match grant.ends_at {
        Some(end) => format!("until {end}"),
        None => "until its review".to_owned(),
    };
    format!("{id}: {coverage}, for {scope}, {ends}")
}

/// Where a grant came from that answered no question.
fn source(grant: &Grant) -> String {
    format!("by {}, at {}", grant.source, grant.granted_at)
}

fn answer(said: &Said) -> String {
    let answered = &said.answered;
    let mut text = match answered.ending {
        Some(Ending::Approved) => "yes".to_owned(),
        Some(Ending::Declined) => "no".to_owned(),
        Some(Ending::Cancelled) => "cancelled".to_owned(),
        Some(Ending::Expired) => "nobody answered in time".to_owned(),
        None => "in part".to_owned(),
    };
    let mut chosen: Vec<&str> = answered
        .items
        .iter()
        .map(|(_, choice)| *choice)
        .filter(|choice| *choice != Choice::Decline)
        .map(Choice::word)
        .collect();
    chosen.dedup();
    if !chosen.is_empty() {
        text.push_str(&format!(", {}", chosen.join(" and ")));
    }
    if matches!(answered.ending, Some(Ending::Approved | Ending::Declined) | None) {
        text.push_str(", by the operator");
        if let Some(surface) = &answered.surface {
            text.push_str(&format!(" on {surface}"));
        }
    }
    text.push_str(&format!(", at {}", said.at));
    if answered.timing == Timing::Late {
        text.push_str(", too late to count");
    }
    if !answered.note.is_empty() {
        // Words of a person stand in quotes, so that they cannot pass for ours.
        text.push_str(&format!(", saying {}", json!(answered.note)));
    }
    text
}

pub(super) fn json(story: &Story) -> Value {
    let Some(decided) = story.explained() else { return Value::Null };
    let mut all = of_decided(decided);
    if let Value::Object(fields) = &mut all {
        let more = json!({
            "v": 1,
            "id": story.about.text(),
            "what": story.what.words,
            "session": story.what.session,
            "agent": story.what.agent,
            "call": story.what.id(),
            "digest": story.what.call.as_ref().map(|call| call.digest),
            "tool": story.what.call.as_ref().and_then(|call| call.tool.as_ref()),
            "verdicts": decided.decision.verdicts,
            "decisions": story.decisions.iter().map(of_decided).collect::<Vec<_>>(),
            "requests": story.requests.iter().map(|request| json!({
                "id": request.id, "opened_at": request.opened_at.to_string(),
                "ends_at": request.ends_at.to_string(),
            })).collect::<Vec<_>>(),
            "answers": story.answers.iter().map(of_answer).collect::<Vec<_>>(),
            "grants_used": story.used.iter().map(of_known).collect::<Vec<_>>(),
            "grants_given": story.minted.iter().map(of_grant).collect::<Vec<_>>(),
            "effects": story.effects.iter().map(|(at, effect)| {
                json!({"effect": effect, "at": at.to_string()})
            }).collect::<Vec<_>>(),
            "erased": story.erased,
        });
        if let Value::Object(more) = more {
            fields.extend(more);
        }
    }
    all
}

fn of_decided(decided: &Decided) -> Value {
    let Decided { seq, at, decision, given } = decided;
    json!({
        "outcome": decision.outcome,
        "reason": decision.reason,
        "sentence": explain::sentence(decision),
        "nearest": explain::nearest(decision),
        "basis": decision.basis,
        "rules": explain::lines(decision),
        "graph": given.graph,
        "decided_at": at.to_string(),
        "entry": seq,
    })
}

fn of_answer(said: &Said) -> Value {
    let answered = &said.answered;
    let choices: Vec<&str> = answered.items.iter().map(|(_, choice)| choice.word()).collect();
    json!({
        "request": answered.request,
        "answer": answered.ending,
        "choices": choices,
        "note": answered.note,
        "late": answered.timing == Timing::Late,
        "surface": answered.surface,
        "at": said.at.to_string(),
    })
}

fn of_grant(grant: &Grant) -> Value {
    json!({
        "id": grant.id,
        "covers": grant.coverage.to_string(),
        "scope": grant.scope,
        "source": grant.source,
        "granted_at": grant.granted_at.to_string(),
        "ends_at": grant.ends_at.map(|end| end.to_string()),
        "request": grant.request,
    })
}

fn of_known(known: &Known) -> Value {
    let mut grant = of_grant(&known.grant);
    if let Value::Object(fields) = &mut grant {
        fields.insert("answer".to_owned(), known.by.as_ref().map_or(Value::Null, of_answer));
    }
    grant
}
