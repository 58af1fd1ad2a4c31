//! Refuses policies that Cedar accepts but that would not protect anything.
//!
//! Each refused construct looks like a condition but is none: an agent chooses its own name, a
//! pattern over a path or host can be evaded, and a comparison with an impossible text never holds.

use super::facts::{self, FactGroup};
use super::literals;
use super::tokens::{self, TokenKind};
use super::vocabulary::Vocabulary;
use crate::problem::{Problem, TextSpan};
use crate::suggest;
use cedar_policy::pst::{BinaryOp, Clause, Expr, Literal, UnaryOp, Var};
use cedar_policy::{ActionConstraint, EntityUid, Policy, PrincipalConstraint, ResourceConstraint};
use std::collections::BTreeSet;

/// The result of inspecting one policy. Spans are relative to the start of the policy.
pub(crate) struct Inspection {
    pub(crate) fact_groups: BTreeSet<FactGroup>,
    pub(crate) problems: Vec<Problem>,
}

pub(crate) fn inspect_policy(
    policy: &Policy,
    policy_text: &str,
    vocabulary: &Vocabulary<'_>,
) -> Inspection {
    let inspection = Inspection { fact_groups: BTreeSet::new(), problems: Vec::new() };
    let mut inspector = Inspector { policy_text, vocabulary, inspection };
    inspector.check_scope(policy);
    match policy.to_pst() {
        Ok(tree) => {
            for clause in tree.body().clauses() {
                let (Clause::When(condition) | Clause::Unless(condition)) = clause;
                inspector.check_expression(condition);
            }
        }
        Err(error) => inspector.report(
            inspector.whole_policy(),
            error.to_string(),
            "write it in a simpler way",
        ),
    }
    inspector.inspection
}

struct Inspector<'a> {
    policy_text: &'a str,
    vocabulary: &'a Vocabulary<'a>,
    inspection: Inspection,
}

