//! Finds string literals that no fact can ever equal.
//!
//! Each fact has one canonical form. A policy that compares it with another form would never
//! apply, and a `forbid` that never applies only looks like protection.

/// The message and the help if the fact can never equal this text.
pub(crate) fn find_fault(fact: &str, text: &str) -> Option<(String, String)> {
    let help = match fact {
        "path" if !is_path(text, &["/"]) => {
            "write an absolute path without `..`, `//` or a slash at its end"
        }
        "under" if !is_path(text, &["/", "~", "."]) => {
            "write a folder as `/srv/data`, `~/.config` or `./src`, without a slash at its end"
        }
        "name" if text.is_empty() || text.contains('/') => "write the last part of a path only",
        "host" | "hosts" | "recipient_hosts" if !is_host(text) => {
            "write a host in lower case, without scheme, port, path or `*`"
        }
        "scheme" if !is_scheme(text) => "write a scheme in lower case, without `:`",
        "currency" if !is_currency(text) => "write the three capital letters of a currency",
        "branch" if !is_branch(text) => "write the name of a branch, without `refs/heads/`",
        _ => return None,
    };
    let message = format!("the fact `{fact}` is never `{}`", text.escape_debug());
    Some((message, help.to_owned()))
}

/// Whether the text is a path in canonical form that starts with one of `beginnings`.
fn is_path(text: &str, beginnings: &[&str]) -> bool {
    if text == "/" {
        return true;
    }
    let below = |beginning: &&str| match *beginning {
        "/" => text.strip_prefix('/'),
        other if text == other => Some("x"),
        other => text.strip_prefix(other).and_then(|rest| rest.strip_prefix('/')),
    };
    let Some(rest) = beginnings.iter().find_map(below) else { return false };
    rest.split('/').all(|part| !matches!(part, "" | "." | "..")) && !text.contains('*')
}

fn is_host(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-._:[]".contains(&b);
    let is_address = text.parse::<std::net::IpAddr>().is_ok();
    !text.is_empty()
        && text.bytes().all(plain)
        && (is_address || !text.contains([':', '[', ']']))
        && !text.starts_with('.')
        && !text.ends_with('.')
}

fn is_scheme(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"+-.".contains(&b);
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(plain)
}

fn is_currency(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase())
}

fn is_branch(text: &str) -> bool {
    !text.is_empty() && !text.starts_with("refs/") && !text.contains([' ', ':', '*', '+', '^', '~'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_canonical_form_of_a_fact_is_accepted() {
        for (fact, text) in [
            ("path", "/etc/passwd"),
            ("path", "/"),
            ("under", "/tmp"),
            ("under", "~"),
            ("under", "~/.config"),
            ("under", "."),
            ("under", "./src/a b"),
            ("name", ".env"),
            ("hosts", "example.com"),
            ("host", "10.0.0.1"),
            ("host", "::1"),
            ("scheme", "https"),
            ("currency", "EUR"),
            ("branch", "release/1.0"),
            ("known_recipient", "whatever"),
        ] {
            assert_eq!(find_fault(fact, text), None, "{fact} {text}");
        }
        for (fact, text) in [
            ("path", "/tmp/"),
            ("path", "tmp"),
            ("path", "~/x"),
            ("path", "/a/../b"),
            ("path", "/a//b"),
            ("under", "/tmp/*"),
            ("under", "src"),
            ("under", "~x"),
            ("under", ""),
            ("name", "a/b"),
            ("hosts", "Example.com"),
            ("hosts", "*.example.com"),
            ("hosts", ".example.com"),
            ("hosts", "example.com."),
            ("hosts", "example.com:443"),
            ("host", "https://example.com"),
            ("host", "bücher.de"),
            ("scheme", "HTTPS"),
            ("scheme", "https:"),
            ("currency", "eur"),
            ("currency", "€"),
            ("branch", "refs/heads/main"),
            ("branch", "feature/*"),
        ] {
            assert!(find_fault(fact, text).is_some(), "{fact} {text}");
        }
    }
}
