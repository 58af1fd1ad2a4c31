//! Draws the problems of a file: position, excerpt of the line, and what to do.

use crate::limits;
use crate::page::{BOLD, CYAN, Page, RED, YELLOW};
use crate::sanitize::{display_width, sanitize};
use anstyle::Style;
use countersign_graph::problem::LineColumn;
use countersign_graph::{Problem, Problems};
use serde_json::{Value, json};

pub fn draw_errors(page: &mut Page, file: &Problems) {
    draw(page, file, "error", RED.bold());
}

/// Draws warnings under `label`: `warning`, or the name of the check that found them.
pub fn draw_warnings(page: &mut Page, file: &Problems, label: &str) {
    draw(page, file, label, YELLOW.bold());
}

pub fn to_json(file: &Problems) -> Vec<Value> {
    let convert = |problem: &Problem| {
        let LineColumn { line, column } = LineColumn::from_offset(file.text(), problem.span.start);
        json!({
            "file": file.name(),
            "line": line,
            "column": column,
            "message": problem.message,
            "help": problem.help,
        })
    };
    file.list().iter().map(convert).collect()
}

fn draw(page: &mut Page, file: &Problems, label: &str, style: Style) {
    for problem in file.list() {
        draw_problem(page, file, problem, label, style);
    }
}

fn draw_problem(page: &mut Page, file: &Problems, problem: &Problem, label: &str, style: Style) {
    let position = LineColumn::from_offset(file.text(), problem.span.start);
    let number = position.line.to_string();
    let margin = number.len() + 1;
    page.styled(style, label).styled(BOLD, ": ").styled(BOLD, &problem.message).end();
    page.spaces(margin - 1).styled(CYAN, "--> ").text(&format!("{}:{position}", file.name())).end();
    if let Some(excerpt) = Excerpt::new(file.text(), problem) {
        page.spaces(margin).styled(CYAN, "|").end();
        page.styled(CYAN, &format!("{number} | ")).text(&excerpt.line).end();
        page.spaces(margin).styled(CYAN, "| ").spaces(excerpt.before);
        page.styled(style, &"^".repeat(excerpt.marked)).end();
    }
    page.spaces(margin).styled(CYAN, "= ").styled(BOLD, "help").text(": ").text(&problem.help);
    page.end();
}

/// The part of a line that a problem is about, with its surroundings.
struct Excerpt {
    line: String,
    before: usize,
    marked: usize,
}

impl Excerpt {
    /// None if the line is empty.
    fn new(text: &str, problem: &Problem) -> Option<Self> {
        let (head, rest) = text.split_at_checked(problem.span.start)?;
        let lead = head.rsplit('\n').next()?;
        let line = rest.split(['\n', '\r']).next()?;
        let length = problem.span.end.saturating_sub(problem.span.start).min(line.len());
        let (marked, tail) = line.split_at_checked(length)?;
        let (lead, marked, tail) = (shorten_start(lead), shorten_end(marked), shorten_end(tail));
        let whole = format!("{lead}{marked}{tail}");
        (!whole.trim().is_empty()).then(|| Self {
            before: display_width(&lead),
            marked: display_width(&marked).max(1),
            line: whole,
        })
    }
}

fn shorten_end(text: &str) -> String {
    let shown = sanitize_line(text.chars().take(limits::EXCERPT_CONTEXT));
    if text.chars().nth(limits::EXCERPT_CONTEXT).is_some() { format!("{shown}…") } else { shown }
}

fn shorten_start(text: &str) -> String {
    let more = text.chars().count().saturating_sub(limits::EXCERPT_CONTEXT);
    let shown = sanitize_line(text.chars().skip(more));
    if more > 0 { format!("…{shown}") } else { shown }
}

/// A tab becomes a space: its escape would be wider than the marks below it.
fn sanitize_line(chars: impl Iterator<Item = char>) -> String {
    sanitize(&chars.map(|c| if c == '\t' { ' ' } else { c }).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_graph::TextSpan;

    fn render_excerpt(text: &str, span: TextSpan) -> String {
        let problem = Problem::new(span, "`x` is unknown", "remove it");
        let file = Problems::new("g.yaml", text.as_bytes(), vec![problem]);
        let mut page = Page::new();
        draw_errors(&mut page, &file);
        anstream::adapter::strip_str(page.as_str()).to_string()
    }

    #[test]
    fn the_marks_are_below_the_problem() {
        let text = "a: 1\n\t今: [x, y]\n";
        let at = text.find('x').unwrap();
        insta::assert_snapshot!(render_excerpt(text, TextSpan::new(at, at + 1)), @r"
        error: `x` is unknown
         --> g.yaml:2:6
          |
        2 |  今: [x, y]
          |       ^
          = help: remove it
        ");
    }

    #[test]
    fn a_very_long_line_shows_only_the_surroundings() {
        let text = format!("{}x{}", "a".repeat(5_000_000), "b".repeat(5_000_000));
        let shown = render_excerpt(&text, TextSpan::new(5_000_000, 5_000_001));
        let line = format!("1 | …{}x{}…", "a".repeat(60), "b".repeat(60));
        assert_eq!(shown.lines().nth(3), Some(line.as_str()));
    }

    #[test]
    fn a_problem_of_an_empty_file_shows_no_line() {
        insta::assert_snapshot!(render_excerpt("", TextSpan::at_offset(0)), @r"
        error: `x` is unknown
         --> g.yaml:1:1
          = help: remove it
        ");
    }
}
