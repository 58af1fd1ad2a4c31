//! Detects host names that a reader could mistake for another host.

use unicode_security::{GeneralSecurityProfile, MixedScript};

/// Explains why the host in `text` is deceptive, if it is.
pub(crate) fn describe_deceptive_host(text: &str) -> Option<&'static str> {
    let host = parse_host(text)?;
    if host.split('.').any(|label| label.get(..4).is_some_and(|l| l.eq_ignore_ascii_case("xn--"))) {
        return Some("the host is written in letters of another script");
    }
    if host.is_ascii() {
        return None;
    }
    let has_unusual_letter = host.chars().any(|c| !c.is_ascii() && !c.identifier_allowed());
    match host.split('.').all(MixedScript::is_single_script) && !has_unusual_letter {
        false => Some("the host mixes letters that look alike"),
        true => Some("the host has letters that are not plain ones"),
    }
}

/// The host of a URL or a mail address.
pub(crate) fn parse_host(text: &str) -> Option<&str> {
    let rest = text.split_once("://").map(|(_, rest)| rest);
    let rest = rest.or_else(|| text.contains('@').then_some(text))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deceptive_hosts_are_detected() {
        assert_eq!(describe_deceptive_host("https://apple.com/x"), None);
        assert_eq!(describe_deceptive_host("ann@example.com"), None);
        assert_eq!(describe_deceptive_host("/home/аnn"), None);
        assert!(
            describe_deceptive_host("https://аpple.com").is_some_and(|why| why.contains("mixes"))
        );
        assert!(describe_deceptive_host("bob@pаypal.com").is_some_and(|why| why.contains("mixes")));
        assert!(describe_deceptive_host("https://xn--pple-43d.com").is_some());
        assert!(
            describe_deceptive_host("https://bücher.example")
                .is_some_and(|why| why.contains("not plain"))
        );
        assert!(describe_deceptive_host("https://apple.com@аpple.com").is_some());
    }
}
