//! Explains decisions in sentences: what was decided, why, and what would have changed it.
//!
//! Every fact comes from the decision itself; nothing is looked up or evaluated again.

use crate::model::decision::{Basis, Decision, NearestChange, Verdict};
use crate::model::ids::GrantId;
use crate::model::place::Place;
use crate::model::words::{Outcome, Reason, Risk, Tier};

/// How much of an id a sentence shows: as much as lists show.
const SHORT_ID_CHARS: usize = 7;

/// Whom a sentence addresses. What the operator does is "you" for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Sender,
    Operator,
}

/// One sentence for the sender of the call.
pub fn sentence(decision: &Decision) -> String {
    sentence_for(Reader::Sender, decision)
}

/// The same for the operator.
pub fn operator_sentence(decision: &Decision) -> String {
    sentence_for(Reader::Operator, decision)
}

fn sentence_for(reader: Reader, decision: &Decision) -> String {
    let deciding = deciding_verdict(decision);
    let subject = deciding.map_or_else(|| "this".to_owned(), |verdict| verdict.action.to_string());
    let cause = match (decision.reason, &decision.nearest) {
        (Reason::Paused, NearestChange::NewCall) => "the session of this call has ended".to_owned(),
        (reason, _) => explain_reason(reader, reason, &subject, deciding),
    };
    let cause = match deciding.filter(|_| decision.outcome == Outcome::Ask) {
        Some(verdict) => name_place(&verdict.places, cause),
        None => cause,
    };
    match (decision.note.as_str(), reader) {
        ("", _) => cause,
        (note, Reader::Sender) if decision.reason == Reason::DeclinedBefore => {
            format!("{cause}; the operator said: {note}")
        }
        (note, Reader::Operator) if decision.reason == Reason::DeclinedBefore => {
            format!("{cause}; you said: {note}")
        }
        (note, _) => format!("{cause}: {note}"),
    }
}

/// Why one action is asked about, for the operator.
pub fn asked_because(reason: Reason, what: &str, risk: Risk, places: &[Place]) -> String {
    let cause = if reason == Reason::TooRiskyToCarry {
        format!("its grant does not cover {what} at {risk} risk")
    } else {
        explain_reason(Reader::Operator, reason, what, None)
    };
    name_place(places, cause)
}

/// Puts the place that raised the risk in front of a cause.
fn name_place(places: &[Place], cause: String) -> String {
    let Some(place) = places.first() else { return cause };
    let place = match place {
        Place::Secret => "it is a secret",
        Place::WriteGuarded => "it is a file that runs by itself",
        Place::WriteOutside | Place::ReadOutside => "it lies outside of the workspace",
    };
    format!("{place}, and {cause}")
}

/// What would have changed the outcome, in one sentence.
pub fn nearest(decision: &Decision) -> String {
    explain_nearest(&decision.nearest)
}

/// One line for each action, with its outcome, reason and basis.
pub fn lines(decision: &Decision) -> Vec<String> {
    if decision.verdicts.is_empty() {
        let Decision { outcome, reason, .. } = decision;
        return vec![format!("{outcome} {reason}: {}", sentence(decision))];
    }
    let mut lines: Vec<_> = decision.verdicts.iter().map(verdict_line).collect();
    let (outcome, reason) = (decision.outcome, decision.reason);
    if !decision.verdicts.iter().any(|v| (v.outcome, v.reason) == (outcome, reason)) {
        lines.push(format!("{outcome} {reason}: {}", sentence(decision)));
    }
    lines
}

fn verdict_line(verdict: &Verdict) -> String {
    let Verdict { action, outcome, reason, risk, .. } = verdict;
    let tier = verdict.tier.map_or("unclassified", Tier::word);
    let basis = match &verdict.basis {
        Basis::Grants(ids) => {
            let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
            format!(", by {}", ids.join(" + "))
        }
        Basis::Policies(ids) => format!(", by policy {}", ids.join(" + ")),
        Basis::NotEvaluated(why) => format!(", policies not evaluated: {why}"),
        Basis::Commands(rules) => format!(", by command rule: {}", rules.join("; ")),
        Basis::Dangers(dangers) => format!(", because it {}", dangers.join(" and ")),
        Basis::Target(what) => format!(", because of its target: {what}"),
        Basis::RunFiles(files) => format!(", because {} changed", files.join(" and ")),
        Basis::Gesture(id) => format!(", by {id}"),
        Basis::Parent(id) => format!(", inside {id}"),
        Basis::Reducer(caller) => format!(", inside {caller}"),
        Basis::Layer => ", by the rules of this repository".to_owned(),
        Basis::Call
        | Basis::Rule
        | Basis::NoRule
        | Basis::Decline
        | Basis::Record
        | Basis::Surface => String::new(),
    };
    format!("{outcome} {reason}: {action} ({tier}, risk {risk}{basis})")
}

