//! What was worked out about a call's arguments: the only things a policy can ask for.
//!
//! Whoever looks at the disk fills these in. A call with several targets or recipients has one of
//! these for each combination, and the strictest answer holds. What is not there is absent; what
//! is there and cannot be read makes every policy that asks for it fail, which is a no.

use cedar_policy::RestrictedExpression;
use serde_json::{Value, json};

/// A fact, as far as it could be worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact<T> {
    /// The call has nothing of the kind.
    Absent,
    Known(T),
    /// It is there and nobody can tell what it means.
    Unreadable(String),
}

/// What is known about one target and one recipient of a call.
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
    /// Absolute, without links and `..`; none for a bare name of which nobody knows the folder.
    pub path: Option<String>,
    /// Its last part.
    pub name: Option<String>,
    /// The path and every folder above it; those in the workspace also as `.` and `./…`, those in
    /// the home folder also as `~` and `~/…`.
    pub under: Vec<String>,
    pub in_workspace: bool,
    pub secret: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFacts {
    /// In lower case, as it stands in the domain name system.
    pub host: String,
    /// The host and every domain it belongs to.
    pub hosts: Vec<String>,
    pub scheme: Option<String>,
    pub port: Option<u16>,
    /// This machine or one beside it, as far as name and address tell.
    pub local_network: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipientFacts {
    /// The id is one of the contacts', letter by letter.
    pub known: bool,
    /// It is or may be a contact: by id in whatever writing, or by name.
    pub vip: bool,
    /// The domains of a mail address.
    pub hosts: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmountFacts {
    pub minor_units: i64,
    pub currency: Option<String>,
}

/// Facts that are worked out from the same argument, and so are unreadable together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Path,
    Host,
    Recipient,
    Amount,
    Branch,
}

impl Group {
    pub const ALL: [Self; 5] =
        [Self::Path, Self::Host, Self::Recipient, Self::Amount, Self::Branch];

    pub const fn word(self) -> &'static str {
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
enum Kind {
    Bool,
    Long,
    Text,
    Texts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Always,
    Sometimes,
}

/// Every fact a policy can name.
const FACTS: [(&str, Kind, Presence, Group); 16] = [
    ("path", Kind::Text, Presence::Sometimes, Group::Path),
    ("name", Kind::Text, Presence::Sometimes, Group::Path),
    ("under", Kind::Texts, Presence::Always, Group::Path),
    ("in_workspace", Kind::Bool, Presence::Always, Group::Path),
    ("secret", Kind::Bool, Presence::Always, Group::Path),
    ("host", Kind::Text, Presence::Sometimes, Group::Host),
    ("hosts", Kind::Texts, Presence::Always, Group::Host),
    ("scheme", Kind::Text, Presence::Sometimes, Group::Host),
    ("port", Kind::Long, Presence::Sometimes, Group::Host),
    ("local_network", Kind::Bool, Presence::Always, Group::Host),
    ("known_recipient", Kind::Bool, Presence::Always, Group::Recipient),
    ("vip", Kind::Bool, Presence::Always, Group::Recipient),
    ("recipient_hosts", Kind::Texts, Presence::Always, Group::Recipient),
    ("amount", Kind::Long, Presence::Sometimes, Group::Amount),
    ("currency", Kind::Text, Presence::Sometimes, Group::Amount),
    ("branch", Kind::Text, Presence::Sometimes, Group::Branch),
];

/// The names of all facts.
pub fn names() -> impl Iterator<Item = &'static str> {
    FACTS.iter().map(|(name, ..)| *name)
}

/// What the fact of this name is worked out from.
pub fn group(name: &str) -> Option<Group> {
    FACTS.iter().find(|(known, ..)| *known == name).map(|(.., group)| *group)
}

/// The type of `context.facts`, as a schema writes it.
pub(crate) fn record_type() -> Value {
    let attributes: serde_json::Map<_, _> = FACTS
        .iter()
        .map(|(name, kind, presence, _)| {
            let mut attribute = match kind {
                Kind::Bool => json!({"type": "Boolean"}),
                Kind::Long => json!({"type": "Long"}),
                Kind::Text => json!({"type": "String"}),
                Kind::Texts => json!({"type": "Set", "element": {"type": "String"}}),
            };
            if let Some(fields) = attribute.as_object_mut() {
                fields.insert("required".into(), json!(*presence == Presence::Always));
            }
            ((*name).to_owned(), attribute)
        })
        .collect();
    json!({"type": "Record", "attributes": attributes})
}

/// Facts by name.
pub type Fields = Vec<(String, RestrictedExpression)>;

impl ArgumentFacts {
    /// A call that names no target, no recipient and no amount.
    pub const fn none() -> Self {
        Self {
            path: Fact::Absent,
            host: Fact::Absent,
            recipient: Fact::Absent,
            amount: Fact::Absent,
            branch: Fact::Absent,
        }
    }

    /// Why the facts of a group cannot be read, if that is so.
    pub(crate) fn unreadable(&self, group: Group) -> Option<&str> {
        match group {
            Group::Path => self.path.unreadable(),
            Group::Host => self.host.unreadable(),
            Group::Recipient => self.recipient.unreadable(),
            Group::Amount => self.amount.unreadable(),
            Group::Branch => self.branch.unreadable(),
        }
    }

    /// `context.facts`, field by field: no text of a call is ever read as an expression.
    pub fn fields(&self) -> Fields {
        let mut fields = Vec::with_capacity(FACTS.len());
        path_fields(self.path.known(), &mut fields);
        host_fields(self.host.known(), &mut fields);
        recipient_fields(self.recipient.known(), &mut fields);
        if let Some(amount) = self.amount.known() {
            fields.push(("amount".into(), RestrictedExpression::new_long(amount.minor_units)));
            fields.extend(amount.currency.as_deref().map(|text| ("currency".into(), word(text))));
        }
        fields.extend(self.branch.known().map(|branch| ("branch".into(), word(branch))));
        fields
    }
}

impl<T> Fact<T> {
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(fact) => Some(fact),
            Self::Absent | Self::Unreadable(_) => None,
        }
    }

    fn unreadable(&self) -> Option<&str> {
        match self {
            Self::Unreadable(why) => Some(why),
            Self::Absent | Self::Known(_) => None,
        }
    }
}

