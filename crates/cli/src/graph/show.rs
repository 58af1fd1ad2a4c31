//! `graph show`: the graph as a table, or as JSON.

use super::rows::{Row, rows};
use super::{count, date, decay};
use crate::args::GraphShowArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::out;
use crate::page::{BOLD, DIM, GREEN, NONE, Page, RED, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
use anstyle::Style;
use countersign_core::model::graph::{Graph, Reducer, Unclassified};
use countersign_core::model::words::{Risk, Tier, TrustLevel, Undo};
use serde_json::{Value, json};

pub(super) fn show(args: &GraphShowArgs, settings: &Settings) -> Result<Exit, Failure> {
    let file = GraphFile::open(args.file.as_deref(), settings)?;
    let graph = &file.loaded.graph;
    match (args.reducers, args.json) {
        (false, false) => out::show(&page(&file))?,
        (true, false) => out::show(&reducers(graph))?,
        (false, true) => out::show_json(&json(&file))?,
        (true, true) => {
            let reducers = reducers_json(graph);
            out::show_json(&json!({"v": 1, "graph": file.json(), "reducers": reducers}))?;
        }
    }
    Ok(Exit::Allowed)
}

fn page(file: &GraphFile) -> Page {
    let graph = &file.loaded.graph;
    let mut page = Page::new();
    let mut line = |name: &str, text: &str| {
        page.styled(BOLD, &format!("{name:<10}")).text(text).end();
    };
    line("graph", &format!("{} ({})", file.name, graph.hash.short()));
    line("reviewed", &format!("{}; {}", date(&graph.last_reviewed), decay(graph)));
    let visible = graph.visible;
    line("visible", &format!("from {}, policy {}", visible.threshold, visible.policy));
    line("unlisted", unlisted(graph));
    line("also", &also(graph));
    if !file.policies().is_empty() {
        line("policies", &file.policies().join(", "));
    }
    page.end();
    let headings =
        ["DOMAIN", "TRUST", "ACTION", "TIER", "RISK", "UNDO", "CATEGORIES", "CONDITIONS"];
    let rows: Vec<Vec<Cell>> = rows(graph).iter().map(|row| cells(row, file)).collect();
    table::draw(&mut page, &headings, &rows);
    page
}

/// What a row shows of the policies that reach its action.
fn reaching<'f>(row: &Row<'_>, file: &'f GraphFile) -> &'f [String] {
    file.loaded.policies.as_ref().map_or(&[], |rules| rules.policy_names_for(row.action))
}

fn cells(row: &Row<'_>, file: &GraphFile) -> Vec<Cell> {
    let Row { action, rule, .. } = row;
    let mut conditions = row.conditions();
    conditions.extend(reaching(row, file).iter().map(|name| format!("policy {name}")));
    vec![
        Cell::new(action.domain()),
        Cell::styled(DIM, row.trust().map_or("", TrustLevel::word)),
        Cell::styled(BOLD, action.verb()),
        Cell::styled(tier(rule.tier), rule.tier.word()),
        Cell::styled(risk(rule.risk), rule.risk.word()),
        Cell::new(if rule.undo == Undo::Reversible { rule.undo.word() } else { "" }),
        Cell::styled(DIM, row.categories().join(", ")),
        Cell::new(conditions.join(", ")),
    ]
}

fn tier(tier: Tier) -> Style {
    match tier {
        Tier::Autonomous => GREEN,
        Tier::RequiresApproval => YELLOW,
        Tier::Blocked => RED,
    }
}

fn risk(risk: Risk) -> Style {
    match risk {
        Risk::ReadOnly | Risk::Low => DIM,
        Risk::Moderate => NONE,
        Risk::High => YELLOW,
        Risk::Critical => RED,
    }
}

fn unlisted(graph: &Graph) -> &'static str {
    match graph.unclassified {
        Unclassified::Ask => "ask",
        Unclassified::Deny => "deny",
    }
}

fn also(graph: &Graph) -> String {
    let counts = [
        (graph.contacts.len(), "contact"),
        (graph.reducers.len(), "reducer"),
        (graph.tools.len(), "tool mapping"),
        (graph.workflows.len(), "workflow"),
        (graph.slash.len(), "slash command"),
        (graph.commands.allow.len() + graph.commands.deny.len(), "command rule"),
    ];
    counts.map(|(number, one)| count(number, one)).join(", ")
}

fn reducers(graph: &Graph) -> Page {
    if graph.reducers.is_empty() {
        return Page::of("no reducers: no caller brings an action's risk down");
    }
    let row = |reducer: &Reducer| {
        vec![
            Cell::new(reducer.caller.as_str()),
            Cell::styled(BOLD, reducer.action.as_str()),
            Cell::new(from(graph, reducer).map_or("", Risk::word)),
            Cell::new(reducer.to.word()),
        ]
    };
    let rows: Vec<Vec<Cell>> = graph.reducers.iter().map(row).collect();
    let mut page = Page::new();
    table::draw(&mut page, &["INSIDE", "ACTION", "RISK", "COUNTS AS"], &rows);
    page
}

fn from(graph: &Graph, reducer: &Reducer) -> Option<Risk> {
    graph.rule(&reducer.action).map(|rule| rule.risk)
}

fn reducers_json(graph: &Graph) -> Value {
    let one = |reducer: &Reducer| {
        let Reducer { caller, action, to } = reducer;
        json!({"caller": caller, "action": action, "from": from(graph, reducer), "to": to})
    };
    graph.reducers.iter().map(one).collect()
}

fn json(file: &GraphFile) -> Value {
    let graph = &file.loaded.graph;
    let domains = graph.domains.iter().map(|(name, domain)| {
        let visible = domain.visible;
        json!({
            "domain": name,
            "trust_level": domain.trust.map(TrustLevel::word),
            "reviewed": date(graph.reviewed(Some(domain))),
            "visible": {"threshold": visible.threshold, "policy": visible.policy},
        })
    });
    let actions = rows(graph).into_iter().map(|row| {
        json!({
            "action": row.action,
            "tier": row.rule.tier,
            "risk": row.rule.risk,
            "undo": row.rule.undo,
            "categories": row.categories(),
            "conditions": row.conditions(),
            "policies": reaching(&row, file),
        })
    });
    json!({
        "v": 1,
        "graph": file.json(),
        "reviewed": date(&graph.last_reviewed),
        "unclassified": unlisted(graph),
        "domains": domains.collect::<Vec<_>>(),
        "actions": actions.collect::<Vec<_>>(),
        "reducers": reducers_json(graph),
        "commands": {"allow": graph.commands.allow, "deny": graph.commands.deny},
        "policies": file.policies(),
    })
}
