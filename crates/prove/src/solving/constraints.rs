//! Constraints that the facts of every call satisfy.
//!
//! The solver knows nothing about folders and domains. Without constraints its example could be a
//! path under `/tmp` that is not under `/`. Each constraint has to be true for every call: a missing
//! one only makes the solver less exact, but a false one would make a proof wrong.

use super::literals::PolicyLiterals;
use cedar_policy::{Context, Entities, EntityUid, Expression, Policy, PolicyId, Request};
use cedar_policy::{EvalResult, RestrictedExpression, eval_expression};
use countersign_graph::policies::{ArgumentFacts, FactGroup};
use std::net::IpAddr;
use std::str::FromStr;

/// Policies that exclude facts which no call can have.
pub(crate) fn forbid_impossible_facts(literals: &PolicyLiterals) -> Result<Vec<Policy>, String> {
    let conditions = list_conditions(literals).into_iter().enumerate();
    conditions
        .map(|(number, condition)| {
            let id = PolicyId::new(format!("(facts {number})"));
            let text = format!("forbid(principal, action, resource) unless {{ {condition} }};");
            Policy::parse(Some(id), text).map_err(|error| format!("{condition}: {error}"))
        })
        .collect()
}

/// Checks that the constraints hold for these facts, if policies compare with these texts. The error
/// is the constraint that does not hold.
pub fn check_facts_possible(facts: &ArgumentFacts, texts: &[&str]) -> Result<(), String> {
    let message = |error: &dyn std::fmt::Display| error.to_string();
    let record = RestrictedExpression::new_record(facts.cedar_fields()).map_err(|e| message(&e))?;
    let context = Context::from_pairs([("facts".to_owned(), record)]).map_err(|e| message(&e))?;
    let entity = |name| EntityUid::from_str(name).map_err(|e| message(&e));
    let request = Request::new(
        entity("Agent::\"any\"")?,
        entity("Action::\"any\"")?,
        entity("Target::\"any\"")?,
        context,
        None,
    )
    .map_err(|e| message(&e))?;
    for condition in list_conditions(&PolicyLiterals::with_all_facts(texts)) {
        let expression = Expression::from_str(&condition).map_err(|e| message(&e))?;
        let value = eval_expression(&request, &Entities::empty(), &expression);
        if value.map_err(|e| message(&e))? != EvalResult::Bool(true) {
            return Err(condition);
        }
    }
    Ok(())
}

fn list_conditions(literals: &PolicyLiterals) -> Vec<String> {
    let mut found = Vec::new();
    for group in &literals.groups {
        match group {
            FactGroup::Path => add_path_conditions(literals, &mut found),
            FactGroup::Host => add_host_conditions(literals, &mut found),
            FactGroup::Recipient => add_recipient_conditions(literals, &mut found),
            FactGroup::Amount => found.extend([
                "context.facts has amount || !(context.facts has currency)".to_owned(),
                "if context.facts has amount then (context.facts.amount >= 0) else true".to_owned(),
            ]),
            FactGroup::Branch => {}
        }
    }
    found
}

fn add_path_conditions(literals: &PolicyLiterals, found: &mut Vec<String>) {
    found.extend(
        [
            "context.facts has path || context.facts.under.isEmpty()",
            "context.facts has path || context.facts has name || !context.facts.secret",
            "context.facts.in_workspace == context.facts.under.contains(\".\")",
            "if context.facts has path then (context.facts.under.contains(context.facts.path)) else true",
            "if context.facts has path then (context.facts.under.contains(\"/\")) else true",
            "if context.facts has path then (\
             (context.facts.path like \"/*\" && !(context.facts.path like \"*//*\"))) else true",
            "if context.facts has path then (context.facts.path == \"/\" || \
             !(context.facts.path like \"*/\")) else true",
            "if context.facts has path then ((context.facts has name) == (context.facts.path != \"/\")) else true",
            "if context.facts has name then (\
             (context.facts.name != \"\" && !(context.facts.name like \"*/*\"))) else true",
        ]
        .map(str::to_owned),
    );
    for name in literals.texts_for("name").into_iter().filter(|name| !matches!(*name, "." | "..")) {
        found.push(format!(
            "if context.facts has path then ((context.facts has name && \
             context.facts.name == \"{}\") == (context.facts.path like \"*/{}\")) else true",
            escape_literal(name),
            escape_pattern(name)
        ));
    }
    let folders = literals.texts_for("under");
    for folder in &folders {
        match folder.get(..1) {
            Some("/") => add_absolute_folder(folder, found),
            Some(sign) => add_relative_folder(sign, folder, found),
            None => {}
        }
    }
    for sign in [".", "~"] {
        let relative: Vec<_> =
            folders.iter().copied().filter(|text| text.starts_with(sign)).collect();
        add_hierarchy_conditions(&relative, is_folder_above, "under", found);
    }
}

