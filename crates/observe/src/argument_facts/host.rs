//! A target as an address: the host that would be reached.
//!
//! Programs read odd addresses differently, and an agent can choose an odd one. So only what all
//! of them read alike is read here; the rest is unreadable. Nothing is looked up in the network.

use countersign_graph::policies::facts::{Fact, HostFacts};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ports of schemes that name none.
const PORTS: &[(&str, u16)] =
    &[("http", 80), ("https", 443), ("ws", 80), ("wss", 443), ("ftp", 21), ("ssh", 22)];

/// Names that never leave this machine or its neighbours.
const LOCAL: &[&str] = &["localhost", "local", "internal", "lan", "home", "intranet", "test"];

pub(super) fn of(target: &str) -> Fact<HostFacts> {
    if is_no_address(target) {
        return Fact::Absent;
    }
    match read(target) {
        Some(facts) => Fact::Known(facts),
        None => Fact::Unreadable(format!("`{}` names no host for sure", target.escape_debug())),
    }
}

/// Paths and telephone numbers, which no program takes for a host.
fn is_no_address(target: &str) -> bool {
    let is_path = target.is_empty()
        || (target.starts_with('/') && !target.starts_with("//"))
        || ["./", "../", "~"].iter().any(|start| target.starts_with(start))
        || matches!(target, "." | "..")
        || target.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
    let digits = target.strip_prefix('+').unwrap_or_default();
    is_path
        || (!digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || " -().".contains(c)))
}

fn read(target: &str) -> Option<HostFacts> {
    if !target.bytes().all(|b| b.is_ascii_graphic() && b != b'\\') {
        return None;
    }
    let (scheme, rest) = match target.split_once("://") {
        Some((scheme, rest)) => (Some(scheme_of(scheme)?), rest),
        None => (None, target),
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    // What stands in front of the last `@` is a name and a password, however much it looks like
    // a host.
    let place = authority.rsplit('@').next()?;
    let (host, port) = split_port(place, scheme.as_deref())?;
    let host = canonical(&host)?;
    let port = match port {
        Some(port) => Some(port),
        None => {
            let of_scheme = |scheme: &str| PORTS.iter().find(|(name, _)| *name == scheme);
            scheme.as_deref().and_then(of_scheme).map(|(_, port)| *port)
        }
    };
    let local_network = is_local(&host);
    Some(HostFacts { hosts: parents(&host), host, scheme, port, local_network })
}

fn scheme_of(text: &str) -> Option<String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    let is_scheme = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(plain);
    is_scheme.then(|| text.to_ascii_lowercase())
}

/// `host:port`, or `host:folder` as `git` and `scp` write it where there is no scheme.
fn split_port(place: &str, scheme: Option<&str>) -> Option<(String, Option<u16>)> {
    if let Some(rest) = place.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        let address: Ipv6Addr = address.parse().ok()?;
        return Some((IpAddr::V6(address).to_canonical().to_string(), port(rest)?));
    }
    match place.split_once(':') {
        None => Some((place.to_owned(), None)),
        Some((host, rest)) => {
            let digits = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
            match (digits, scheme.is_some()) {
                (true, _) => Some((host.to_owned(), Some(rest.parse().ok()?))),
                (false, true) if rest.is_empty() => Some((host.to_owned(), None)),
                (false, true) => None,
                // `https:example.com` is an address to some and a host `https` to others.
                (false, false) if PORTS.iter().any(|(name, _)| host.eq_ignore_ascii_case(name)) => {
                    None
                }
                (false, false) => Some((host.to_owned(), None)),
            }
        }
    }
}

fn port(rest: &str) -> Option<Option<u16>> {
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Some(None),
        Some("") => Some(None),
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => {
            Some(Some(digits.parse().ok()?))
        }
        Some(_) | None => None,
    }
}

/// The host in its one spelling. Other alphabets are not taken apart here: their ASCII form is.
fn canonical(host: &str) -> Option<String> {
    let host = host.to_ascii_lowercase();
    if let Ok(address) = host.parse::<IpAddr>() {
        return Some(address.to_canonical().to_string());
    }
    let host = host.strip_suffix('.').unwrap_or(&host);
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    let is_label = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(plain);
    if host.len() > 253 || !host.split('.').all(is_label) {
        return None;
    }
    // `127.1`, `0x7f.1` and `2130706433` are addresses to some programs and names to others.
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x");
    (!is_number).then(|| host.to_owned())
}

/// The host and every domain it belongs to; an address belongs to none.
pub(super) fn parents(host: &str) -> Vec<String> {
    if host.parse::<IpAddr>().is_ok() {
        return vec![host.to_owned()];
    }
    let above = std::iter::successors(Some(host), |name| Some(name.split_once('.')?.1));
    above.map(str::to_owned).collect()
}

