//! `inspect --trace`: permissions as the five events of PermissionBridge.

use super::question::{CallClaims, JoinedIds, scope_word};
use super::{InspectArgs, visit_entries};
use crate::entries::ParsedEntry;
use crate::entry_text::describe_grant_words;
use crate::record::ReportContext;
use countersign_console::{BOLD, CYAN, DIM, Exit, Failure, Page, out};
use countersign_core::model::change::{Answered, Change, Timing};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::time::Time;
use countersign_core::model::words::Ending;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The length of the longest event name.
const NAME_WIDTH: usize = 25;

pub(super) fn trace(args: &InspectArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let mut builder = TraceBuilder::default();
    visit_entries(args, context, |parsed| {
        builder.joined.add_change(&parsed.change);
        Ok(())
    })?;
    visit_entries(args, context, |parsed| {
        if let Some(event) = builder.add_entry(parsed) {
            if args.json {
                out::show_json(&event.to_json(parsed))?;
            } else {
                out::show(&event.draw(parsed.at))?;
            }
        }
        Ok(())
    })?;
    Ok(Exit::Allowed)
}

struct TraceEvent {
    name: &'static str,
    id: String,
    /// The name of the field with the time.
    time_field: &'static str,
    fields: Vec<(&'static str, Value)>,
}

impl TraceEvent {
    fn new(name: &'static str, id: String, fields: Vec<(&'static str, Value)>) -> Self {
        Self { name, id, time_field: "at", fields }
    }

    fn to_json(&self, parsed: &ParsedEntry) -> Value {
        let mut event = json!({"event": self.name, "grant_id": self.id});
        if let Some(object) = event.as_object_mut() {
            let fields =
                self.fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
            object.extend(fields);
            object.insert(self.time_field.to_owned(), json!(parsed.at.to_string()));
            object.insert(
                "session".to_owned(),
                json!(parsed.about.session.as_ref().map(SessionKey::name)),
            );
            object.insert("seq".to_owned(), json!(parsed.entry.seq));
        }
        event
    }

    fn draw(&self, at: Time) -> Page {
        let mut page = Page::new();
        page.text(&at.to_string()).text("  ").styled(CYAN, &format!("{:<NAME_WIDTH$}", self.name));
        page.text("  ").styled(BOLD, &self.id);
        for (name, value) in &self.fields {
            let text = match value {
                // Other text is quoted, so that it cannot look like another field.
                Value::String(text) if text.is_empty() || is_plain(text) => text.clone(),
                other => other.to_string(),
            };
            if !text.is_empty() && !value.is_null() {
                page.text("  ").styled(DIM, &format!("{name}=")).text(&text);
            }
        }
        page.end();
        page
    }
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
}

/// Turns ledger entries into trace events.
#[derive(Default)]
struct TraceBuilder {
    claims: CallClaims,
    joined: JoinedIds,
    notes: BTreeMap<RequestId, String>,
}

impl TraceBuilder {
    fn add_entry(&mut self, parsed: &ParsedEntry) -> Option<TraceEvent> {
        self.claims.add_change(&parsed.change);
        match &parsed.change {
            Change::RequestOpened { request } => {
                let question = self.claims.question(request);
                let fields = vec![
                    ("request", json!(request.id)),
                    ("action", json!(question.action)),
                    ("category", json!(question.category)),
                    ("scope_requested", json!(question.scope)),
                    ("reasoning", json!(question.reasoning)),
                    ("fallback", json!(question.fallback)),
                ];
                let id = self.joined.of_request(request.id);
                Some(TraceEvent::new("permission_requested", id, fields))
            }
            Change::RequestAnswered { answered } => self.denial(answered),
            Change::GrantMinted { grant } => {
                let id = self.joined.of_grant(grant.id);
                let note = grant.request.and_then(|request| self.notes.get(&request));
                let fields = vec![
                    ("scope_granted", json!(scope_word(grant.scope))),
                    ("operator_note", json!(note.map_or("", String::as_str))),
                    ("grant", json!(grant.id)),
                    ("covers", json!(describe_grant_words(grant))),
                ];
                Some(TraceEvent::new("permission_granted", id, fields))
            }
            Change::GrantUsed { grant, call, .. } => {
                let fields = vec![("consuming_tool_call_id", json!(call))];
                let id = self.joined.of_grant(*grant);
                Some(TraceEvent::new("permission_grant_consumed", id, fields))
            }
            Change::GrantRevoked { grant, .. } => {
                let id = self.joined.of_grant(*grant);
                let event = TraceEvent::new("permission_revoked", id, Vec::new());
                Some(TraceEvent { time_field: "revoked_at", ..event })
            }
            _ => None,
        }
    }

    /// The event of a no. A yes has none: its grant has one.
    fn denial(&mut self, answered: &Answered) -> Option<TraceEvent> {
        self.notes.insert(answered.request, answered.note.clone());
        if answered.timing == Timing::Late {
            return None;
        }
        let note = match answered.ending? {
            Ending::Approved => return None,
            Ending::Declined => answered.note.as_str(),
            Ending::Expired => "expired",
            Ending::Cancelled => "cancelled",
        };
        let fields = vec![("operator_note", json!(note))];
        let id = self.joined.of_request(answered.request);
        Some(TraceEvent::new("permission_denied", id, fields))
    }
}
