//! `graph show`: the graph as a table, or as JSON.

use super::action_rows::{ActionRow, action_rows};
use super::args::GraphShowArgs;
use super::{describe_decay, describe_layer, pluralize, presets, review_date, tier_style};
use crate::{RulesContext, folder_project};
use anstyle::Style;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, DIM, Exit, Failure, NONE, Page, RED, YELLOW, out};
use countersign_core::model::graph::{
    AppliedLayer, CommandRules, Graph, LayerStanding, Reducer, Unclassified,
};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, TrustLevel, Undo};
use countersign_setup::GraphFile;
use serde_json::{Value, json};

/// Whose rules are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShownRules {
    /// Those of the graph alone.
    Own,
    /// With those of the repository.
    Effective,
}

pub(super) fn show(args: &GraphShowArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let file = args.graph.search(args.daemon.path.as_deref(), context.graph_places()).open()?;
    let data = args.daemon.path.as_deref();
    let scope = if args.effective { ShownRules::Effective } else { ShownRules::Own };
    let effective = match args.effective {
        false => None,
        true => {
            let folder = folder_project(args.folder.as_deref())?;
            Some(context.effective_graph(data, &file, &folder)?)
        }
    };
    let graph = effective.as_deref().unwrap_or(&file.loaded.graph);
    match (args.reducers, args.json) {
        (false, false) => out::show(&draw(&file, graph, scope))?,
        (true, false) => out::show(&draw_reducers(graph))?,
        (false, true) => out::show_json(&to_json(&file, graph, scope))?,
        (true, true) => {
            let reducers = reducers_json(graph);
            out::show_json(&json!({"v": 1, "graph": file.to_json(), "reducers": reducers}))?;
        }
    }
    Ok(Exit::Allowed)
}

fn draw(file: &GraphFile, graph: &Graph, scope: ShownRules) -> Page {
    let is_effective = scope == ShownRules::Effective;
    let mut page = Page::new();
    let mut line = |name: &str, text: &str| {
        page.styled(BOLD, &format!("{name:<10}")).text(text).end();
    };
    line("graph", &format!("{} ({})", file.name, graph.hash.short()));
    line("reviewed", &format!("{}; {}", review_date(&graph.last_reviewed), describe_decay(graph)));
    let visible = graph.visible;
    line("visible", &format!("from {}, policy {}", visible.threshold, visible.policy));
    line("unlisted", unlisted_word(graph));
    line("also", &describe_other_parts(graph));
    if !file.policy_names().is_empty() {
        line("policies", &file.policy_names().join(", "));
    }
    if !graph.presets.is_empty() {
        line("preset", &presets::describe_choice(graph));
    }
    if is_effective {
        draw_layer(&mut page, graph.layer.as_deref());
    }
    page.end();
    let mut headings =
        vec!["DOMAIN", "TRUST", "ACTION", "TIER", "RISK", "UNDO", "CATEGORIES", "CONDITIONS"];
    if is_effective {
        headings.insert(4, "WHOSE RULE");
    }
    let draw_row = |row: &ActionRow<'_>| {
        let mut cells = cells(row, file);
        if is_effective {
            cells.insert(4, TableCell::new(rule_owner(graph, row.action)));
        }
        cells
    };
    let rows: Vec<Vec<TableCell>> = action_rows(graph).iter().map(draw_row).collect();
    table::draw(&mut page, &headings, &rows);
    presets::draw(&mut page, graph);
    page
}

/// Whose rule decides an action.
fn rule_owner(graph: &Graph, action: &Action) -> String {
    let Some(layer) = &graph.layer else { return "yours".to_owned() };
    let before = match (layer.moved.get(action), layer.of.standing) {
        (_, LayerStanding::Unreadable) => return "repository: unreadable".to_owned(),
        (Some(before), _) => before,
        (None, _) if layer.channel_bound.contains(action) => return "both".to_owned(),
        (None, _) => return "yours".to_owned(),
    };
    match before {
        Some(tier) => format!("repository (yours: {tier})"),
        None => "repository".to_owned(),
    }
}

/// What the rules of the repository add beside the table.
fn draw_layer(page: &mut Page, layer: Option<&AppliedLayer>) {
    page.styled(BOLD, "repo      ");
    let Some(layer) = layer else {
        page.text("no rules of its own in the root of this repository").end();
        return;
    };
    page.text(&describe_layer(layer)).end();
    for (what, list) in [
        ("denies", &layer.deny),
        ("allows", &layer.allow),
        ("secret", &layer.secrets),
        ("guarded", &layer.guarded),
    ] {
        if !list.is_empty() {
            page.text(&format!("          {what}: {}", list.join("; "))).end();
        }
    }
    if !layer.conditioned.is_empty() {
        let domains: Vec<&str> = layer.conditioned.iter().map(String::as_str).collect();
        page.text(&format!("          conditions for: {}", domains.join(", "))).end();
    }
}

/// The policies that can apply to the action.
fn policies_for<'f>(row: &ActionRow<'_>, file: &'f GraphFile) -> &'f [String] {
    file.loaded.policies.as_ref().map_or(&[], |rules| rules.policy_names_for(row.action))
}

fn cells(row: &ActionRow<'_>, file: &GraphFile) -> Vec<TableCell> {
    let ActionRow { action, rule, .. } = row;
    let mut conditions = row.conditions();
    conditions.extend(policies_for(row, file).iter().map(|name| format!("policy {name}")));
    vec![
        TableCell::new(action.domain()),
        TableCell::styled(DIM, row.trust().map_or("", TrustLevel::word)),
        TableCell::styled(BOLD, action.verb()),
        TableCell::styled(tier_style(rule.tier), rule.tier.word()),
        TableCell::styled(risk_style(rule.risk), rule.risk.word()),
        TableCell::new(
            rule.undo.filter(|undo| *undo == Undo::Reversible).map_or("", |undo| undo.word()),
        ),
        TableCell::styled(DIM, row.categories().join(", ")),
        TableCell::new(conditions.join(", ")),
    ]
}