fn add_absolute_folder(folder: &str, found: &mut Vec<String>) {
    if folder != "/" {
        found.push(format!(
            "if context.facts has path then (context.facts.under.contains(\"{0}\") == \
             (context.facts.path == \"{0}\" || context.facts.path like \"{1}/*\")) else true",
            escape_literal(folder),
            escape_pattern(folder)
        ));
    }
}

/// A folder relative to the workspace or the home folder.
fn add_relative_folder(sign: &str, folder: &str, found: &mut Vec<String>) {
    let Some(below) = folder.strip_prefix(sign).filter(|below| !below.is_empty()) else { return };
    let above = folder.rsplit_once('/').map_or(sign, |(above, _)| above);
    found.push(format!(
        "!context.facts.under.contains(\"{0}\") || (context.facts.under.contains(\"{1}\") && \
         context.facts has path && \
         (context.facts.path like \"*{2}\" || context.facts.path like \"*{2}/*\"))",
        escape_literal(folder),
        escape_literal(above),
        escape_pattern(below)
    ));
    // Each folder in between needs its own constraint to connect the two.
    add_relative_folder(sign, above, found);
}

fn is_folder_above(above: &str, folder: &str) -> bool {
    folder.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

fn add_host_conditions(literals: &PolicyLiterals, found: &mut Vec<String>) {
    found.extend(
        [
            "context.facts has host || context.facts.hosts.isEmpty()",
            "context.facts has host || !context.facts.local_network",
            "context.facts has host || !(context.facts has scheme || context.facts has port)",
            "if context.facts has host then (\
             (context.facts.host != \"\" && context.facts.hosts.contains(context.facts.host))) else true",
            "if context.facts has port then ((context.facts.port >= 0 && context.facts.port <= 65535)) else true",
        ]
        .map(str::to_owned),
    );
    for name in literals.texts_for("hosts").into_iter().filter(|name| !has_numeric_last_label(name))
    {
        let below = match name.parse::<IpAddr>() {
            Ok(_) => String::new(),
            Err(_) => format!(" || context.facts.host like \"*.{}\"", escape_pattern(name)),
        };
        found.push(format!(
            "if context.facts has host then (context.facts.hosts.contains(\"{0}\") == \
             (context.facts.host == \"{0}\"{below})) else true",
            escape_literal(name)
        ));
    }
}

/// Such a host would be an IP address, which belongs to no domain.
fn has_numeric_last_label(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    name.parse::<IpAddr>().is_err() && last.starts_with(|c: char| c.is_ascii_digit())
}

fn add_recipient_conditions(literals: &PolicyLiterals, found: &mut Vec<String>) {
    let hosts = literals.texts_for("recipient_hosts");
    add_hierarchy_conditions(&hosts, is_domain_above, "recipient_hosts", found);
}

fn is_domain_above(above: &str, name: &str) -> bool {
    name.parse::<IpAddr>().is_err()
        && name.strip_suffix(above).is_some_and(|rest| rest.ends_with('.'))
}

/// Of two texts in one set, one contains the other, and the containing one is in the set as well.
fn add_hierarchy_conditions(
    texts: &[&str],
    is_above: fn(&str, &str) -> bool,
    fact: &str,
    found: &mut Vec<String>,
) {
    let has = |text: &str| format!("context.facts.{fact}.contains(\"{}\")", escape_literal(text));
    for (index, one) in texts.iter().enumerate() {
        for other in texts.iter().skip(index + 1) {
            found.push(match (is_above(one, other), is_above(other, one)) {
                (true, _) => format!("!{} || {}", has(other), has(one)),
                (false, true) => format!("!{} || {}", has(one), has(other)),
                (false, false) => format!("!({} && {})", has(one), has(other)),
            });
        }
    }
}

/// Escapes a text for a Cedar string literal.
fn escape_literal(text: &str) -> String {
    let debug = format!("{text:?}");
    debug.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default().to_owned()
}

/// Escapes a text for a Cedar pattern, where `*` is a wildcard.
fn escape_pattern(text: &str) -> String {
    escape_literal(text).replace('*', "\\*")
}
