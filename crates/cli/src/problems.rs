//! Problems of a file, drawn with their place, the line itself and what to do.

use crate::limits;
use crate::page::{BOLD, CYAN, Page, RED, YELLOW};
use crate::plain::{plain, width};
use anstyle::Style;
use countersign_graph::problem::LineColumn;
use countersign_graph::{Problem, Problems};
use serde_json::{Value, json};

pub(crate) fn errors(page: &mut Page, found: &Problems) {
    found.list().iter().for_each(|problem| draw(page, found, problem, ("error", RED.bold())));
}

pub(crate) fn warnings(page: &mut Page, found: &Problems) {
    found.list().iter().for_each(|problem| draw(page, found, problem, ("warning", YELLOW.bold())));
}

/// Findings, under the word of the check that made them.
pub(crate) fn findings(page: &mut Page, found: &Problems, check: &str) {
    found.list().iter().for_each(|problem| draw(page, found, problem, (check, YELLOW.bold())));
}

pub(crate) fn json(found: &Problems) -> Value {
    let one = |problem: &Problem| {
        let LineColumn { line, column } = LineColumn::from_offset(found.text(), problem.span.start);
        json!({
            "file": found.name(),
            "line": line,
            "column": column,
            "message": problem.message,
            "help": problem.help,
        })
    };
    found.list().iter().map(one).collect()
}

fn draw(page: &mut Page, found: &Problems, problem: &Problem, (word, style): (&str, Style)) {
    let place = LineColumn::from_offset(found.text(), problem.span.start);
    let number = place.line.to_string();
    let margin = number.len() + 1;
    page.styled(style, word).styled(BOLD, ": ").styled(BOLD, &problem.message).end();
    page.blanks(margin - 1).styled(CYAN, "--> ").text(&format!("{}:{place}", found.name())).end();
    if let Some(excerpt) = Excerpt::of(found.text(), problem) {
        page.blanks(margin).styled(CYAN, "|").end();
        page.styled(CYAN, &format!("{number} | ")).text(&excerpt.line).end();
        page.blanks(margin).styled(CYAN, "| ").blanks(excerpt.before);
        page.styled(style, &"^".repeat(excerpt.marked)).end();
    }
    page.blanks(margin).styled(CYAN, "= ").styled(BOLD, "help").text(": ").text(&problem.help);
    page.end();
}

/// The part of a line that a problem is about, with what stands around it.
struct Excerpt {
    line: String,
    before: usize,
    marked: usize,
}

impl Excerpt {
    /// Nothing where the line is empty: an empty frame shows nobody anything.
    fn of(text: &str, problem: &Problem) -> Option<Self> {
        let (head, rest) = text.split_at_checked(problem.span.start)?;
        let lead = head.rsplit('\n').next()?;
        let line = rest.split(['\n', '\r']).next()?;
        let length = problem.span.end.saturating_sub(problem.span.start).min(line.len());
        let (marked, tail) = line.split_at_checked(length)?;
        let (lead, marked, tail) = (last(lead), first(marked), first(tail));
        let whole = format!("{lead}{marked}{tail}");
        (!whole.trim().is_empty()).then(|| Self {
            before: width(&lead),
            marked: width(&marked).max(1),
            line: whole,
        })
    }
}

fn first(text: &str) -> String {
    let shown = fit(text.chars().take(limits::AROUND));
    if text.chars().nth(limits::AROUND).is_some() { format!("{shown}…") } else { shown }
}

fn last(text: &str) -> String {
    let more = text.chars().count().saturating_sub(limits::AROUND);
    let shown = fit(text.chars().skip(more));
    if more > 0 { format!("…{shown}") } else { shown }
}

/// A tab would be drawn as an escape, and indentation is all it means here.
fn fit(chars: impl Iterator<Item = char>) -> String {
    plain(&chars.map(|c| if c == '\t' { ' ' } else { c }).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_graph::Span;

    fn drawn(text: &str, span: Span) -> String {
        let problem = Problem::new(span, "`x` is unknown", "remove it");
        let found = Problems::new("g.yaml", text.as_bytes(), vec![problem]);
        let mut page = Page::new();
        errors(&mut page, &found);
        anstream::adapter::strip_str(page.as_str()).to_string()
    }

    #[test]
    fn the_mark_stands_below_what_it_means() {
        let text = "a: 1\n\t今: [x, y]\n";
        let at = text.find('x').unwrap();
        insta::assert_snapshot!(drawn(text, Span::new(at, at + 1)), @r"
        error: `x` is unknown
         --> g.yaml:2:6
          |
        2 |  今: [x, y]
          |       ^
          = help: remove it
        ");
    }

    #[test]
    fn of_a_very_long_line_only_the_surroundings_are_shown() {
        let text = format!("{}x{}", "a".repeat(5_000_000), "b".repeat(5_000_000));
        let shown = drawn(&text, Span::new(5_000_000, 5_000_001));
        let line = format!("1 | …{}x{}…", "a".repeat(60), "b".repeat(60));
        assert_eq!(shown.lines().nth(3), Some(line.as_str()));
    }

    #[test]
    fn a_problem_of_an_empty_file_shows_no_line() {
        insta::assert_snapshot!(drawn("", Span::at(0)), @r"
        error: `x` is unknown
         --> g.yaml:1:1
          = help: remove it
        ");
    }
}
