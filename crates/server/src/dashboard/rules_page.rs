//! *Rules*: the graph in force, and what it would say about a call.

use super::page_state::PageState;
use super::record::read_decision;
use super::respond::page_response;
use super::visit::Visit;
use crate::error::ApiError;
use crate::limits;
use crate::operator::review;
use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use countersign_card::escape_for_display;
use countersign_core::decide::explain;
use countersign_core::model::call::CallDraft;
use countersign_core::model::change::Kind;
use countersign_core::model::graph::{AskingRule, Graph};
use countersign_core::model::names::{Agent, SessionKey, SessionName, Tool};
use countersign_core::model::words::{Outcome, Reason};
use countersign_dashboard::{ActionRule, CommandClass, DomainRow, PageName, RulesPage, TriedCall};
use countersign_engine::{EngineError, SessionOwner};
use countersign_host::{AgentError, HostEngine};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The tool of a try that names none: the shell of the most widespread program.
const DEFAULT_TOOL: &str = "Bash";

pub(super) async fn show_rules(visit: &Visit, page: &PageState<'_>) -> Result<Response, ApiError> {
    let graph = visit.daemon.graph()?;
    let graph = graph.as_deref();
    let (tool, line) = (page.query.get("tool"), page.query.get("line"));
    let tool = if tool.is_empty() { DEFAULT_TOOL } else { tool };
    let tried = match line {
        "" => None,
        line => Some(try_call(visit, tool, line).await),
    };
    let search = page.query.get("class").trim().to_lowercase();
    let Json(due) = review::list_due_reviews(visit.plane()).await?;
    let frame = page.frame(PageName::Rules, "");
    let page = RulesPage {
        frame: &frame,
        file: page.status.graph_file.clone(),
        domains: graph.map_or_else(Vec::new, list_domains),
        classes: graph.map_or_else(Vec::new, |graph| list_classes(graph, &search)),
        class_search: search,
        presets: graph.map_or_else(Vec::new, list_presets),
        due,
        gaps: visit.daemon.run(find_gaps).await?,
        tool: tool.to_owned(),
        line: line.to_owned(),
        tried,
    };
    page_response(StatusCode::OK, &page)
}

/// What would be decided. Nothing is recorded.
async fn try_call(visit: &Visit, tool: &str, line: &str) -> Result<TriedCall, String> {
    let draft = draft_try(visit, tool, line).map_err(|error| escape_for_display(&error))?;
    let decided = visit.daemon.run(move |engine| engine.decide_hypothetical(&draft)).await;
    let decision = decided.map_err(|error| escape_for_display(&error.to_sentence()))?;
    let outcome = match decision.outcome {
        Outcome::Allow => "It would happen",
        Outcome::Notify => "It would happen, and you would be told",
        Outcome::Ask => "It would ask you",
        Outcome::Deny => "It would be denied",
    };
    Ok(TriedCall {
        outcome: outcome.to_owned(),
        sentence: explain::operator_sentence(&decision),
        nearest: explain::nearest(&decision),
        verdicts: explain::lines(&decision),
    })
}

fn draft_try(visit: &Visit, tool: &str, line: &str) -> Result<CallDraft, String> {
    let name = |error: &dyn std::fmt::Display| error.to_string();
    let agent = Agent::parse("dashboard").map_err(|error| name(&error))?;
    let session = SessionName::parse("try").map_err(|error| name(&error))?;
    let session = SessionKey::new(&agent, &session);
    let tool = Tool::parse(tool).map_err(|error| name(&error))?;
    let graph = visit.daemon.graph().map_err(|error| error.to_sentence())?;
    // The line goes where the tool's mapping looks for a command or a target.
    let mapping = graph.as_ref().and_then(|graph| graph.tool(tool.as_str()));
    let pointer =
        mapping.and_then(|mapping| mapping.command.as_ref().or(mapping.target.first()).cloned());
    let key = pointer.as_deref().and_then(|pointer| pointer.strip_prefix('/'));
    let mut args = Map::new();
    args.insert(key.unwrap_or("command").to_owned(), Value::from(line));
    let owner = SessionOwner { session, agent };
    let args = Value::Object(args);
    let draft = visit.daemon.host.draft_call(&owner, Vec::new(), Some(tool), args);
    draft.map_err(|error: AgentError| error.to_string())
}

fn list_domains(graph: &Graph) -> Vec<DomainRow> {
    let mut actions = BTreeMap::<&str, Vec<ActionRule>>::new();
    for (action, rule) in &graph.rules {
        actions.entry(action.domain()).or_default().push(ActionRule {
            verb: action.verb().to_owned(),
            tier: rule.tier,
            risk: rule.risk,
            always_asks: rule.asking == AskingRule::Always,
        });
    }
    let row = |(name, mut actions): (&str, Vec<ActionRule>)| {
        actions.sort_by(|one, two| one.verb.cmp(&two.verb));
        let trust = graph.domains.get(name).and_then(|domain| domain.trust);
        let trust = trust.map_or_else(String::new, |trust| trust.to_string());
        DomainRow { name: name.to_owned(), trust, actions }
    };
    actions.into_iter().map(row).collect()
}

fn list_classes(graph: &Graph, search: &str) -> Vec<CommandClass> {
    let class = |(action, rules): &(countersign_core::model::names::Action, Vec<String>)| {
        let is_named = action.as_str().contains(search);
        let matches = |rule: &&String| is_named || rule.to_lowercase().contains(search);
        let rules: Vec<String> = rules.iter().filter(matches).cloned().collect();
        let action = action.to_string();
        (!rules.is_empty()).then_some(CommandClass { action, rules })
    };
    graph.commands.classes.iter().filter_map(class).collect()
}

fn list_presets(graph: &Graph) -> Vec<(String, bool)> {
    let chosen = graph.preset.as_ref().map(|preset| preset.name.as_str());
    graph.presets.keys().map(|name| (name.clone(), Some(name.as_str()) == chosen)).collect()
}

/// Actions of recent calls that no list names, the most frequent first.
fn find_gaps(engine: &HostEngine) -> Result<Vec<(String, usize)>, EngineError> {
    let head = engine.ledger_head()?.next;
    let mut from = head.saturating_sub(limits::LANES_SCAN as u64).max(1);
    let mut gaps = BTreeMap::<String, usize>::new();
    loop {
        let page = engine.read_entries(from, limits::RECORD_CHUNK)?;
        let Some(last) = page.last() else { break };
        from = last.seq.saturating_add(1);
        // The word is looked for before the entry is parsed.
        let named = page.iter().filter(|entry| {
            entry.kind == Kind::CallDecided && entry.bytes.contains(Reason::Unclassified.word())
        });
        for decided in named.filter_map(read_decision) {
            let verdicts = decided.decision.verdicts.iter();
            for verdict in verdicts.filter(|verdict| verdict.tier.is_none()) {
                *gaps.entry(verdict.action.to_string()).or_default() += 1;
            }
        }
    }
    let mut gaps: Vec<(String, usize)> = gaps.into_iter().collect();
    gaps.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Ok(gaps)
}
