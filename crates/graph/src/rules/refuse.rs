//! What no policy may say, although Cedar would read it.
//!
//! Each of these would look like a condition and be none: an agent's name is what the agent says,
//! a pattern over a path or host can be talked around, and a text that no fact can ever be equal to
//! never applies.

use super::facts::{self, Group};
use super::literals;
use super::text::{self, Kind};
use super::vocabulary::Vocabulary;
use crate::problem::{Problem, Span};
use crate::suggest;
use cedar_policy::pst::{BinaryOp, Clause, Expr, Literal, UnaryOp, Var};
use cedar_policy::{ActionConstraint, EntityUid, Policy, PrincipalConstraint, ResourceConstraint};
use std::collections::BTreeSet;

/// What was found in one policy; places count from its beginning.
pub(crate) struct Found {
    pub(crate) looks_at: BTreeSet<Group>,
    pub(crate) problems: Vec<Problem>,
}

pub(crate) fn look(policy: &Policy, written: &str, vocabulary: &Vocabulary<'_>) -> Found {
    let found = Found { looks_at: BTreeSet::new(), problems: Vec::new() };
    let mut walk = Walk { written, vocabulary, found };
    walk.scope(policy);
    match policy.to_pst() {
        Ok(tree) => {
            for clause in tree.body().clauses() {
                let (Clause::When(condition) | Clause::Unless(condition)) = clause;
                walk.expression(condition);
            }
        }
        Err(error) => walk.report(walk.whole(), error.to_string(), "write it in a simpler way"),
    }
    walk.found
}

struct Walk<'a> {
    written: &'a str,
    vocabulary: &'a Vocabulary<'a>,
    found: Found,
}