fn risk_style(risk: Risk) -> Style {
    match risk {
        Risk::ReadOnly | Risk::Low => DIM,
        Risk::Moderate => NONE,
        Risk::High => YELLOW,
        Risk::Critical => RED,
    }
}

fn unlisted_word(graph: &Graph) -> &'static str {
    match graph.unclassified {
        Unclassified::Ask => "ask",
        Unclassified::Deny => "deny",
    }
}

fn describe_other_parts(graph: &Graph) -> String {
    let counts = [
        (graph.contacts.len(), "contact"),
        (graph.reducers.len(), "reducer"),
        (graph.tools.len(), "tool mapping"),
        (graph.workflows.len(), "workflow"),
        (graph.slash.len(), "slash command"),
        (count_command_rules(&graph.commands), "command rule"),
    ];
    let places = graph.secrets.len() + graph.guarded.len();
    let places = (places > 0).then(|| pluralize(places, "place pattern"));
    let counts = counts.map(|(number, noun)| pluralize(number, noun));
    counts.into_iter().chain(places).collect::<Vec<_>>().join(", ")
}

fn count_command_rules(commands: &CommandRules) -> usize {
    let in_classes: usize = commands.classes.iter().map(|(_, rules)| rules.len()).sum();
    commands.allow.len() + commands.deny.len() + in_classes
}

fn draw_reducers(graph: &Graph) -> Page {
    if graph.reducers.is_empty() {
        return Page::from_line("no reducers: no caller lowers the risk of an action");
    }
    let mut page = Page::new();
    for reducer in &graph.reducers {
        page.text("inside ").styled(BOLD, reducer.caller.as_str()).text(", ");
        page.styled(BOLD, reducer.action.as_str()).text(&describe_reduction(graph, reducer)).end();
    }
    page
}

/// What a reducer does, after the name of its action.
fn describe_reduction(graph: &Graph, reducer: &Reducer) -> String {
    let before = match risk_before(graph, reducer) {
        Some(before) if before > reducer.to => format!(" instead of {before}"),
        Some(_) => return " keeps its risk, so this reducer does nothing".to_owned(),
        None => String::new(),
    };
    match reducer.to <= Risk::Low {
        true => format!(" counts as {}{before}: it needs no answer there", reducer.to),
        false => format!(" counts as {}{before}: it asks at that risk there", reducer.to),
    }
}

fn risk_before(graph: &Graph, reducer: &Reducer) -> Option<Risk> {
    graph.rule(&reducer.action).map(|rule| rule.risk)
}

fn reducers_json(graph: &Graph) -> Value {
    let convert = |reducer: &Reducer| {
        let Reducer { caller, action, to } = reducer;
        json!({"caller": caller, "action": action, "from": risk_before(graph, reducer), "to": to})
    };
    graph.reducers.iter().map(convert).collect()
}

fn classes_json(graph: &Graph) -> Value {
    let classes = graph.commands.classes.iter();
    classes.map(|(action, rules)| json!({"action": action, "rules": rules})).collect()
}

fn to_json(file: &GraphFile, graph: &Graph, scope: ShownRules) -> Value {
    let is_effective = scope == ShownRules::Effective;
    let domains = graph.domains.iter().map(|(name, domain)| {
        let visible = domain.visible;
        json!({
            "domain": name,
            "trust_level": domain.trust.map(TrustLevel::word),
            "reviewed": review_date(graph.reviewed(Some(domain))),
            "visible": {"threshold": visible.threshold, "policy": visible.policy},
        })
    });
    let actions = action_rows(graph).into_iter().map(|row| {
        let mut fields = json!({
            "action": row.action,
            "tier": row.rule.tier,
            "risk": row.rule.risk,
            "undo": row.rule.assumed_undo(),
            "categories": row.categories(),
            "conditions": row.conditions(),
            "policies": policies_for(&row, file),
        });
        if let Some(fields) = fields.as_object_mut().filter(|_| is_effective) {
            fields.insert("whose".to_owned(), json!(rule_owner(graph, row.action)));
        }
        fields
    });
    let mut value = json!({
        "v": 1,
        "graph": file.to_json(),
        "reviewed": review_date(&graph.last_reviewed),
        "unclassified": unlisted_word(graph),
        "domains": domains.collect::<Vec<_>>(),
        "actions": actions.collect::<Vec<_>>(),
        "reducers": reducers_json(graph),
        "commands": {
            "allow": graph.commands.allow,
            "deny": graph.commands.deny,
            "classes": classes_json(graph),
            "env": graph.commands.env,
        },
        "secrets": graph.secrets,
        "guarded": graph.guarded,
        "preset": graph.preset.as_ref().map(|preset| &preset.name),
        "presets": presets::to_json(graph),
        "policies": file.policy_names(),
    });
    if let Some(fields) = value.as_object_mut().filter(|_| is_effective) {
        fields.insert("repository".to_owned(), layer_json(graph.layer.as_deref()));
    }
    value
}

fn layer_json(layer: Option<&AppliedLayer>) -> Value {
    layer.map_or(Value::Null, |layer| {
        json!({
            "hash": layer.of.hash,
            "standing": layer.of.standing,
            "why": layer.why,
            "allow": layer.allow,
            "deny": layer.deny,
            "secrets": layer.secrets,
            "guarded": layer.guarded,
            "conditions": layer.conditioned,
        })
    })
}
