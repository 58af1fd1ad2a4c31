//! A target as an address: the host that a program would connect to.
//!
//! Programs parse unusual addresses differently, and an agent can choose one of those. So only
//! addresses that all programs parse alike are readable. Nothing is looked up in the network.

use countersign_graph::policies::facts::{Fact, HostFacts};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The default ports of schemes.
const DEFAULT_PORTS: &[(&str, u16)] =
    &[("http", 80), ("https", 443), ("ws", 80), ("wss", 443), ("ftp", 21), ("ssh", 22)];

/// Last labels of names in the local network.
const LOCAL_LABELS: &[&str] =
    &["localhost", "local", "internal", "lan", "home", "intranet", "test"];

pub(super) fn read_host(target: &str) -> Fact<HostFacts> {
    if is_path_or_phone_number(target) {
        return Fact::Absent;
    }
    match parse_address(target) {
        Some(facts) => Fact::Known(facts),
        None => Fact::Unreadable(format!("`{}` is not clearly one host", target.escape_debug())),
    }
}

/// No program parses these as a host.
fn is_path_or_phone_number(target: &str) -> bool {
    let is_path = target.is_empty()
        || (target.starts_with('/') && !target.starts_with("//"))
        || ["./", "../", "~"].iter().any(|start| target.starts_with(start))
        || matches!(target, "." | "..")
        || target.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
    let digits = target.strip_prefix('+').unwrap_or_default();
    is_path
        || (!digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || " -().".contains(c)))
}

fn parse_address(target: &str) -> Option<HostFacts> {
    if !target.bytes().all(|b| b.is_ascii_graphic() && b != b'\\') {
        return None;
    }
    let (scheme, rest) = match target.split_once("://") {
        Some((scheme, rest)) => (Some(parse_scheme(scheme)?), rest),
        None => (None, target),
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    // The text before the last `@` is a user and a password, even if it looks like a host.
    let host_and_port = authority.rsplit('@').next()?;
    let (host, port) = split_port(host_and_port, scheme.as_deref())?;
    let host = canonicalize_host(&host)?;
    let port = port.or_else(|| default_port(scheme.as_deref()?));
    let local_network = is_local(&host);
    Some(HostFacts { hosts: list_domains(&host), host, scheme, port, local_network })
}

fn default_port(scheme: &str) -> Option<u16> {
    DEFAULT_PORTS.iter().find(|(name, _)| *name == scheme).map(|(_, port)| *port)
}

fn parse_scheme(text: &str) -> Option<String> {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    let is_scheme =
        text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(is_plain);
    is_scheme.then(|| text.to_ascii_lowercase())
}

/// Splits `host:port`, or without a scheme also the `host:folder` of `git` and `scp`.
fn split_port(text: &str, scheme: Option<&str>) -> Option<(String, Option<u16>)> {
    if let Some(rest) = text.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        let address: Ipv6Addr = address.parse().ok()?;
        return Some((IpAddr::V6(address).to_canonical().to_string(), parse_port(rest)?));
    }
    match text.split_once(':') {
        None => Some((text.to_owned(), None)),
        Some((host, rest)) => {
            let is_port = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
            match (is_port, scheme.is_some()) {
                (true, _) => Some((host.to_owned(), Some(rest.parse().ok()?))),
                (false, true) if rest.is_empty() => Some((host.to_owned(), None)),
                (false, true) => None,
                // `https:example.com` is an address to some programs and a host `https` to others.
                (false, false) if default_port(&host.to_ascii_lowercase()).is_some() => None,
                (false, false) => Some((host.to_owned(), None)),
            }
        }
    }
}

fn parse_port(rest: &str) -> Option<Option<u16>> {
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Some(None),
        Some("") => Some(None),
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => {
            Some(Some(digits.parse().ok()?))
        }
        Some(_) | None => None,
    }
}

/// The host in its only spelling. Names in other alphabets are readable only in their ASCII form.
fn canonicalize_host(host: &str) -> Option<String> {
    let host = host.to_ascii_lowercase();
    if let Ok(address) = host.parse::<IpAddr>() {
        return Some(address.to_canonical().to_string());
    }
    let host = host.strip_suffix('.').unwrap_or(&host);
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    let is_label = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(is_plain);
    if host.len() > 253 || !host.split('.').all(is_label) {
        return None;
    }
    // `127.1`, `0x7f.1` and `2130706433` are addresses to some programs and names to others.
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|b| b.is_ascii_digit()) || last.starts_with("0x");
    (!is_number).then(|| host.to_owned())
}

/// The host and every domain above it; an IP address has no domain.
fn list_domains(host: &str) -> Vec<String> {
    if host.parse::<IpAddr>().is_ok() {
        return vec![host.to_owned()];
    }
    let domains = std::iter::successors(Some(host), |name| Some(name.split_once('.')?.1));
    domains.map(str::to_owned).collect()
}

/// The domain of a mail address and every domain above it.
pub(super) fn read_mail_domains(domain: &str) -> Option<Vec<String>> {
    canonicalize_host(domain).map(|host| list_domains(&host))
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
            LOCAL_LABELS.contains(&last) || !host.contains('.') || host.ends_with(".home.arpa")
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

    fn known_facts(target: &str) -> HostFacts {
        let facts = read_host(target);
        facts.as_known().cloned().unwrap_or_else(|| panic!("{target}: {facts:?}"))
    }

    #[test]
    fn the_host_is_the_one_that_a_program_connects_to() {
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
            assert_eq!(known_facts(target).host, host, "{target}");
        }
    }

    #[test]
    fn an_address_that_programs_parse_differently_is_unreadable() {
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
            let facts = read_host(target);
            assert!(matches!(facts, Fact::Unreadable(_)), "{target}: {facts:?}");
        }
    }

    #[test]
    fn paths_and_phone_numbers_have_no_host() {
        for target in
            ["/etc/passwd", "./a", "../a", "~/a", "~", ".", "", "+1 (555) 0100", "file:///x"]
        {
            assert_eq!(read_host(target), Fact::Absent, "{target}");
        }
    }

    #[test]
    fn the_domains_of_a_host_are_itself_and_every_domain_above_it() {
        assert_eq!(
            known_facts("api.eu.example.com").hosts,
            ["api.eu.example.com", "eu.example.com", "example.com", "com"]
        );
        assert_eq!(known_facts("10.0.0.1").hosts, ["10.0.0.1"]);
        assert_eq!(known_facts("evilexample.com").hosts, ["evilexample.com", "com"]);
    }

    #[test]
    fn a_scheme_has_its_default_port_unless_the_address_names_another() {
        let scheme_and_port = |target: &str| {
            let facts = known_facts(target);
            (facts.scheme, facts.port)
        };
        assert_eq!(scheme_and_port("https://a.com"), (Some("https".into()), Some(443)));
        assert_eq!(scheme_and_port("http://a.com:"), (Some("http".into()), Some(80)));
        assert_eq!(scheme_and_port("gopher://a.com:70"), (Some("gopher".into()), Some(70)));
        assert_eq!(scheme_and_port("a.com"), (None, None));
    }

    #[test]
    fn hosts_of_the_local_network_are_known_by_name_and_address() {
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
            assert!(known_facts(target).local_network, "{target}");
        }
        for target in ["example.com", "8.8.8.8", "http://[2001:db8::1]/", "localhost.example.com"] {
            assert!(!known_facts(target).local_network, "{target}");
        }
    }
}
