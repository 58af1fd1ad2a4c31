//! `inspect --permissions`: one row for each question and each grant that it led to.

use super::question::{CallClaims, PermissionQuestion, QuestionAuthor, scope_word, shared_id};
use super::{InspectArgs, visit_entries};
use crate::entries::ParsedEntry;
use crate::entry_text::describe_grant_words;
use crate::record::ReportContext;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, GREEN, NONE, Page, YELLOW, out};
use countersign_core::model::change::{Change, Timing};
use countersign_core::model::grant::{Grant, GrantState};
use countersign_core::model::ids::GrantId;
use countersign_core::model::request::Request;
use countersign_core::model::time::Time;
use countersign_core::model::words::Ending;
use countersign_core::state::State;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn permissions(args: &InspectArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let mut table = PermissionTable::default();
    let mut state = State::empty();
    visit_entries(args, context, |parsed| {
        table.add_entry(parsed);
        state.apply(parsed.at, &parsed.change);
        Ok(())
    })?;
    let now = context.now();
    if args.json {
        let rows: Vec<Value> =
            table.rows.iter().map(|row| table.to_json(row, &state, now)).collect();
        out::show_json(&json!({"v": 1, "permissions": rows}))?;
    } else {
        out::show(&table.draw(&state, now))?;
    }
    Ok(Exit::Allowed)
}

#[derive(Default)]
struct PermissionTable {
    rows: Vec<PermissionRow>,
    /// The index of the row with an id.
    indexes: BTreeMap<String, usize>,
    claims: CallClaims,
    /// When a grant ended or was revoked.
    ended_at: BTreeMap<GrantId, Time>,
}

/// A question with its answer and its grants, or a grant without a question.
struct PermissionRow {
    id: String,
    session: String,
    question: Option<(PermissionQuestion, Time)>,
    answer: Option<PermissionAnswer>,
    grants: Vec<GrantId>,
}

impl PermissionRow {
    /// The id that the agent was told.
    fn joined_id(&self) -> String {
        self.grants.first().map_or_else(|| self.id.clone(), ToString::to_string)
    }
}

struct PermissionAnswer {
    ending: Ending,
    at: Time,
    note: String,
}

impl PermissionTable {
    fn add_entry(&mut self, parsed: &ParsedEntry) {
        self.claims.add_change(&parsed.change);
        match &parsed.change {
            Change::RequestOpened { request } => self.add_question(request, parsed.at),
            Change::RequestAnswered { answered } => {
                if let (Some(ending), Timing::InTime) = (answered.ending, answered.timing)
                    && let Some(row) = self.row(&answered.request.to_string())
                {
                    row.answer = Some(PermissionAnswer {
                        ending,
                        at: parsed.at,
                        note: answered.note.clone(),
                    });
                }
            }
            Change::GrantMinted { grant } => self.add_grant(grant),
            Change::GrantRevoked { grant, .. } | Change::GrantEnded { grant, .. } => {
                self.ended_at.entry(*grant).or_insert(parsed.at);
            }
            _ => {}
        }
    }

    fn row(&mut self, id: &str) -> Option<&mut PermissionRow> {
        self.indexes.get(id).and_then(|index| self.rows.get_mut(*index))
    }

    fn add_row(&mut self, row: PermissionRow) {
        self.indexes.insert(row.id.clone(), self.rows.len());
        self.rows.push(row);
    }

    fn add_question(&mut self, request: &Request, at: Time) {
        let (id, session) = (request.id.to_string(), request.session.name().to_owned());
        let question = Some((self.claims.question(request), at));
        self.add_row(PermissionRow { id, session, question, answer: None, grants: Vec::new() });
    }

    fn add_grant(&mut self, grant: &Grant) {
        let id = shared_id(grant);
        match self.row(&id) {
            Some(row) => row.grants.push(grant.id),
            None => {
                let (session, grants) = (grant.made_in.name().to_owned(), vec![grant.id]);
                self.add_row(PermissionRow { id, session, question: None, answer: None, grants });
            }
        }
    }

    fn draw(&self, state: &State, now: Time) -> Page {
        let mut page = Page::new();
        let headings =
            ["ID", "SESSION", "ASKED", "ANSWER", "GRANT", "SCOPE", "TURN", "USES", "END"];
        let rows: Vec<Vec<TableCell>> =
            self.rows.iter().flat_map(|row| self.cells(row, state, now)).collect();
        table::draw(&mut page, &headings, &rows);
        for (session, action, count) in self.list_habits() {
            page.text(&format!("session {session}, {action}: asked {count} times, always yes"));
            page.end();
        }
        page
    }