impl Inspector<'_> {
    fn report(&mut self, span: TextSpan, message: impl Into<String>, help: impl Into<String>) {
        let problem = Problem::new(span, message, help);
        if !self.inspection.problems.contains(&problem) {
            self.inspection.problems.push(problem);
        }
    }

    fn whole_policy(&self) -> TextSpan {
        TextSpan::new(0, self.policy_text.len())
    }

    /// The span of the first occurrence of a word, or the whole policy.
    fn find_word(&self, word: &str) -> TextSpan {
        self.find_nth_word(word, 0)
    }

    fn find_nth_word(&self, word: &str, nth: usize) -> TextSpan {
        let tokens = tokens::tokenize(self.policy_text);
        let is_wanted =
            |token: &&tokens::PolicyToken<'_>| token.kind == TokenKind::Word && token.text == word;
        tokens
            .iter()
            .filter(is_wanted)
            .nth(nth)
            .map_or_else(|| self.whole_policy(), tokens::PolicyToken::span)
    }

    /// The span of the first occurrence of a string literal, or the whole policy.
    fn find_string(&self, content: &str) -> TextSpan {
        let tokens = tokens::tokenize(self.policy_text);
        let has_content = |text: &str| text.get(1..text.len().saturating_sub(1)) == Some(content);
        let found =
            tokens.iter().find(|token| token.kind == TokenKind::String && has_content(token.text));
        found.map_or_else(|| self.whole_policy(), |token| token.span())
    }

    fn check_scope(&mut self, policy: &Policy) {
        if policy.principal_constraint() != PrincipalConstraint::Any {
            self.report_indistinguishable("principal", 0);
        }
        if policy.resource_constraint() != ResourceConstraint::Any {
            self.report_indistinguishable("resource", 0);
        }
        match policy.action_constraint() {
            ActionConstraint::Any => {}
            ActionConstraint::Eq(action) => self.check_action(&action),
            ActionConstraint::In(actions) => {
                actions.iter().for_each(|action| self.check_action(action));
            }
        }
    }

    /// `nth` is 0 for the policy head, which names each variable once, and 1 for the conditions.
    fn report_indistinguishable(&mut self, variable: &str, nth: usize) {
        let message =
            format!("`{variable}` is the same for every call, so a policy cannot test it");
        let help =
            format!("write `{variable}` alone in the head, and test facts of the call in a `when`");
        self.report(self.find_nth_word(variable, nth), message, help);
    }

    fn check_action(&mut self, action: &EntityUid) {
        self.check_entity(&action.type_name().to_string(), action.id().unescaped());
    }

    fn check_entity(&mut self, kind: &str, name: &str) {
        let span = self.find_string(name);
        if kind != "Action" {
            let message = format!("`{kind}::\"{name}\"` has no meaning in a policy");
            return self.report(span, message, "name only actions, as `Action::\"files.delete\"`");
        }
        if self.vocabulary.contains(name) {
            return;
        }
        let message = format!("the graph has no action and no domain `{name}`");
        let fallback = "list the action in its domain, or name a listed one";
        self.report(span, message, suggest::did_you_mean(name, self.vocabulary.names(), fallback));
    }

    fn check_expression(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal(Literal::EntityUID(entity)) => {
                self.check_entity(&entity.ty.to_string(), &entity.eid);
            }
            Expr::Var(Var::Principal) => self.report_indistinguishable("principal", 1),
            Expr::Var(Var::Resource) => self.report_indistinguishable("resource", 1),
            Expr::Var(Var::Context) => self.report_whole_context("context"),
            Expr::Literal(_) | Expr::Var(Var::Action) => {}
            Expr::Like { expr, .. } => {
                self.report_pattern();
                self.check_expression(expr);
            }
            Expr::GetAttr { expr, attr } => self.check_attribute(expr, attr),
            Expr::HasAttr { expr, attrs } => {
                self.check_presence(expr, attrs.iter().map(|a| a.as_str()))
            }
            Expr::UnaryOp { op, expr } => {
                self.check_extension(*op);
                self.check_expression(expr);
            }
            Expr::BinaryOp { op, left, right } => {
                self.check_comparison(*op, left, right);
                self.check_expression(left);
                self.check_expression(right);
            }
            Expr::IfThenElse { cond, then_expr, else_expr } => {
                [cond, then_expr, else_expr]
                    .into_iter()
                    .for_each(|part| self.check_expression(part));
            }
            Expr::Set(items) => items.iter().for_each(|item| self.check_expression(item)),
            Expr::Record(fields) => fields.values().for_each(|field| self.check_expression(field)),
            Expr::Is { expr, in_expr, .. } => {
                self.check_expression(expr);
                in_expr.iter().for_each(|expr| self.check_expression(expr));
            }
            // Refuses expressions that later versions of Cedar add.
            _ => self.report(
                self.whole_policy(),
                "this policy uses an expression that is not supported",
                "write it with facts, comparisons, `&&`, `||` and `!`",
            ),
        }
    }

    /// Refuses extension types: no fact has one.
    fn check_extension(&mut self, op: UnaryOp) {
        let name = match op {
            UnaryOp::Not | UnaryOp::Neg | UnaryOp::IsEmpty => return,
            UnaryOp::Ip => "ip",
            UnaryOp::Decimal => "decimal",
            UnaryOp::Datetime => "datetime",
            UnaryOp::Duration => "duration",
            // Operators on extension values, which the constructors above already refuse.
            _ => return,
        };
        let message = format!("no fact has the type `{name}`");
        self.report(self.find_word(name), message, "compare facts with strings and whole numbers");
    }

    fn report_pattern(&mut self) {
        let message = "`like` compares text, and one path or host has many spellings";
        let help = "use `context.facts.under.contains(\"/a/folder\")` or \
                    `context.facts.hosts.contains(\"example.com\")`";
        self.report(self.find_word("like"), message, help);
    }

    fn report_whole_context(&mut self, label: &str) {
        let message = format!("`{label}` cannot be used as a whole");
        self.report(self.find_word("context"), message, "use `context.approved` or one fact");
    }

    fn check_attribute(&mut self, target: &Expr, name: &str) {
        if is_context(target) {
            match name {
                "approved" => {}
                "facts" => self.report_whole_context("context.facts"),
                other => self.report_unknown_name("context", other, ["approved", "facts"]),
            }
        } else if is_facts(target) {
            self.check_fact(name);
        } else {
            self.check_expression(target);
        }
    }

    fn check_presence<'n>(&mut self, target: &Expr, names: impl Iterator<Item = &'n str>) {
        let names: Vec<_> = names.collect();
        match names.as_slice() {
            [name, ..] if is_facts(target) => self.check_fact(name),
            ["facts", name, ..] if is_context(target) => self.check_fact(name),
            ["approved" | "facts"] if is_context(target) => {}
            [name, ..] if is_context(target) => {
                self.report_unknown_name("context", name, ["approved", "facts"])
            }
            _ => self.check_expression(target),
        }
    }

    fn check_fact(&mut self, name: &str) {
        match facts::group(name) {
            Some(group) => {
                self.inspection.fact_groups.insert(group);
            }
            None => self.report_unknown_name("context.facts", name, facts::names()),
        }
    }

    fn report_unknown_name<'k>(
        &mut self,
        target: &str,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        let known: Vec<_> = known.into_iter().collect();
        let message = format!("`{target}` has no `{name}`");
        let fallback = format!("use one of {}", crate::report::quote_words(&known));
        let span = self.find_word(name);
        self.report(span, message, suggest::did_you_mean(name, known, &fallback));
    }

    /// Refuses a comparison of a fact with a text that the fact can never equal.
    fn check_comparison(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        use BinaryOp::{Contains, ContainsAll, ContainsAny, Eq, NotEq};
        if !matches!(op, Eq | NotEq | Contains | ContainsAll | ContainsAny) {
            return;
        }
        for (fact, other) in [(left, right), (right, left)] {
            let Some(fact) = fact_name(fact) else { continue };
            for text in literal_texts(other) {
                if let Some((message, help)) = literals::find_fault(fact, &text) {
                    self.report(self.find_string(&text), message, help);
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

/// The string literals of an expression, alone or in a set.
fn literal_texts(expr: &Expr) -> Vec<String> {
    match expr {
        Expr::Literal(Literal::String(text)) => vec![text.to_string()],
        Expr::Set(items) => items.iter().flat_map(|item| literal_texts(item)).collect(),
        _ => Vec::new(),
    }
}