pub(crate) fn deciding_verdict(decision: &Decision) -> Option<&Verdict> {
    decision
        .verdicts
        .iter()
        .find(|verdict| (verdict.outcome, verdict.reason) == (decision.outcome, decision.reason))
        .or_else(|| decision.verdicts.iter().find(|verdict| verdict.outcome == Outcome::Ask))
}

fn explain_reason(reader: Reader, reason: Reason, what: &str, verdict: Option<&Verdict>) -> String {
    if let Some(sentence) = explain_layer(reason, what, verdict) {
        return sentence;
    }
    let (you, your) = match reader {
        Reader::Sender => ("the operator", "the operator's"),
        Reader::Operator => ("you", "your"),
    };
    let risk = verdict.map_or("", |verdict| verdict.risk.word());
    match reason {
        Reason::Malformed => "the call is malformed".into(),
        Reason::NoGraph => "no consent graph is loaded, so nothing is allowed".into(),
        Reason::Paused => format!("{you} paused this agent"),
        Reason::Blocked => match verdict.map(|verdict| &verdict.basis) {
            Some(Basis::Dangers(dangers)) => {
                format!("this line {}; the graph blocks that ({what})", dangers.join(" and "))
            }
            _ => format!("{what} is blocked by {}", describe_blocker(verdict)),
        },
        Reason::SelfProtection => describe_protection(verdict),
        Reason::ChannelRequired => format!("{what} is accepted only over the trusted channel"),
        Reason::DiffMissing => format!("{what} needs a proposal with a diff"),
        Reason::UndoMissing => format!("{what} needs a proposal with an undo plan"),
        Reason::Cooling => format!("{what} is still cooling"),
        Reason::DeclinedBefore => format!("{you} declined this"),
        Reason::Granted => format!("{you} allowed this{}", name_grants(verdict)),
        Reason::Gesture => format!("{your} own gesture covers {what}"),
        Reason::DryRun => format!("this turn is a dry run, and {what} is more than reading"),
        Reason::FanOut => "this event has gone to another destination already".into(),
        Reason::ToolChanged => "the tool is not what it was when it was approved".into(),
        Reason::UnresolvedPath => {
            format!("where the target of {what} leads is unknown{}", describe_target(verdict))
        }
        Reason::PreviouslyDeclined => format!("{you} declined {what} for this target before"),
        Reason::Unclassified => format!("the graph does not list {what}"),
        Reason::Individual => format!("{what} is asked one by one in this workflow"),
        Reason::ChangedBeforeRun => describe_changed_files(verdict),
        Reason::AlwaysAsk => format!("{what} is always asked"),
        Reason::TooRiskyToCarry if risk.is_empty() => {
            "it is riskier now than when it was shown".into()
        }
        Reason::TooRiskyToCarry => format!("its grant does not cover {what} at {risk} risk"),
        Reason::NoGrant => match reader {
            Reader::Sender => format!("the operator hasn't allowed {what} yet"),
            Reader::Operator => format!("you haven't allowed {what} yet"),
        },
        Reason::Nested => format!("the running call around it was approved and declared {what}"),
        Reason::Reduced => format!("its caller lowers {what} to {risk} risk"),
        Reason::Autonomous => format!("{your} {} it", name_rule(verdict)),
        Reason::ReadOnly => format!("{what} only reads"),
        Reason::Idle => format!("nobody is at work, and {what} is low risk and can be undone"),
        Reason::Plan => format!("the accepted plan covers {what}"),
        Reason::Visible => {
            format!("confidence is high enough for {what}; {you} will see a notice")
        }
        Reason::Decayed => format!("the permission for {what} is due for review"),
        Reason::Expired => format!("the consent for {what} has ended"),
        Reason::NoOperator => "this needs a person, and none can be reached".into(),
        Reason::TooManyAsks => "the running call raised too many questions".into(),
        Reason::TooManyOpen => "too many questions are open".into(),
        Reason::Bypassed => "everything that the workflow declares is low risk".into(),
        Reason::AlreadyDone => "this call is already done".into(),
        Reason::Running => "this call is still running".into(),
        Reason::Stopped => format!("{you} stopped this"),
        Reason::Cancelled => "this call was cancelled; make a new one to ask again".into(),
        Reason::UnknownEffect => "it may have happened already, so a person checks first".into(),
    }
}

/// What the rules of a repository say, where they decide. What they block and allow is explained as for
/// any other rule.
fn explain_layer(reason: Reason, what: &str, verdict: Option<&Verdict>) -> Option<String> {
    verdict.filter(|verdict| verdict.basis == Basis::Layer)?;
    let sentences = [
        (Reason::AlwaysAsk, "cannot be read, so everything asks".to_owned()),
        (Reason::NoGrant, format!("ask about {what}")),
        (Reason::ChannelRequired, format!("accept {what} only over the trusted channel")),
        (Reason::DiffMissing, format!("want a proposal with a diff for {what}")),
        (Reason::UndoMissing, format!("want a proposal with an undo plan for {what}")),
    ];
    let (_, says) = sentences.into_iter().find(|(explained, _)| *explained == reason)?;
    Some(format!("the rules of this repository {says}"))
}

