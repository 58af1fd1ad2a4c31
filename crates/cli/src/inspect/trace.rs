//! `inspect --trace`: permissions as the five events of PermissionBridge (seed 002).

use super::entries;
use super::question::{Claims, joined, scope};
use crate::args::InspectArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ledger::Seen;
use crate::out;
use crate::page::{BOLD, CYAN, DIM, Page};
use crate::settings::Settings;
use countersign_core::model::change::{Answered, Change, Timing};
use countersign_core::model::ids::{GrantId, RequestId};
use countersign_core::model::time::Time;
use countersign_core::model::words::Ending;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The longest name of an event.
const NAME: usize = 25;

pub(super) fn trace(args: &InspectArgs, settings: &Settings) -> Result<Exit, Failure> {
    let mut tracing = Tracing::default();
    entries(args, settings, |seen| {
        if let Some(event) = tracing.event(seen) {
            if args.json {
                out::show_json(&event.json(seen))?;
            } else {
                out::show(&event.line(seen.at))?;
            }
        }
        Ok(())
    })?;
    Ok(Exit::Allowed)
}

struct TraceEvent {
    name: &'static str,
    id: String,
    /// The name of its instant and what else it says, in this order.
    at: &'static str,
    fields: Vec<(&'static str, Value)>,
}

impl TraceEvent {
    fn new(name: &'static str, id: String, fields: Vec<(&'static str, Value)>) -> Self {
        Self { name, id, at: "at", fields }
    }

    fn json(&self, seen: &Seen) -> Value {
        let mut event = json!({"event": self.name, "grant_id": self.id});
        if let Some(all) = event.as_object_mut() {
            let fields =
                self.fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
            all.extend(fields);
            all.insert(self.at.to_owned(), json!(seen.at.to_string()));
            all.insert("session".to_owned(), json!(seen.about.session));
            all.insert("seq".to_owned(), json!(seen.entry.seq));
        }
        event
    }

    fn line(&self, at: Time) -> Page {
        let mut page = Page::new();
        page.text(&at.to_string()).text("  ").styled(CYAN, &format!("{:<NAME$}", self.name));
        page.text("  ").styled(BOLD, &self.id);
        for (name, value) in &self.fields {
            let text = match value {
                // Words of others stand in quotes, so that they cannot pass for a field of ours.
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

#[derive(Default)]
struct Tracing {
    claims: Claims,
    ids: BTreeMap<GrantId, String>,
    notes: BTreeMap<RequestId, String>,
}

impl Tracing {
    fn event(&mut self, seen: &Seen) -> Option<TraceEvent> {
        self.claims.hear(&seen.change);
        match &seen.change {
            Change::RequestOpened { request } => {
                let asked = self.claims.question(request);
                let fields = vec![
                    ("action", json!(asked.action)),
                    ("category", json!(asked.category)),
                    ("scope_requested", json!(asked.scope)),
                    ("reasoning", json!(asked.reasoning)),
                    ("fallback", json!(asked.fallback)),
                ];
                Some(TraceEvent::new("permission_requested", request.id.to_string(), fields))
            }
            Change::RequestAnswered { answered } => self.answered(answered),
            Change::GrantMinted { grant } => {
                let id = joined(grant);
                self.ids.insert(grant.id, id.clone());
                let note = grant.request.and_then(|request| self.notes.get(&request));
                let fields = vec![
                    ("scope_granted", json!(scope(grant.scope))),
                    ("operator_note", json!(note.map_or("", String::as_str))),
                    ("grant", json!(grant.id)),
                    ("covers", json!(grant.coverage.to_string())),
                ];
                Some(TraceEvent::new("permission_granted", id, fields))
            }
            Change::GrantUsed { grant, call, .. } => {
                let fields = vec![("consuming_tool_call_id", json!(call))];
                Some(TraceEvent::new("permission_grant_consumed", self.id(grant), fields))
            }
            Change::GrantRevoked { grant } => {
                let event = TraceEvent::new("permission_revoked", self.id(grant), Vec::new());
                Some(TraceEvent { at: "revoked_at", ..event })
            }
            _ => None,
        }
    }

    fn id(&self, grant: &GrantId) -> String {
        self.ids.get(grant).cloned().unwrap_or_else(|| grant.to_string())
    }

    /// A yes is told by the grant that follows from it.
    fn answered(&mut self, answered: &Answered) -> Option<TraceEvent> {
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
        Some(TraceEvent::new("permission_denied", answered.request.to_string(), fields))
    }
}
