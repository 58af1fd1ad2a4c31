//! Standing commands: granted and revoked in the conversation, and carried over to a new session.

use crate::listing::{render_command, standing_commands};
use crate::text::count;
use crate::{Analyse, ProcessedTurn};
use countersign_core::decide::admission::{Submission, admit};
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::category::Category;
use countersign_core::model::change::Change;
use countersign_core::model::command::Command;
use countersign_core::model::grant::{Confirmation, Coverage, Grant, Holder, Scope};
use countersign_core::model::ids::GrantId;
use countersign_core::model::limits;
use countersign_core::model::names::{Action, SessionKey};
use countersign_core::model::request::Subject;
use countersign_core::model::turn::{Speaker, TurnResult};
use countersign_core::model::words::{Choice, Risk};
use countersign_core::steps::lift_declines::lift_declines;
use countersign_core::steps::open_request::{NewRequest, item_without_action, request_opened};
use countersign_core::steps::revoke::{Revoke, revoke_grants};
use countersign_core::steps::settle::create_direct_grant;

pub(super) fn grant_commands(
    facts: &Facts,
    session: &SessionKey,
    commands: &[String],
    analyse: Analyse,
) -> ProcessedTurn {
    let Some(open) = facts.state.open_session(session, facts.now) else {
        return ProcessedTurn::nothing();
    };
    let holder = Holder { session, agent: &open.agent, project: open.project.as_ref() };
    let (mut lines, mut changes) = (Vec::new(), Vec::new());
    for text in commands {
        match standing_command(text, analyse) {
            Some(mut coverage) => {
                coverage.redact(facts.key);
                let terms = (Scope::Session, None, Confirmation::Plain);
                let (grant, _) = create_direct_grant(facts, &holder, coverage, terms);
                lines.push(format!("Granted standing consent for: {}", render_command(&grant)));
                let lifting = lift_declines(facts, session, &grant.coverage, grant.scope);
                changes.push(Change::GrantMinted { grant: Box::new(grant) });
                changes.extend(lifting.changes);
                lines.extend(lifting.line);
            }
            None => lines.push(format!(
                "Not granted: `{text}` is not a plain literal command; name the exact command"
            )),
        }
    }
    if !changes.is_empty() && open.project.is_none() {
        lines.push(
            "This session has no workspace, so that covers only calls that name no folder".into(),
        );
    }
    let heard = if changes.is_empty() { TurnResult::Nothing } else { TurnResult::Granted };
    ProcessedTurn::new(heard, lines, changes)
}

/// Parses a standing command. It may leave single arguments open, written `<name>`, but never the
/// program, a subcommand or an option.
pub fn standing_command(text: &str, analyse: Analyse) -> Option<Coverage> {
    let filled: Vec<String> = text
        .split_whitespace()
        .map(|word| {
            if countersign_core::model::command::is_open_argument(word) {
                "x".to_owned()
            } else {
                word.to_owned()
            }
        })
        .collect();
    let Command::Plain { argv, cwd } = analyse(&filled.join(" ")).command else { return None };
    let words: Vec<&str> = text.split_whitespace().collect();
    let open = |at: usize| {
        words.get(at).is_some_and(|word| countersign_core::model::command::is_open_argument(word))
    };
    // A program named by its path is treated as a script, which has no subcommands.
    let is_script = words.first().is_some_and(|program| program.contains('/'));
    if argv.len() != words.len() || open(0) || (open(1) && !is_script) {
        return None;
    }
    let left_open = |(word, argument): (&&str, String)| {
        if countersign_core::model::command::is_open_argument(word) {
            (*word).to_owned()
        } else {
            argument
        }
    };
    Some(Coverage::Command {
        argv: words.iter().zip(argv).map(left_open).collect(),
        cwd,
        action: None,
    })
}

pub(super) fn revoke_named(
    facts: &Facts,
    session: &SessionKey,
    names: &[String],
    by: Speaker,
    analyse: Analyse,
) -> ProcessedTurn {
    let mut changes = Vec::new();
    for name in names {
        for what in possible_meanings(name, analyse) {
            changes.extend(revoke_grants(facts, session, &what, by));
        }
    }
    ProcessedTurn::new(TurnResult::Revoked, describe_remaining(facts, session, &changes), changes)
}

pub(super) fn revoke_all(facts: &Facts, session: &SessionKey, by: Speaker) -> ProcessedTurn {
    let changes = revoke_grants(facts, session, &Revoke::All, by);
    ProcessedTurn::new(TurnResult::Revoked, describe_remaining(facts, session, &changes), changes)
}

