//! The result of a simulation, for people and for programs.

use anstyle::Style;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, DIM, GREEN, Page, RED, YELLOW};
use countersign_simulate::{ChangedCalls, GraphComparison, OperatorModel, PromptCount, Report};
use serde_json::{Value, json};

/// Rows of each table: the rest is summed up in a line.
const ROWS: usize = 12;
/// Examples of each kind of difference that people see; `--json` has more.
const EXAMPLES: usize = 5;

pub(super) struct SimulatedGraph<'a> {
    pub(super) name: &'a str,
    pub(super) report: Report,
}

pub(super) struct Summary<'a> {
    pub(super) tried: SimulatedGraph<'a>,
    pub(super) operator: OperatorModel,
    /// The graph in force, and what the tried one decides differently.
    pub(super) compared: Option<(SimulatedGraph<'a>, GraphComparison)>,
}

impl Summary<'_> {
    pub(super) fn draw(&self) -> Page {
        let (mut page, report) = (Page::new(), &self.tried.report);
        page.styled(BOLD, &self.headline(&self.tried)).end();
        if let Some((before, _)) = &self.compared {
            page.styled(DIM, &self.headline(before)).end();
        }
        let per = &report.per_session;
        page.text(&format!(
            "per session: median {}, nine of ten at most {}, at most {}; {} of {} sessions without a prompt",
            per.median, per.p90, per.max, per.without_prompt, per.sessions
        ));
        page.end();
        if report.decayed() > 0 {
            let text = format!(
                "{} calls ask because the graph was not reviewed in time; `--reviewed` leaves that out",
                report.decayed()
            );
            page.styled(YELLOW, &text).end();
        }
        draw_counts(&mut page, "tool", &report.by_tool);
        draw_counts(&mut page, "decided as", &report.by_action);
        draw_counts(&mut page, "reason", &report.by_reason);
        if let Some((_, comparison)) = &self.compared {
            draw_difference(&mut page, (RED, "would newly pass"), &comparison.newly_pass);
            draw_difference(&mut page, (YELLOW, "would newly ask"), &comparison.newly_ask);
            draw_difference(&mut page, (GREEN, "would newly be denied"), &comparison.newly_denied);
        }
        page
    }

    fn headline(&self, graph: &SimulatedGraph<'_>) -> String {
        let report = &graph.report;
        let answered = match self.operator {
            OperatorModel::Nobody => "if nobody answers",
            OperatorModel::Careful => "with a careful operator",
            OperatorModel::Trusting => "with a trusting operator",
        };
        format!(
            "{}: {:.1} prompts per 100 calls {answered} ({} of {} calls ask, {} are denied)",
            graph.name,
            report.prompts_per_hundred(),
            report.asking,
            report.calls,
            report.denials
        )
    }

    pub(super) fn to_json(&self) -> Value {
        let mut value = graph_json(&self.tried);
        if let (Some((before, comparison)), Some(fields)) = (&self.compared, value.as_object_mut())
        {
            fields.insert("compared_with".to_owned(), graph_json(before));
            fields.insert("differences".to_owned(), json!(comparison));
        }
        value
    }
}

fn graph_json(graph: &SimulatedGraph<'_>) -> Value {
    let mut value = json!(graph.report);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("graph".to_owned(), json!(graph.name));
        fields.insert("prompts_per_100".to_owned(), json!(graph.report.prompts_per_hundred()));
    }
    value
}

fn draw_counts(page: &mut Page, name: &str, counts: &[PromptCount]) {
    let asking: Vec<&PromptCount> = counts.iter().filter(|count| count.prompts > 0).collect();
    if asking.is_empty() {
        return;
    }
    page.end();
    let row = |count: &&PromptCount| {
        let cells = [count.prompts.to_string(), count.calls.to_string(), count.name.clone()];
        cells.map(TableCell::new).into_iter().collect()
    };
    let rows: Vec<Vec<TableCell>> = asking.iter().take(ROWS).map(row).collect();
    table::draw(page, &["prompts", "calls", name], &rows);
    if let Some(rest) = asking.get(ROWS..).filter(|rest| !rest.is_empty()) {
        let prompts: usize = rest.iter().map(|count| count.prompts).sum();
        page.styled(DIM, &format!("{prompts} prompts in {} more rows", rest.len())).end();
    }
}

pub(crate) fn draw_difference(
    page: &mut Page,
    (style, title): (Style, &str),
    found: &ChangedCalls,
) {
    page.end();
    page.styled(style, &format!("{} calls {title}", found.calls)).end();
    for example in found.examples.iter().take(EXAMPLES) {
        page.text(&format!("  {} {}", example.tool, example.args)).end();
        page.styled(DIM, &format!("    {}", example.sentence)).end();
    }
}