fn path_fields(path: Option<&PathFacts>, fields: &mut Fields) {
    if let Some(path) = path {
        fields.extend(path.path.as_deref().map(|path| ("path".into(), word(path))));
        fields.extend(path.name.as_deref().map(|name| ("name".into(), word(name))));
    }
    fields.push(("under".into(), words(path.map_or(&[], |path| &path.under))));
    fields.push((
        "in_workspace".into(),
        RestrictedExpression::new_bool(path.is_some_and(|path| path.in_workspace)),
    ));
    fields.push((
        "secret".into(),
        RestrictedExpression::new_bool(path.is_some_and(|path| path.secret)),
    ));
}

fn host_fields(host: Option<&HostFacts>, fields: &mut Fields) {
    if let Some(host) = host {
        fields.push(("host".into(), word(&host.host)));
        fields.extend(host.scheme.as_deref().map(|scheme| ("scheme".into(), word(scheme))));
        let port = host.port.map(|port| RestrictedExpression::new_long(port.into()));
        fields.extend(port.map(|port| ("port".into(), port)));
    }
    fields.push(("hosts".into(), words(host.map_or(&[], |host| &host.hosts))));
    fields.push((
        "local_network".into(),
        RestrictedExpression::new_bool(host.is_some_and(|host| host.local_network)),
    ));
}

fn recipient_fields(recipient: Option<&RecipientFacts>, fields: &mut Fields) {
    fields.push((
        "known_recipient".into(),
        RestrictedExpression::new_bool(recipient.is_some_and(|who| who.known)),
    ));
    fields
        .push(("vip".into(), RestrictedExpression::new_bool(recipient.is_some_and(|who| who.vip))));
    fields.push(("recipient_hosts".into(), words(recipient.map_or(&[], |who| &who.hosts))));
}

fn word(text: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(text.to_owned())
}

fn words(texts: &[String]) -> RestrictedExpression {
    RestrictedExpression::new_set(texts.iter().map(|text| word(text)))
}