/// Everything that a name could mean: a command, an action, a category, or the id of a grant.
fn possible_meanings(name: &str, analyse: Analyse) -> Vec<Revoke> {
    let mut meanings = Vec::new();
    if let Some(Coverage::Command { argv, .. }) = standing_command(name, analyse) {
        meanings.push(Revoke::Command(argv));
    }
    meanings.extend(Action::parse(name).map(Revoke::Action));
    meanings.extend(Category::parse(name).map(Revoke::Category));
    meanings.extend(GrantId::parse(name).map(|id| Revoke::Grants(vec![id])));
    meanings
}

/// The reply to a revocation, with the standing commands that remain.
fn describe_remaining(facts: &Facts, session: &SessionKey, changes: &[Change]) -> Vec<String> {
    let gone = |id: GrantId| {
        changes
            .iter()
            .any(|change| matches!(change, Change::GrantRevoked { grant, .. } if *grant == id))
    };
    let is_given = |grant: &&Grant| gone(grant.id) && !grant.is_program_pin();
    let revoked = count(facts.state.grants.iter().filter(is_given).count(), "grant");
    let left: Vec<String> = standing_commands(facts, session)
        .filter(|grant| !gone(grant.id))
        .map(render_command)
        .collect();
    let left = if left.is_empty() { "none".to_owned() } else { left.join(", ") };
    vec![format!("Revoked {revoked}; standing commands that remain: {left}")]
}

/// An agent says that the operator granted standing commands: asks the operator about each.
pub(super) fn ask_about_reported(
    facts: &Facts,
    session: &SessionKey,
    commands: &[String],
    analyse: Analyse,
) -> ProcessedTurn {
    let coverages = commands.iter().filter_map(|text| standing_command(text, analyse));
    let questions = coverages.filter_map(|mut coverage| {
        coverage.redact(facts.key);
        ask_about_command(facts, session, coverage)
    });
    let mut changes: Vec<Change> = questions.collect();
    let room = facts.remaining_questions(session);
    let refused = changes.len().saturating_sub(room);
    changes.truncate(room);
    let mut lines =
        vec![format!("{} standing commands wait for the operator's answer", changes.len())];
    if refused > 0 {
        lines.push(format!("Not asked about {refused} more: too many questions are open"));
    }
    ProcessedTurn::new(TurnResult::Nothing, lines, changes)
}

/// At a change of context, opens a request in the new session for each standing command, as long as
/// there is room.
pub fn hand_over(facts: &Facts, from: &SessionKey, to: &SessionKey) -> Vec<Change> {
    let commands = standing_commands(facts, from).map(|grant| grant.coverage.clone());
    let questions = commands.filter_map(|coverage| ask_about_command(facts, to, coverage));
    questions.take(facts.remaining_questions(to)).collect()
}

/// The question about the hand-over, in one line.
pub fn carried_over(facts: &Facts, from: &SessionKey) -> String {
    let commands: Vec<_> = standing_commands(facts, from).map(render_command).collect();
    format!("Save session allowlist for next context? {}", commands.join(", "))
}

fn ask_about_command(facts: &Facts, session: &SessionKey, coverage: Coverage) -> Option<Change> {
    let form = serde_json::to_value(&coverage).ok()?;
    let digest = Digest::hash_value("countersign/standing/v1", &form).ok()?.keyed(facts.key);
    let question = ReportedGrant {
        subject: Subject::Standing(coverage),
        digest,
        lasting: digest,
        risk: Risk::High,
        choice: Choice::Session,
    };
    ask_operator(facts, session, question)
}

/// Consent that an agent says the operator gave.
pub(super) struct ReportedGrant {
    pub subject: Subject,
    pub digest: Digest,
    pub lasting: Digest,
    pub risk: Risk,
    pub choice: Choice,
}

/// Asks the operator about consent that an agent reports: not while the same question is open, not
/// shortly after a decline, and not for a paused agent.
pub(super) fn ask_operator(
    facts: &Facts,
    session: &SessionKey,
    question: ReportedGrant,
) -> Option<Change> {
    let open = facts.state.open_session(session, facts.now)?;
    let is_asked =
        facts.state.open_requests_about(session, &question.digest, facts.now).next().is_some();
    let submission =
        Submission { session, agent: &open.agent, decline_digest: Some(&question.lasting) };
    if is_asked || admit(facts, &submission).is_err() {
        return None;
    }
    let request = NewRequest {
        holder: Holder { session, agent: &open.agent, project: open.project.as_ref() },
        subject: question.subject,
        digest: question.digest,
        lasting: question.lasting,
        items: vec![item_without_action(question.risk, vec![question.choice, Choice::Decline])],
        programs: Vec::new(),
        open_for: limits::REQUEST_OPEN,
    };
    Some(request_opened(request.open(facts)))
}