impl Walk<'_> {
    fn report(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        let problem = Problem::new(span, message, help);
        if !self.found.problems.contains(&problem) {
            self.found.problems.push(problem);
        }
    }

    fn whole(&self) -> Span {
        Span::new(0, self.written.len())
    }

    /// Where a word first stands, or the whole policy.
    fn word(&self, word: &str) -> Span {
        self.nth_word(word, 0)
    }

    fn nth_word(&self, word: &str, nth: usize) -> Span {
        let tokens = text::tokens(self.written);
        let is_it = |token: &&text::Token<'_>| token.kind == Kind::Word && token.text == word;
        tokens.iter().filter(is_it).nth(nth).map_or_else(|| self.whole(), text::Token::span)
    }

    /// Where a string first stands, or the whole policy.
    fn string(&self, content: &str) -> Span {
        let tokens = text::tokens(self.written);
        let inner = |text: &str| text.get(1..text.len().saturating_sub(1)) == Some(content);
        let found = tokens.iter().find(|token| token.kind == Kind::Text && inner(token.text));
        found.map_or_else(|| self.whole(), |token| token.span())
    }

    fn scope(&mut self, policy: &Policy) {
        if policy.principal_constraint() != PrincipalConstraint::Any {
            self.nobody("principal", 0);
        }
        if policy.resource_constraint() != ResourceConstraint::Any {
            self.nobody("resource", 0);
        }
        match policy.action_constraint() {
            ActionConstraint::Any => {}
            ActionConstraint::Eq(action) => self.action(&action),
            ActionConstraint::In(actions) => {
                actions.iter().for_each(|action| self.action(action));
            }
        }
    }

    /// The head names each of them once; further ones stand in conditions.
    fn nobody(&mut self, variable: &str, nth: usize) {
        let message = format!("`{variable}` cannot be told apart: it is the same for every call");
        let help = format!(
            "write `{variable}` alone in the head, and ask for facts of the call in a `when`"
        );
        self.report(self.nth_word(variable, nth), message, help);
    }

    fn action(&mut self, action: &EntityUid) {
        self.named(&action.type_name().to_string(), action.id().unescaped());
    }

    fn named(&mut self, kind: &str, name: &str) {
        let span = self.string(name);
        if kind != "Action" {
            let message = format!("`{kind}::\"{name}\"` stands for nothing in a policy");
            return self.report(span, message, "name actions only, as `Action::\"files.delete\"`");
        }
        if self.vocabulary.knows(name) {
            return;
        }
        let message = format!("the graph has no action and no domain `{name}`");
        let otherwise = "list the action in its domain, or name one that is listed";
        self.report(span, message, suggest::help(name, self.vocabulary.names(), otherwise));
    }

    fn expression(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal(Literal::EntityUID(entity)) => {
                self.named(&entity.ty.to_string(), &entity.eid);
            }
            Expr::Var(Var::Principal) => self.nobody("principal", 1),
            Expr::Var(Var::Resource) => self.nobody("resource", 1),
            Expr::Var(Var::Context) => self.bare("context"),
            Expr::Literal(_) | Expr::Var(Var::Action) => {}
            Expr::Like { expr, .. } => {
                self.pattern();
                self.expression(expr);
            }
            Expr::GetAttr { expr, attr } => self.attribute(expr, attr),
            Expr::HasAttr { expr, attrs } => self.presence(expr, attrs.iter().map(|a| a.as_str())),
            Expr::UnaryOp { op, expr } => {
                self.extension(*op);
                self.expression(expr);
            }
            Expr::BinaryOp { op, left, right } => {
                self.comparison(*op, left, right);
                self.expression(left);
                self.expression(right);
            }
            Expr::IfThenElse { cond, then_expr, else_expr } => {
                [cond, then_expr, else_expr].into_iter().for_each(|part| self.expression(part));
            }
            Expr::Set(items) => items.iter().for_each(|item| self.expression(item)),
            Expr::Record(fields) => fields.values().for_each(|field| self.expression(field)),
            Expr::Is { expr, in_expr, .. } => {
                self.expression(expr);
                in_expr.iter().for_each(|expr| self.expression(expr));
            }
            // What Cedar adds later is not understood here, and so not let in.
            _ => self.report(
                self.whole(),
                "this policy uses something that is not understood here",
                "write it with facts, comparisons, `&&`, `||` and `!`",
            ),
        }
    }

    /// Known to Cedar only in programs that switch them on; no fact is of their kind.
    fn extension(&mut self, op: UnaryOp) {
        let name = match op {
            UnaryOp::Not | UnaryOp::Neg | UnaryOp::IsEmpty => return,
            UnaryOp::Ip => "ip",
            UnaryOp::Decimal => "decimal",
            UnaryOp::Datetime => "datetime",
            UnaryOp::Duration => "duration",
            // These take what the others make.
            _ => return,
        };
        let message = format!("no fact is a `{name}`");
        self.report(self.word(name), message, "compare facts with texts and whole numbers");
    }

    fn pattern(&mut self) {
        let message = "`like` matches text, and text can be written in many ways";
        let help = "ask `context.facts.under.contains(\"/a/folder\")` or \
                    `context.facts.hosts.contains(\"example.com\")`";
        self.report(self.word("like"), message, help);
    }

    fn bare(&mut self, what: &str) {
        let message = format!("`{what}` as a whole is not a condition");
        self.report(self.word("context"), message, "ask for `context.approved` or for one fact");
    }

    fn attribute(&mut self, of: &Expr, name: &str) {
        if is_context(of) {
            match name {
                "approved" => {}
                "facts" => self.bare("context.facts"),
                other => self.unknown("context", other, ["approved", "facts"]),
            }
        } else if is_facts(of) {
            self.fact(name);
        } else {
            self.expression(of);
        }
    }

    fn presence<'n>(&mut self, of: &Expr, names: impl Iterator<Item = &'n str>) {
        let names: Vec<_> = names.collect();
        match names.as_slice() {
            [name, ..] if is_facts(of) => self.fact(name),
            ["facts", name, ..] if is_context(of) => self.fact(name),
            ["approved" | "facts"] if is_context(of) => {}
            [name, ..] if is_context(of) => self.unknown("context", name, ["approved", "facts"]),
            _ => self.expression(of),
        }
    }

    fn fact(&mut self, name: &str) {
        match facts::group(name) {
            Some(group) => {
                self.found.looks_at.insert(group);
            }
            None => self.unknown("context.facts", name, facts::names()),
        }
    }

    fn unknown<'k>(&mut self, of: &str, name: &str, known: impl IntoIterator<Item = &'k str>) {
        let known: Vec<_> = known.into_iter().collect();
        let message = format!("`{of}` has no `{name}`");
        let otherwise = format!("ask for one of {}", crate::report::quoted(&known));
        let span = self.word(name);
        self.report(span, message, suggest::help(name, known, &otherwise));
    }

    /// A text that is compared with a fact must be one that the fact can be.
    fn comparison(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        use BinaryOp::{Contains, ContainsAll, ContainsAny, Eq, NotEq};
        if !matches!(op, Eq | NotEq | Contains | ContainsAll | ContainsAny) {
            return;
        }
        for (fact, other) in [(left, right), (right, left)] {
            let Some(fact) = fact_name(fact) else { continue };
            for text in texts(other) {
                if let Some((message, help)) = literals::fault(fact, &text) {
                    self.report(self.string(&text), message, help);
                }
            }
        }
    }
}

fn is_context(expr: &Expr) -> bool {
    matches!(expr, Expr::Var(Var::Context))
}

fn is_facts(expr: &Expr) -> bool {
    matches!(expr, Expr::GetAttr { expr, attr } if is_context(expr) && attr == "facts")
}

fn fact_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::GetAttr { expr, attr } if is_facts(expr) => Some(attr),
        _ => None,
    }
}

/// The strings that an expression spells out, alone or in a set.
fn texts(expr: &Expr) -> Vec<String> {
    match expr {
        Expr::Literal(Literal::String(text)) => vec![text.to_string()],
        Expr::Set(items) => items.iter().flat_map(|item| texts(item)).collect(),
        _ => Vec::new(),
    }
}
