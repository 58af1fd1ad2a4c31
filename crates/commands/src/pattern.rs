//! Expands the patterns of a command as a shell does: `*` and `?`, hidden names left out.

use crate::context::CommandContext;
use crate::denied_path::could_match;
use crate::limits;

/// The words that a pattern expands to in this folder, or why nobody can say. There are none if it
/// matches nothing.
pub(crate) fn expand_pattern(
    pattern: &str,
    folder: &str,
    context: &CommandContext,
) -> Result<Vec<String>, String> {
    let unclear = |why: &str| Err(format!("the pattern `{pattern}` {why}"));
    let (root, rest) = match pattern.strip_prefix('/') {
        Some(rest) => ("/", rest),
        None => ("", pattern),
    };
    let mut found = vec![root.to_owned()];
    let mut is_matching = false;
    for part in rest.split('/') {
        let has_wildcard = part.contains(['*', '?']);
        if part.is_empty() || (has_wildcard && part.starts_with('.')) {
            return unclear("is read differently by shells");
        }
        // Every folder has these two, and no listing of one does.
        if is_matching && matches!(part, "." | "..") {
            return unclear("leads up again from what it matches");
        }
        is_matching |= has_wildcard;
        if !is_matching {
            found.iter_mut().for_each(|prefix| push_part(prefix, part));
            continue;
        }
        found = match match_part(&found, part, folder, context) {
            Ok(next) => next,
            Err(why) => return unclear(why),
        };
        if found.len() > limits::MAX_GLOB_MATCHES {
            return unclear("matches more names than anybody reads");
        }
    }
    found.sort();
    Ok(found)
}

fn push_part(prefix: &mut String, part: &str) {
    if !prefix.is_empty() && !prefix.ends_with('/') {
        prefix.push('/');
    }
    prefix.push_str(part);
}

/// The prefixes with every name that this part of the pattern matches.
fn match_part(
    prefixes: &[String],
    part: &str,
    folder: &str,
    context: &CommandContext,
) -> Result<Vec<String>, &'static str> {
    let mut found = Vec::new();
    for prefix in prefixes {
        let is_missing = || {
            use crate::context::PathEntry::{Missing, Other};
            matches!(context.disk.read_entry(prefix, Some(folder)), Missing | Other)
        };
        // Not by the text alone: `link/..` is not the folder of `link`.
        let listed = match prefix.starts_with('/') {
            true => prefix.clone(),
            false => format!("{folder}/{prefix}"),
        };
        let Some(names) = context.disk.list_folder(&listed) else {
            if !prefix.is_empty() && is_missing() {
                continue;
            }
            return Err("leads through a folder that cannot be listed");
        };
        for name in names.iter().filter(|name| could_match(part, name)) {
            let mut word = prefix.clone();
            push_part(&mut word, name);
            found.push(word);
        }
    }
    Ok(found)
}