    /// What a session was asked at least three times and always allowed.
    fn list_habits(&self) -> Vec<(&str, &str, usize)> {
        let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
        for row in &self.rows {
            let Some((question, _)) = &row.question else { continue };
            let Some(answer) = &row.answer else { continue };
            if question.author == QuestionAuthor::Agent {
                continue;
            }
            let (yes, no) =
                counts.entry((row.session.as_str(), question.action.as_str())).or_default();
            match answer.ending {
                Ending::Approved => *yes += 1,
                Ending::Declined => *no += 1,
                Ending::Cancelled | Ending::Expired => {}
            }
        }
        let habits = counts.into_iter().filter(|(_, (yes, no))| *yes >= 3 && *no == 0);
        habits.map(|((session, action), (yes, _))| (session, action, yes)).collect()
    }

    fn cells(&self, row: &PermissionRow, state: &State, now: Time) -> Vec<Vec<TableCell>> {
        // The agent's text is quoted, so that it cannot look like other columns.
        let asked = match &row.question {
            None => "not asked".to_owned(),
            Some((question, _)) => match question.author {
                QuestionAuthor::Agent => json!(question.action).to_string(),
                QuestionAuthor::Countersign => question.action.clone(),
            },
        };
        let (style, answer) = match &row.answer {
            Some(answer) if answer.ending == Ending::Approved => (GREEN, answer.ending.word()),
            Some(answer) => (YELLOW, answer.ending.word()),
            None if row.question.is_some() => (NONE, "open"),
            None => (NONE, "-"),
        };
        let head = || {
            vec![
                TableCell::styled(BOLD, row.joined_id()),
                TableCell::new(row.session.as_str()),
                TableCell::new(asked.as_str()),
                TableCell::styled(style, answer),
            ]
        };
        let grants: Vec<&Grant> =
            row.grants.iter().filter_map(|id| state.grants.get(*id)).collect();
        if grants.is_empty() {
            let empty = [(); 5].map(|()| TableCell::new(""));
            return vec![head().into_iter().chain(empty).collect()];
        }
        let cells = |grant: &&Grant| {
            let grant = [
                TableCell::new(describe_grant_words(grant)),
                TableCell::new(grant.scope.word()),
                TableCell::new(grant.granted_turn.to_string()),
                TableCell::new(grant.uses.to_string()),
                TableCell::new(self.describe_end(grant, now)),
            ];
            head().into_iter().chain(grant).collect()
        };
        grants.iter().map(cells).collect()
    }

    fn describe_end(&self, grant: &Grant, now: Time) -> String {
        let when = self.ended_at.get(&grant.id).map_or_else(String::new, |at| format!(" {at}"));
        match &grant.state {
            GrantState::Live | GrantState::Released { .. } => match grant.ends_at {
                Some(end) if end <= now => format!("ended {end}"),
                Some(end) => format!("live until {end}"),
                None => format!("live, reviewed {}", grant.reviewed_at.date()),
            },
            GrantState::Reserved { .. } => "in use".to_owned(),
            GrantState::Spent => "used up".to_owned(),
            GrantState::Ended => format!("ended{when}"),
            GrantState::Revoked => format!("revoked{when}"),
        }
    }

    fn to_json(&self, row: &PermissionRow, state: &State, now: Time) -> Value {
        let grants = row.grants.iter().filter_map(|id| state.grants.get(*id)).map(|grant| {
            json!({
                "grant": grant.id,
                "covers": describe_grant_words(grant),
                "scope": grant.scope,
                "source": grant.source,
                "granted_turn": grant.granted_turn,
                "uses": grant.uses,
                "end": self.describe_end(grant, now),
            })
        });
        let question = row.question.as_ref();
        json!({
            "grant_id": row.joined_id(),
            "request": question.map(|_| &row.id),
            "session": row.session,
            "action": question.map(|(question, _)| &question.action),
            "category": question.and_then(|(question, _)| question.category.as_ref()),
            "scope_requested": question.map(|(question, _)| question.scope),
            "requested_at": question.map(|(_, at)| at.to_string()),
            "answer": row.answer.as_ref().map(|answer| answer.ending.word()),
            "answered_at": row.answer.as_ref().map(|answer| answer.at.to_string()),
            "operator_note": row.answer.as_ref().map(|answer| &answer.note),
            "scope_granted": row.grants.iter().find_map(|id| state.grants.get(*id))
                .map(|grant| scope_word(grant.scope)),
            "grants": grants.collect::<Vec<_>>(),
        })
    }
}