/// The grants that a verdict rests on, by the start of their ids.
fn name_grants(verdict: Option<&Verdict>) -> String {
    let Some(Basis::Grants(ids)) = verdict.map(|verdict| &verdict.basis) else {
        return String::new();
    };
    let short = |id: &GrantId| id.to_string().chars().take(SHORT_ID_CHARS).collect::<String>();
    let ids: Vec<String> = ids.iter().map(short).collect();
    format!(" (grant {})", ids.join(" and "))
}

/// The rules that allow something: the command rules by name, if those decide.
fn name_rule(verdict: Option<&Verdict>) -> String {
    match verdict.map(|verdict| &verdict.basis) {
        Some(Basis::Commands(rules)) => format!("rule `{}` allows", rules.join("; ")),
        Some(Basis::Policies(ids)) => format!("policy {} allows", ids.join(" and ")),
        Some(Basis::Layer) => "trusted rules of this repository allow".to_owned(),
        _ => "rules allow".to_owned(),
    }
}

fn describe_target(verdict: Option<&Verdict>) -> String {
    if let Some(Basis::Target(why)) = verdict.map(|verdict| &verdict.basis) {
        return format!(": {why}");
    }
    String::new()
}

/// Files that decide what a line executes, by name where they are known.
fn describe_changed_files(verdict: Option<&Verdict>) -> String {
    match verdict.map(|verdict| &verdict.basis) {
        Some(Basis::RunFiles(files)) if !files.is_empty() => {
            format!("what this line executes has changed in {}", files.join(" and "))
        }
        _ => "a file that decides what this line executes has changed".to_owned(),
    }
}

/// The part of the graph that blocks it: one name, not the whole policy.
fn describe_blocker(verdict: Option<&Verdict>) -> String {
    let first = |names: &[String]| names.first().cloned();
    let named = verdict.and_then(|verdict| match &verdict.basis {
        Basis::Policies(ids) => first(ids).map(|id| format!("policy {id}")),
        Basis::NotEvaluated(why) => Some(format!("a policy that cannot be evaluated: {why}")),
        Basis::Commands(whys) => first(whys).map(|why| format!("the command rules: {why}")),
        Basis::Layer => Some("the rules of this repository".to_owned()),
        Basis::Call
        | Basis::Rule
        | Basis::Dangers(_)
        | Basis::Target(_)
        | Basis::RunFiles(_)
        | Basis::NoRule
        | Basis::Grants(_)
        | Basis::Gesture(_)
        | Basis::Parent(_)
        | Basis::Reducer(_)
        | Basis::Decline
        | Basis::Record
        | Basis::Surface => None,
    });
    named.unwrap_or_else(|| "the graph".to_owned())
}

/// A command line says itself what it reaches for.
fn describe_protection(verdict: Option<&Verdict>) -> String {
    match verdict.map(|verdict| &verdict.basis) {
        Some(Basis::Commands(whys)) if !whys.is_empty() => {
            format!("agents cannot run this: {}", whys.join("; "))
        }
        _ => "Countersign's own files are out of reach for agents".to_owned(),
    }
}

fn explain_nearest(nearest: &NearestChange) -> String {
    match nearest {
        NearestChange::Answer => "your yes to this request would allow it".into(),
        NearestChange::Tier => "another tier for the action in the graph would change it".into(),
        NearestChange::Command => {
            "another command, or another command rule, would change it".into()
        }
        NearestChange::Classify => "listing the action in the graph would change it".into(),
        NearestChange::Review => "a review of the graph (`graph review`) would restore it".into(),
        NearestChange::TrustedChannel => {
            "the same over the trusted channel would be considered".into()
        }
        NearestChange::Proposal => {
            "a proposal with a diff and an undo plan would be considered".into()
        }
        NearestChange::Resume => "resuming the agent would change it".into(),
        NearestChange::GoOn => {
            "your next message there that does not stop or take back anything, or `countersign \
             resume`, would let it go on"
                .into()
        }
        NearestChange::WellFormed => "a well-formed call would be considered".into(),
        NearestChange::After(time) => format!("after {time} it would ask again"),
        NearestChange::Operator => "if somebody could be reached, it would ask".into(),
        NearestChange::Confidence(least) => {
            format!("below a confidence of {least} it would have asked")
        }
        NearestChange::WithoutGrants => "without the grant it would have asked".into(),
        NearestChange::Later => "once that is over it asks again".into(),
        NearestChange::RiskAbove(risk) => format!("above {risk} risk it would have asked"),
        NearestChange::Presence => "if you were at work, it would have asked".into(),
        NearestChange::NewCall => "a new call: the session of this one has ended".into(),
        NearestChange::Room => "answering open questions would make room for this one".into(),
        NearestChange::Finish => "finishing the running call first would change it".into(),
    }
}
