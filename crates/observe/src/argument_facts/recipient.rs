//! Compares recipients and targets with the operator's contacts.
//!
//! The two facts err on opposite sides. `known` is for permits: the text is exactly the id of a
//! contact. `vip` is for forbids: the text may be a contact, in any spelling or by name.

use super::host::read_mail_domains;
use countersign_core::model::graph::Graph;
use countersign_graph::policies::facts::{Fact, RecipientFacts};

pub(super) fn read_recipient(
    graph: &Graph,
    target: Option<&str>,
    recipient: Option<&str>,
) -> Fact<RecipientFacts> {
    let vip = [target, recipient].into_iter().flatten().any(|text| may_be_contact(graph, text));
    let Some(recipient) = recipient else {
        // A call without a recipient can still act on a contact, for example delete its mail.
        return if vip {
            Fact::Known(RecipientFacts { known: false, vip, hosts: Vec::new() })
        } else {
            Fact::Absent
        };
    };
    let known = graph.is_contact(recipient);
    match list_mail_domains(recipient) {
        Some(hosts) => Fact::Known(RecipientFacts { known, vip, hosts }),
        None => {
            let shown = recipient.escape_debug();
            Fact::Unreadable(format!("`{shown}` can be read as more than one address"))
        }
    }
}

/// The domains of a mail address, and no domains for another kind of id. `None` if it is not clear
/// which address it is.
fn list_mail_domains(recipient: &str) -> Option<Vec<String>> {
    match recipient.split_once('@') {
        None => Some(Vec::new()),
        Some((name, domain)) => {
            let is_odd =
                |c: char| c.is_whitespace() || c.is_control() || ",;<>\"()[]:\\%!".contains(c);
            let is_plain = !name.is_empty() && !name.contains(is_odd) && !domain.contains('@');
            if is_plain { read_mail_domains(domain) } else { None }
        }
    }
}

fn may_be_contact(graph: &Graph, text: &str) -> bool {
    let readings = list_readings(text);
    let matches =
        |contact: &String| list_readings(contact).iter().any(|one| readings.contains(one));
    graph.contacts.iter().any(|(name, ids)| ids.iter().chain([name]).any(matches))
}

/// What a text may stand for: the whole text, and each part of a list or of `name <address>`.
fn list_readings(text: &str) -> Vec<String> {
    let mut readings = vec![normalize(text)];
    for part in text.split([',', ';', '<', '>', '\n']).filter(|part| !part.trim().is_empty()) {
        readings.push(normalize(part));
        readings.extend(part.split_whitespace().map(normalize));
    }
    readings.extend(phone_digits(text));
    readings.retain(|reading| !reading.is_empty());
    readings
}

/// Drops case, scheme, quotes, and the part of a mail address after a plus.
fn normalize(text: &str) -> String {
    let text = text.trim().trim_matches(['"', '\'']).to_lowercase();
    let text = ["mailto:", "tel:", "sms:", "imessage:", "whatsapp:"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme))
        .unwrap_or(&text);
    match (text.split_once('@'), phone_digits(text)) {
        (Some((name, domain)), _) => {
            let name = name.split_once('+').map_or(name, |(name, _)| name);
            format!("{name}@{}", domain.trim_end_matches('.'))
        }
        (None, Some(digits)) => digits,
        (None, None) => text.to_owned(),
    }
}

/// The digits of a phone number; `None` if the text is not one.
fn phone_digits(text: &str) -> Option<String> {
    let text = text.trim();
    let is_part_of_number = |c: char| c.is_ascii_digit() || "+-–(). /\u{a0}\t".contains(c);
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if !text.chars().all(is_part_of_number) || digits.len() < 5 {
        return None;
    }
    Some(digits.strip_prefix("00").map_or(digits.clone(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_graph::{Format, load_graph};

    fn graph() -> Graph {
        let text = "vip_contacts: {Boss: ['+1 555 0100002', boss@example.com]}\n\
                    a: {autonomous: [], requires_approval: [], blocked: []}\n";
        load_graph("g.yaml", text.as_bytes(), Format::Yaml).unwrap().graph
    }

    fn known_facts(recipient: &str) -> RecipientFacts {
        let facts = read_recipient(&graph(), Some(recipient), Some(recipient));
        facts.as_known().cloned().unwrap_or_else(|| panic!("{recipient}: {facts:?}"))
    }

    #[test]
    fn only_the_exact_id_of_a_contact_is_known() {
        assert!(known_facts("boss@example.com").known);
        for other in
            ["Boss@example.com", "boss@example.com.", "Boss", "boss+x@example.com", "+15550100002"]
        {
            assert!(!known_facts(other).known, "{other}");
        }
    }

    #[test]
    fn a_contact_is_suspected_in_any_spelling_and_by_name() {
        for text in [
            "boss@example.com",
            "BOSS@Example.com",
            "boss+later@example.com",
            "mailto:boss@example.com",
            "+15550100002",
            "001 (555) 010-0002",
            "tel:+1-555-010-0002",
            "boss",
        ] {
            assert!(may_be_contact(&graph(), text), "{text}");
        }
        for text in ["someone@example.com", "bosses", "+15550100003", "main"] {
            assert!(!known_facts(text).vip, "{text}");
        }
    }

    #[test]
    fn a_contact_is_suspected_in_a_list_and_after_a_name() {
        for text in ["x@example.com, boss@example.com", "\"B\" <boss@example.com>"] {
            assert!(may_be_contact(&graph(), text), "{text}");
            let facts = read_recipient(&graph(), None, Some(text));
            assert!(matches!(facts, Fact::Unreadable(_)), "{text}: {facts:?}");
        }
    }

    #[test]
    fn a_target_can_be_a_contact_if_there_is_no_recipient() {
        let facts = read_recipient(&graph(), Some("boss@example.com"), None);
        assert!(facts.as_known().is_some_and(|facts| facts.vip && !facts.known));
        assert_eq!(read_recipient(&graph(), Some("notes.txt"), None), Fact::Absent);
    }

    #[test]
    fn a_mail_address_belongs_to_every_domain_above_its_host() {
        let facts = known_facts("a@Mail.Example.com");
        assert_eq!(facts.hosts, ["mail.example.com", "example.com", "com"]);
        assert_eq!(known_facts("+15550100009").hosts, [] as [&str; 0]);
    }
}
