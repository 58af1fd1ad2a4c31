//! How facts hang together: what holds for the facts of every call.
//!
//! The solver knows nothing of folders and domains. Left alone it would show a path that lies
//! under `/tmp` and not under `/`. Each condition here is true of every call, so that leaving one
//! out only makes the solver's work less exact; a false one would make it wrong.

use crate::spelled::Spelled;
use cedar_policy::{Context, Entities, EntityUid, Expression, Policy, PolicyId, Request};
use cedar_policy::{EvalResult, RestrictedExpression, eval_expression};
use countersign_graph::policies::{ArgumentFacts, FactGroup};
use std::net::IpAddr;
use std::str::FromStr;

/// Policies that take out of a set whatever no call can be.
pub(crate) fn forbidding_the_rest(spelled: &Spelled) -> Result<Vec<Policy>, String> {
    let conditions = conditions(spelled).into_iter().enumerate();
    conditions
        .map(|(number, condition)| {
            let id = PolicyId::new(format!("(facts {number})"));
            let text = format!("forbid(principal, action, resource) unless {{ {condition} }};");
            Policy::parse(Some(id), text).map_err(|error| format!("{condition}: {error}"))
        })
        .collect()
}

/// Whether the conditions hold for these facts, where policies spell out these texts. What does
/// not hold is the error.
pub fn are_possible(facts: &ArgumentFacts, texts: &[&str]) -> Result<(), String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let record = RestrictedExpression::new_record(facts.cedar_fields()).map_err(|e| said(&e))?;
    let context = Context::from_pairs([("facts".to_owned(), record)]).map_err(|e| said(&e))?;
    let entity = |name| EntityUid::from_str(name).map_err(|e| said(&e));
    let request = Request::new(
        entity("Agent::\"any\"")?,
        entity("Action::\"any\"")?,
        entity("Target::\"any\"")?,
        context,
        None,
    )
    .map_err(|e| said(&e))?;
    for condition in conditions(&Spelled::everything(texts)) {
        let expression = Expression::from_str(&condition).map_err(|e| said(&e))?;
        let held = eval_expression(&request, &Entities::empty(), &expression);
        if held.map_err(|e| said(&e))? != EvalResult::Bool(true) {
            return Err(condition);
        }
    }
    Ok(())
}

fn conditions(spelled: &Spelled) -> Vec<String> {
    let mut found = Vec::new();
    for group in &spelled.groups {
        match group {
            FactGroup::Path => path(spelled, &mut found),
            FactGroup::Host => host(spelled, &mut found),
            FactGroup::Recipient => recipient(spelled, &mut found),
            FactGroup::Amount => found.extend([
                "context.facts has amount || !(context.facts has currency)".to_owned(),
                "if context.facts has amount then (context.facts.amount >= 0) else true".to_owned(),
            ]),
            FactGroup::Branch => {}
        }
    }
    found
}

fn path(spelled: &Spelled, found: &mut Vec<String>) {
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
    for name in spelled.of("name").into_iter().filter(|name| !matches!(*name, "." | "..")) {
        found.push(format!(
            "if context.facts has path then ((context.facts has name && \
             context.facts.name == \"{}\") == (context.facts.path like \"*/{}\")) else true",
            quoted(name),
            pattern(name)
        ));
    }
    let folders = spelled.of("under");
    for folder in &folders {
        match folder.get(..1) {
            Some("/") => absolute(folder, found),
            Some(sign) => relative(sign, folder, found),
            None => {}
        }
    }
    for sign in [".", "~"] {
        let seen: Vec<_> = folders.iter().copied().filter(|text| text.starts_with(sign)).collect();
        apart(&seen, is_folder_above, "under", found);
    }
}

fn absolute(folder: &str, found: &mut Vec<String>) {
    if folder != "/" {
        found.push(format!(
            "if context.facts has path then (context.facts.under.contains(\"{0}\") == \
             (context.facts.path == \"{0}\" || context.facts.path like \"{1}/*\")) else true",
            quoted(folder),
            pattern(folder)
        ));
    }
}

/// A folder that is seen from the workspace or the home folder, wherever these are.
fn relative(sign: &str, folder: &str, found: &mut Vec<String>) {
    let Some(below) = folder.strip_prefix(sign).filter(|below| !below.is_empty()) else { return };
    let above = folder.rsplit_once('/').map_or(sign, |(above, _)| above);
    found.push(format!(
        "!context.facts.under.contains(\"{0}\") || (context.facts.under.contains(\"{1}\") && \
         context.facts has path && \
         (context.facts.path like \"*{2}\" || context.facts.path like \"*{2}/*\"))",
        quoted(folder),
        quoted(above),
        pattern(below)
    ));
    // The folders between have to be spoken of too, or they would hold nothing together.
    relative(sign, above, found);
}

fn is_folder_above(above: &str, folder: &str) -> bool {
    folder.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

fn host(spelled: &Spelled, found: &mut Vec<String>) {
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
    for name in spelled.of("hosts").into_iter().filter(|name| !ends_in_a_number(name)) {
        let below = match name.parse::<IpAddr>() {
            Ok(_) => String::new(),
            Err(_) => format!(" || context.facts.host like \"*.{}\"", pattern(name)),
        };
        found.push(format!(
            "if context.facts has host then (context.facts.hosts.contains(\"{0}\") == \
             (context.facts.host == \"{0}\"{below})) else true",
            quoted(name)
        ));
    }
}

/// Such a host is an address, and an address belongs to no domain.
fn ends_in_a_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    name.parse::<IpAddr>().is_err() && last.starts_with(|c: char| c.is_ascii_digit())
}

fn recipient(spelled: &Spelled, found: &mut Vec<String>) {
    let hosts = spelled.of("recipient_hosts");
    apart(&hosts, is_domain_above, "recipient_hosts", found);
}

fn is_domain_above(above: &str, name: &str) -> bool {
    name.parse::<IpAddr>().is_err()
        && name.strip_suffix(above).is_some_and(|rest| rest.ends_with('.'))
}

/// Of two texts in one set, one is above the other; and what is above is in the set as well.
fn apart(texts: &[&str], is_above: fn(&str, &str) -> bool, fact: &str, found: &mut Vec<String>) {
    let has = |text: &str| format!("context.facts.{fact}.contains(\"{}\")", quoted(text));
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

/// As it stands inside of quotes in Cedar.
fn quoted(text: &str) -> String {
    let debug = format!("{text:?}");
    debug.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default().to_owned()
}

/// The same, where a star is a star.
fn pattern(text: &str) -> String {
    quoted(text).replace('*', "\\*")
}
