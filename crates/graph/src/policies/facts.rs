//! The facts about a call's arguments: all that a policy can test.
//!
//! `observe` fills them in, because some need the disk. A call with several targets or recipients
//! has one `ArgumentFacts` per combination, and the strictest result counts. If a fact is
//! unreadable, every policy that uses it fails, and the call is denied.

use cedar_policy::RestrictedExpression;
use serde_json::{Value, json};

/// A fact, as far as it could be derived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact<T> {
    /// The call has no such argument.
    Absent,
    Known(T),
    /// The call has the argument, but its meaning is not clear; holds the reason.
    Unreadable(String),
}

/// The facts about one target and one recipient of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentFacts {
    pub path: Fact<PathFacts>,
    pub host: Fact<HostFacts>,
    pub recipient: Fact<RecipientFacts>,
    pub amount: Fact<AmountFacts>,
    pub branch: Fact<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFacts {
    /// Absolute, without links and `..`; `None` for a bare name in an unknown folder.
    pub path: Option<String>,
    /// The last component.
    pub name: Option<String>,
    /// The path and every folder above it. Paths in the workspace are listed as `.` and `./…` too,
    /// paths in the home folder as `~` and `~/…` too.
    pub under: Vec<String>,
    pub in_workspace: bool,
    pub secret: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFacts {
    /// In lower case, as in the DNS.
    pub host: String,
    /// The host and every parent domain.
    pub hosts: Vec<String>,
    pub scheme: Option<String>,
    pub port: Option<u16>,
    /// This machine or one in the local network, judging by name and address.
    pub local_network: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipientFacts {
    /// The id is exactly the id of a contact.
    pub known: bool,
    /// It is or may be a contact: by name, or by an id in any spelling.
    pub vip: bool,
    /// The domains of a mail address.
    pub hosts: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmountFacts {
    pub minor_units: i64,
    pub currency: Option<String>,
}

/// Facts that are derived from the same argument, and so are unreadable together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactGroup {
    Path,
    Host,
    Recipient,
    Amount,
    Branch,
}

impl FactGroup {
    pub const ALL: [Self; 5] =
        [Self::Path, Self::Host, Self::Recipient, Self::Amount, Self::Branch];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Host => "host",
            Self::Recipient => "recipient",
            Self::Amount => "amount",
            Self::Branch => "branch",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FactType {
    Bool,
    Long,
    Text,
    Texts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FactPresence {
    Always,
    Sometimes,
}

/// Every fact that a policy can use.
const FACTS: [(&str, FactType, FactPresence, FactGroup); 16] = [
    ("path", FactType::Text, FactPresence::Sometimes, FactGroup::Path),
    ("name", FactType::Text, FactPresence::Sometimes, FactGroup::Path),
    ("under", FactType::Texts, FactPresence::Always, FactGroup::Path),
    ("in_workspace", FactType::Bool, FactPresence::Always, FactGroup::Path),
    ("secret", FactType::Bool, FactPresence::Always, FactGroup::Path),
    ("host", FactType::Text, FactPresence::Sometimes, FactGroup::Host),
    ("hosts", FactType::Texts, FactPresence::Always, FactGroup::Host),
    ("scheme", FactType::Text, FactPresence::Sometimes, FactGroup::Host),
    ("port", FactType::Long, FactPresence::Sometimes, FactGroup::Host),
    ("local_network", FactType::Bool, FactPresence::Always, FactGroup::Host),
    ("known_recipient", FactType::Bool, FactPresence::Always, FactGroup::Recipient),
    ("vip", FactType::Bool, FactPresence::Always, FactGroup::Recipient),
    ("recipient_hosts", FactType::Texts, FactPresence::Always, FactGroup::Recipient),
    ("amount", FactType::Long, FactPresence::Sometimes, FactGroup::Amount),
    ("currency", FactType::Text, FactPresence::Sometimes, FactGroup::Amount),
    ("branch", FactType::Text, FactPresence::Sometimes, FactGroup::Branch),
];

/// The names of all facts.
pub fn names() -> impl Iterator<Item = &'static str> {
    FACTS.iter().map(|(name, ..)| *name)
}

/// The group of the fact with this name.
pub fn group(name: &str) -> Option<FactGroup> {
    FACTS.iter().find(|(known, ..)| *known == name).map(|(.., group)| *group)
}

/// The type of `context.facts` in the JSON schema format of Cedar.
pub(crate) fn facts_record_type() -> Value {
    let attributes: serde_json::Map<_, _> = FACTS
        .iter()
        .map(|(name, kind, presence, _)| {
            let mut attribute = match kind {
                FactType::Bool => json!({"type": "Boolean"}),
                FactType::Long => json!({"type": "Long"}),
                FactType::Text => json!({"type": "String"}),
                FactType::Texts => json!({"type": "Set", "element": {"type": "String"}}),
            };
            if let Some(fields) = attribute.as_object_mut() {
                fields.insert("required".into(), json!(*presence == FactPresence::Always));
            }
            ((*name).to_owned(), attribute)
        })
        .collect();
    json!({"type": "Record", "attributes": attributes})
}

/// Fact names with their Cedar values.
pub type CedarFields = Vec<(String, RestrictedExpression)>;

impl ArgumentFacts {
    /// The facts of a call without target, recipient, amount and branch.
    pub const fn absent() -> Self {
        Self {
            path: Fact::Absent,
            host: Fact::Absent,
            recipient: Fact::Absent,
            amount: Fact::Absent,
            branch: Fact::Absent,
        }
    }

    /// Why the facts of a group are unreadable, or `None` if they are readable or absent.
    pub(crate) fn unreadable_reason(&self, group: FactGroup) -> Option<&str> {
        match group {
            FactGroup::Path => self.path.unreadable_reason(),
            FactGroup::Host => self.host.unreadable_reason(),
            FactGroup::Recipient => self.recipient.unreadable_reason(),
            FactGroup::Amount => self.amount.unreadable_reason(),
            FactGroup::Branch => self.branch.unreadable_reason(),
        }
    }

    /// The fields of `context.facts`. Built value by value, so that no text of a call is ever
    /// parsed as an expression.
    pub fn cedar_fields(&self) -> CedarFields {
        let mut fields = Vec::with_capacity(FACTS.len());
        push_path_fields(self.path.as_known(), &mut fields);
        push_host_fields(self.host.as_known(), &mut fields);
        push_recipient_fields(self.recipient.as_known(), &mut fields);
        if let Some(amount) = self.amount.as_known() {
            fields.push(("amount".into(), RestrictedExpression::new_long(amount.minor_units)));
            fields.extend(
                amount.currency.as_deref().map(|text| ("currency".into(), string_expression(text))),
            );
        }
        fields.extend(
            self.branch.as_known().map(|branch| ("branch".into(), string_expression(branch))),
        );
        fields
    }
}

impl<T> Fact<T> {
    pub fn as_known(&self) -> Option<&T> {
        match self {
            Self::Known(fact) => Some(fact),
            Self::Absent | Self::Unreadable(_) => None,
        }
    }

    fn unreadable_reason(&self) -> Option<&str> {
        match self {
            Self::Unreadable(why) => Some(why),
            Self::Absent | Self::Known(_) => None,
        }
    }
}

fn push_path_fields(path: Option<&PathFacts>, fields: &mut CedarFields) {
    if let Some(path) = path {
        fields.extend(path.path.as_deref().map(|path| ("path".into(), string_expression(path))));
        fields.extend(path.name.as_deref().map(|name| ("name".into(), string_expression(name))));
    }
    fields.push(("under".into(), string_set_expression(path.map_or(&[], |path| &path.under))));
    fields.push((
        "in_workspace".into(),
        RestrictedExpression::new_bool(path.is_some_and(|path| path.in_workspace)),
    ));
    fields.push((
        "secret".into(),
        RestrictedExpression::new_bool(path.is_some_and(|path| path.secret)),
    ));
}

fn push_host_fields(host: Option<&HostFacts>, fields: &mut CedarFields) {
    if let Some(host) = host {
        fields.push(("host".into(), string_expression(&host.host)));
        fields.extend(
            host.scheme.as_deref().map(|scheme| ("scheme".into(), string_expression(scheme))),
        );
        let port = host.port.map(|port| RestrictedExpression::new_long(port.into()));
        fields.extend(port.map(|port| ("port".into(), port)));
    }
    fields.push(("hosts".into(), string_set_expression(host.map_or(&[], |host| &host.hosts))));
    fields.push((
        "local_network".into(),
        RestrictedExpression::new_bool(host.is_some_and(|host| host.local_network)),
    ));
}

fn push_recipient_fields(recipient: Option<&RecipientFacts>, fields: &mut CedarFields) {
    fields.push((
        "known_recipient".into(),
        RestrictedExpression::new_bool(recipient.is_some_and(|who| who.known)),
    ));
    fields
        .push(("vip".into(), RestrictedExpression::new_bool(recipient.is_some_and(|who| who.vip))));
    fields.push((
        "recipient_hosts".into(),
        string_set_expression(recipient.map_or(&[], |who| &who.hosts)),
    ));
}

fn string_expression(text: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(text.to_owned())
}

fn string_set_expression(texts: &[String]) -> RestrictedExpression {
    RestrictedExpression::new_set(texts.iter().map(|text| string_expression(text)))
}
