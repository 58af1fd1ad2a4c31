//! A recipient, or whoever a target belongs to, held against the operator's contacts.
//!
//! Two questions with opposite errors. *Known* serves a permit: the id is a contact's, letter by
//! letter. *Vip* serves a forbid: it could be a contact, in whatever writing or by name.

use super::host;
use countersign_core::model::graph::Graph;
use countersign_graph::policies::facts::{Fact, RecipientFacts};

pub(super) fn of(
    graph: &Graph,
    target: Option<&str>,
    recipient: Option<&str>,
) -> Fact<RecipientFacts> {
    let vip = [target, recipient].into_iter().flatten().any(|text| may_be_contact(graph, text));
    let Some(recipient) = recipient else {
        // A target that is nobody's address can still be somebody's.
        return if vip {
            Fact::Known(RecipientFacts { known: false, vip, hosts: Vec::new() })
        } else {
            Fact::Absent
        };
    };
    let known = graph.is_contact(recipient);
    match hosts(recipient) {
        Some(hosts) => Fact::Known(RecipientFacts { known, vip, hosts }),
        None => {
            let shown = recipient.escape_debug();
            Fact::Unreadable(format!("`{shown}` can be read as more than one address"))
        }
    }
}

/// The domains of a mail address; none for an id of another kind.
fn hosts(recipient: &str) -> Option<Vec<String>> {
    match recipient.split_once('@') {
        None => Some(Vec::new()),
        Some((name, domain)) => {
            let odd =
                |c: char| c.is_whitespace() || c.is_control() || ",;<>\"()[]:\\%!".contains(c);
            let plain = !name.is_empty() && !name.contains(odd) && !domain.contains('@');
            if plain { host::of_mail(domain) } else { None }
        }
    }
}

fn may_be_contact(graph: &Graph, text: &str) -> bool {
    let asked = forms(text);
    graph.contacts.iter().any(|(name, ids)| {
        ids.iter().chain([name]).any(|known| forms(known).iter().any(|form| asked.contains(form)))
    })
}

/// What a text may stand for: of a list or a name with an address behind it, every part.
fn forms(text: &str) -> Vec<String> {
    let mut forms = vec![folded(text)];
    for part in text.split([',', ';', '<', '>', '\n']).filter(|part| !part.trim().is_empty()) {
        forms.push(folded(part));
        forms.extend(part.split_whitespace().map(folded));
    }
    forms.extend(digits(text));
    forms.retain(|form| !form.is_empty());
    forms
}

/// Without case, scheme, quotes and what a mail address carries behind a plus.
fn folded(text: &str) -> String {
    let text = text.trim().trim_matches(['"', '\'']).to_lowercase();
    let text = ["mailto:", "tel:", "sms:", "imessage:", "whatsapp:"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme))
        .unwrap_or(&text);
    match (text.split_once('@'), digits(text)) {
        (Some((name, domain)), _) => {
            let name = name.split_once('+').map_or(name, |(name, _)| name);
            format!("{name}@{}", domain.trim_end_matches('.'))
        }
        (None, Some(digits)) => digits,
        (None, None) => text.to_owned(),
    }
}

/// A telephone number as its digits alone.
fn digits(text: &str) -> Option<String> {
    let text = text.trim();
    let of_a_number = |c: char| c.is_ascii_digit() || "+-–(). /\u{a0}\t".contains(c);
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if !text.chars().all(of_a_number) || digits.len() < 5 {
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

    fn facts(recipient: &str) -> RecipientFacts {
        let found = of(&graph(), Some(recipient), Some(recipient));
        found.as_known().cloned().unwrap_or_else(|| panic!("{recipient}: {found:?}"))
    }

    #[test]
    fn only_the_very_id_of_a_contact_is_known() {
        assert!(facts("boss@example.com").known);
        for other in
            ["Boss@example.com", "boss@example.com.", "Boss", "boss+x@example.com", "+15550100002"]
        {
            assert!(!facts(other).known, "{other}");
        }
    }

    #[test]
    fn a_contact_is_suspected_in_any_writing_and_by_name() {
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
            assert!(!facts(text).vip, "{text}");
        }
    }

    #[test]
    fn a_contact_is_suspected_inside_of_a_list_or_behind_a_name() {
        for text in ["x@example.com, boss@example.com", "\"B\" <boss@example.com>"] {
            assert!(may_be_contact(&graph(), text), "{text}");
            assert!(matches!(of(&graph(), None, Some(text)), Fact::Unreadable(_)), "{text}");
        }
    }

    #[test]
    fn a_target_can_be_a_contact_where_nobody_receives() {
        let found = of(&graph(), Some("boss@example.com"), None);
        assert!(found.as_known().is_some_and(|facts| facts.vip && !facts.known));
        assert_eq!(of(&graph(), Some("notes.txt"), None), Fact::Absent);
    }

    #[test]
    fn a_mail_address_belongs_to_every_domain_above_its_host() {
        assert_eq!(facts("a@Mail.Example.com").hosts, ["mail.example.com", "example.com", "com"]);
        assert_eq!(facts("+15550100009").hosts, [] as [&str; 0]);
    }
}
