//! Hosts that look like others.

use unicode_security::{GeneralSecurityProfile, MixedScript};

/// Why a reader could take the host in this text for another one.
pub(crate) fn deceives(text: &str) -> Option<&'static str> {
    let host = host(text)?;
    if host.split('.').any(|label| label.get(..4).is_some_and(|l| l.eq_ignore_ascii_case("xn--"))) {
        return Some("the host is written in letters of another script");
    }
    if host.is_ascii() {
        return None;
    }
    let odd = host.chars().any(|c| !c.is_ascii() && !c.identifier_allowed());
    match host.split('.').all(MixedScript::is_single_script) && !odd {
        false => Some("the host mixes letters that look alike"),
        true => Some("the host has letters that are not plain ones"),
    }
}

/// The host of an address, or of a mail address.
fn host(text: &str) -> Option<&str> {
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
    fn hosts_that_could_be_taken_for_others_are_marked() {
        assert_eq!(deceives("https://apple.com/x"), None);
        assert_eq!(deceives("ann@example.com"), None);
        assert_eq!(deceives("/home/аnn"), None);
        assert!(deceives("https://аpple.com").is_some_and(|why| why.contains("mixes")));
        assert!(deceives("bob@pаypal.com").is_some_and(|why| why.contains("mixes")));
        assert!(deceives("https://xn--pple-43d.com").is_some());
        assert!(deceives("https://bücher.example").is_some_and(|why| why.contains("not plain")));
        assert!(deceives("https://apple.com@аpple.com").is_some());
    }
}
