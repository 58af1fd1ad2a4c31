//! `inspect --permissions`: one row for each question and each grant that followed from it.

use super::entries;
use super::question::{Claims, Question, Words, joined, scope};
use crate::args::InspectArgs;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ledger::Seen;
use crate::out;
use crate::page::{BOLD, GREEN, NONE, Page, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
use countersign_core::model::change::{Change, Timing};
use countersign_core::model::grant::{Grant, GrantState};
use countersign_core::model::ids::GrantId;
use countersign_core::model::request::Request;
use countersign_core::model::time::Time;
use countersign_core::model::words::Ending;
use countersign_core::state::State;
use countersign_engine::Clock;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn permissions(args: &InspectArgs, settings: &Settings) -> Result<Exit, Failure> {
    let mut found = Permissions::default();
    let mut state = State::empty();
    entries(args, settings, |seen| {
        found.hear(seen);
        state.apply(seen.at, &seen.change);
        Ok(())
    })?;
    let now = SystemClock.now();
    if args.json {
        let rows: Vec<Value> = found.rows.iter().map(|row| found.json(row, &state, now)).collect();
        out::show_json(&json!({"v": 1, "permissions": rows}))?;
    } else {
        out::show(&found.page(&state, now))?;
    }
    Ok(Exit::Allowed)
}

#[derive(Default)]
struct Permissions {
    rows: Vec<Row>,
    /// Which row has an id.
    places: BTreeMap<String, usize>,
    claims: Claims,
    /// When a grant ended or was revoked.
    over: BTreeMap<GrantId, Time>,
}

/// A question with its answer and the grants from it; or a grant that nobody asked for.
struct Row {
    id: String,
    session: String,
    asked: Option<(Question, Time)>,
    answer: Option<Answer>,
    grants: Vec<GrantId>,
}

struct Answer {
    ending: Ending,
    at: Time,
    note: String,
}

impl Permissions {
    fn hear(&mut self, seen: &Seen) {
        self.claims.hear(&seen.change);
        match &seen.change {
            Change::RequestOpened { request } => self.opened(request, seen.at),
            Change::RequestAnswered { answered } => {
                if let (Some(ending), Timing::InTime) = (answered.ending, answered.timing)
                    && let Some(row) = self.row(&answered.request.to_string())
                {
                    row.answer = Some(Answer { ending, at: seen.at, note: answered.note.clone() });
                }
            }
            Change::GrantMinted { grant } => self.minted(grant),
            Change::GrantRevoked { grant } | Change::GrantEnded { grant, .. } => {
                self.over.entry(*grant).or_insert(seen.at);
            }
            _ => {}
        }
    }

    fn row(&mut self, id: &str) -> Option<&mut Row> {
        self.places.get(id).and_then(|at| self.rows.get_mut(*at))
    }

    fn add(&mut self, row: Row) {
        self.places.insert(row.id.clone(), self.rows.len());
        self.rows.push(row);
    }

    fn opened(&mut self, request: &Request, at: Time) {
        let (id, session) = (request.id.to_string(), request.session.to_string());
        let asked = Some((self.claims.question(request), at));
        self.add(Row { id, session, asked, answer: None, grants: Vec::new() });
    }

    fn minted(&mut self, grant: &Grant) {
        let id = joined(grant);
        match self.row(&id) {
            Some(row) => row.grants.push(grant.id),
            None => {
                let (session, grants) = (grant.made_in.to_string(), vec![grant.id]);
                self.add(Row { id, session, asked: None, answer: None, grants });
            }
        }
    }

    fn page(&self, state: &State, now: Time) -> Page {
        let mut page = Page::new();
        let headings = ["ID", "SESSION", "ASKED", "ANSWER", "GRANT", "SCOPE", "USES", "END"];
        let rows: Vec<Vec<Cell>> =
            self.rows.iter().flat_map(|row| self.cells(row, state, now)).collect();
        table::draw(&mut page, &headings, &rows);
        page
    }

    fn cells(&self, row: &Row, state: &State, now: Time) -> Vec<Vec<Cell>> {
        // What an agent wrote stands in quotes, so that it cannot pass for columns of ours.
        let asked =
            row.asked.as_ref().map_or("not asked".to_owned(), |(asked, _)| match asked.by {
                Words::Agents => json!(asked.action).to_string(),
                Words::Ours => asked.action.clone(),
            });
        let (style, answer) = match &row.answer {
            Some(answer) if answer.ending == Ending::Approved => (GREEN, answer.ending.word()),
            Some(answer) => (YELLOW, answer.ending.word()),
            None if row.asked.is_some() => (NONE, "open"),
            None => (NONE, "-"),
        };
        let head = || {
            vec![
                Cell::styled(BOLD, row.id.as_str()),
                Cell::new(row.session.as_str()),
                Cell::new(asked.as_str()),
                Cell::styled(style, answer),
            ]
        };
        let known: Vec<&Grant> = row.grants.iter().filter_map(|id| state.grants.get(*id)).collect();
        if known.is_empty() {
            let none = || Cell::new("");
            return vec![head().into_iter().chain([none(), none(), none(), none()]).collect()];
        }
        let cells = |grant: &&Grant| {
            let grant = [
                Cell::new(grant.coverage.to_string()),
                Cell::new(grant.scope.word()),
                Cell::new(grant.uses.to_string()),
                Cell::new(self.end(grant, now)),
            ];
            head().into_iter().chain(grant).collect()
        };
        known.iter().map(cells).collect()
    }

    fn end(&self, grant: &Grant, now: Time) -> String {
        let when = self.over.get(&grant.id).map_or_else(String::new, |at| format!(" {at}"));
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

    fn json(&self, row: &Row, state: &State, now: Time) -> Value {
        let grants = row.grants.iter().filter_map(|id| state.grants.get(*id)).map(|grant| {
            json!({
                "grant": grant.id,
                "covers": grant.coverage.to_string(),
                "scope": grant.scope,
                "source": grant.source,
                "uses": grant.uses,
                "end": self.end(grant, now),
            })
        });
        let asked = row.asked.as_ref();
        json!({
            "grant_id": row.id,
            "session": row.session,
            "action": asked.map(|(asked, _)| &asked.action),
            "category": asked.and_then(|(asked, _)| asked.category.as_ref()),
            "scope_requested": asked.map(|(asked, _)| asked.scope),
            "requested_at": asked.map(|(_, at)| at.to_string()),
            "answer": row.answer.as_ref().map(|answer| answer.ending.word()),
            "answered_at": row.answer.as_ref().map(|answer| answer.at.to_string()),
            "operator_note": row.answer.as_ref().map(|answer| &answer.note),
            "scope_granted": row.grants.iter().find_map(|id| state.grants.get(*id))
                .map(|grant| scope(grant.scope)),
            "grants": grants.collect::<Vec<_>>(),
        })
    }
}