/// The host of a mail address.
pub(super) fn of_mail(domain: &str) -> Option<Vec<String>> {
    canonical(domain).map(|host| parents(&host))
}

fn is_local(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => is_local_v4(address),
        Ok(IpAddr::V6(address)) => {
            let first = address.segments().first().copied().unwrap_or_default();
            address.is_loopback()
                || address.is_unspecified()
                || first & 0xfe00 == 0xfc00
                || first & 0xffc0 == 0xfe80
        }
        Err(_) => {
            let last = host.rsplit('.').next().unwrap_or(host);
            LOCAL.contains(&last) || !host.contains('.') || host.ends_with(".home.arpa")
        }
    }
}

fn is_local_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || first == 0
        || (first == 100 && (64..128).contains(&second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(target: &str) -> HostFacts {
        of(target).as_known().cloned().unwrap_or_else(|| panic!("{target}: {:?}", of(target)))
    }

    #[test]
    fn a_host_is_what_would_be_reached_and_not_what_stands_first() {
        for (target, host) in [
            ("https://example.com/a?b#c", "example.com"),
            ("HTTPS://EXAMPLE.com.:443/", "example.com"),
            ("https://good.com@evil.com/", "evil.com"),
            ("https://good.com:pw@evil.com:8080", "evil.com"),
            ("https://evil.com?@good.com/", "evil.com"),
            ("https://evil.com#@good.com/", "evil.com"),
            ("https://evil.com/good.com", "evil.com"),
            ("git@github.com:org/repo.git", "github.com"),
            ("ssh://git@github.com:22/org", "github.com"),
            ("example.com", "example.com"),
            ("example.com:8443", "example.com"),
            ("boss@example.com", "example.com"),
            ("http://[::1]:80/", "::1"),
            ("http://[::ffff:10.0.0.1]/", "10.0.0.1"),
            ("http://127.0.0.1/", "127.0.0.1"),
            ("localhost", "localhost"),
            ("https://xn--bcher-kva.de", "xn--bcher-kva.de"),
        ] {
            assert_eq!(known(target).host, host, "{target}");
        }
    }

    #[test]
    fn what_programs_read_differently_is_unreadable() {
        for target in [
            "https://evil.com\\@good.com/",
            "https:evil.com",
            "https:/evil.com",
            "//evil.com/x",
            " evil.com",
            "evil\t.com",
            "http://2130706433/",
            "http://0x7f.0.0.1/",
            "http://127.1/",
            "http://0177.0.0.1/",
            "https://bücher.de",
            "https://ｅvil.com",
            "https://evil%2ecom/",
            "https://evil..com",
            "https://example.com:99999/",
            "https://example.com:x/",
            "http://[::1%25eth0]/",
            "1http://evil.com",
            "https://",
            "hello world",
        ] {
            assert!(matches!(of(target), Fact::Unreadable(_)), "{target}: {:?}", of(target));
        }
    }

    #[test]
    fn paths_and_numbers_are_no_addresses() {
        for target in
            ["/etc/passwd", "./a", "../a", "~/a", "~", ".", "", "+1 (555) 0100", "file:///x"]
        {
            assert_eq!(of(target), Fact::Absent, "{target}");
        }
    }

    #[test]
    fn a_host_belongs_to_every_domain_above_it() {
        assert_eq!(
            known("api.eu.example.com").hosts,
            ["api.eu.example.com", "eu.example.com", "example.com", "com"]
        );
        assert_eq!(known("10.0.0.1").hosts, ["10.0.0.1"]);
        assert_eq!(known("evilexample.com").hosts, ["evilexample.com", "com"]);
    }

    #[test]
    fn a_scheme_has_its_port_unless_another_is_named() {
        let of = |target: &str| (known(target).scheme, known(target).port);
        assert_eq!(of("https://a.com"), (Some("https".into()), Some(443)));
        assert_eq!(of("http://a.com:"), (Some("http".into()), Some(80)));
        assert_eq!(of("gopher://a.com:70"), (Some("gopher".into()), Some(70)));
        assert_eq!(of("a.com"), (None, None));
    }

    #[test]
    fn machines_nearby_are_known_by_name_and_address() {
        for target in [
            "localhost",
            "http://127.0.0.1",
            "10.1.2.3",
            "http://169.254.169.254/latest",
            "http://[fd00::1]/",
            "printer.local",
            "db.internal",
            "http://0.0.0.0",
            "100.64.0.1",
            "nas",
        ] {
            assert!(known(target).local_network, "{target}");
        }
        for target in ["example.com", "8.8.8.8", "http://[2001:db8::1]/", "localhost.example.com"] {
            assert!(!known(target).local_network, "{target}");
        }
    }
}
