//! From a tree of values to a graph: the root, in both of its forms.
//!
//! Domains stand under `domains` or, where there is no such key, at the root itself; the rest is
//! the same in both forms.

use crate::domain::Catalogue;
use crate::fields::{Fields, is_remark};
use crate::node::{self, Entry, Format, Kind, Node};
use crate::problem::{Problem, Problems, Span};
use crate::report::Report;
use crate::rules::{self, Rules, Source};
use crate::settings::{self, Dated};
use crate::{commands, reducers, suggest, tools, workflows};
use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json;
use countersign_core::model::change::GraphSource;
use countersign_core::model::graph::{Decay, Graph, Reviewed, Visible};
use countersign_core::model::time::Date;
use countersign_core::model::words::Tier;
use std::sync::Arc;

const LABEL: &str = "countersign/graph/v1";

const KEYS: [&str; 12] = [
    "domains",
    "visible",
    "unclassified",
    "last_reviewed",
    "slash",
    "reducers",
    "tools",
    "workflows",
    "commands",
    "consent_decay",
    "vip_contacts",
    "rules",
];

/// A graph that loads, and what its operator should know about it.
#[derive(Debug)]
pub struct Loaded {
    pub graph: Graph,
    pub warnings: Vec<Problem>,
    /// The policies of the graph's folder; the graph's hash is over these too.
    pub rules: Option<Arc<Rules>>,
    /// What all of it was read from.
    pub source: Option<GraphSource>,
    dates: Vec<(Span, Date)>,
}

impl Loaded {
    /// Warnings of review dates that lie ahead: they count as never reviewed.
    pub fn future_dates(&self, today: Date) -> Vec<Problem> {
        let ahead = self.dates.iter().filter(|(_, date)| *date > today);
        ahead
            .map(|(span, date)| {
                let message = format!("`{date}` lies ahead, and counts as never reviewed");
                Problem::new(*span, message, "review the graph, which writes today's date")
            })
            .collect()
    }
}

/// Reads a graph file that stands alone; its hash is over the bytes as they are.
pub fn read(name: &str, bytes: &[u8], format: Format) -> Result<Loaded, Problems> {
    let mut loaded = node::parse(bytes, format)
        .and_then(|node| resolve(&node, Digest::of_bytes(LABEL, bytes)))
        .map_err(|problems| Problems::new(name, bytes, problems))?;
    loaded.source = Some(source((name, bytes), format, &[]));
    Ok(loaded)
}

/// Gives the files of the folder that a graph names, or says why it cannot.
pub type Folder<'f> = dyn Fn(&str) -> Result<Vec<Source>, String> + 'f;

/// Reads a graph file and the policies of its folder.
pub fn read_with_rules(
    (name, bytes): (&str, &[u8]),
    format: Format,
    folder: &Folder<'_>,
) -> Result<Loaded, Vec<Problems>> {
    let own = |problems| vec![Problems::new(name, bytes, problems)];
    let node = node::parse(bytes, format).map_err(own)?;
    let mut loaded = without_rules(&node, Digest::of_bytes(LABEL, bytes)).map_err(own)?;
    loaded.source = Some(source((name, bytes), format, &[]));
    let Some((named, span)) = rules_folder(&node) else { return Ok(loaded) };
    let sources = folder(named).map_err(|why| {
        let help = "name a folder beside the graph, relative to it, with `.cedar` files in it";
        own(vec![Problem::new(span, why, help)])
    })?;
    let rules = rules::compile(&loaded.graph, &sources)?;
    loaded.graph.hash = rules.hash();
    loaded.rules = Some(Arc::new(rules));
    loaded.source = Some(source((name, bytes), format, &sources));
    Ok(loaded)
}

/// Graphs and policies are UTF-8, or they would not have been read.
fn source((name, bytes): (&str, &[u8]), format: Format, rules: &[Source]) -> GraphSource {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let name = format.named(name.rsplit('/').next().unwrap_or(name));
    let rules = rules.iter().map(|file| (file.name.clone(), text(&file.bytes))).collect();
    GraphSource { name, text: text(bytes), rules }
}

fn rules_folder(root: &Node) -> Option<(&str, Span)> {
    let node = root.get("rules")?;
    match &node.value {
        Kind::String(folder) => Some((folder, node.span)),
        _ => None,
    }
}

/// What a tree of values means as a graph, under the hash of what it was read from. One whose
/// policies nobody reads is refused: to skip a `forbid` would be to allow.
pub fn resolve(root: &Node, hash: Digest) -> Result<Loaded, Vec<Problem>> {
    let loaded = without_rules(root, hash)?;
    match root.get("rules") {
        None => Ok(loaded),
        Some(node) => {
            let message = "this graph has policies, and here is no folder to read them from";
            Err(vec![Problem::new(node.span, message, "load the graph from its file")])
        }
    }
}

/// Reads a graph that stands inside of another file; its hash is over its canonical JSON.
pub fn from_node(node: &Node) -> Result<Loaded, Vec<Problem>> {
    let hash = Digest::of(LABEL, &node.to_json()).map_err(|error| {
        vec![Problem::new(node.span, error.to_string(), "keep the graph in a file of its own")]
    })?;
    let mut loaded = resolve(node, hash)?;
    let text = json::canonical(&node.to_json()).unwrap_or_default();
    loaded.source = Some(source(("graph", text.as_bytes()), Format::Json, &[]));
    Ok(loaded)
}

/// The same without its policies, for whoever asks about the graph's own text.
pub(crate) fn without_rules(root: &Node, hash: Digest) -> Result<Loaded, Vec<Problem>> {
    let Some(fields) = Fields::of(root) else {
        let message = format!("a graph is a map of domains, and this is {}", root.described());
        return Err(vec![Problem::new(root.span, message, "begin with `domains`")]);
    };
    let mut report = Report::default();
    check_keys(root, &mut report);
    check_rules(fields.get("rules"), &mut report);
    let (graph, dates) = graph(&fields, &domain_entries(root), hash, &mut report);
    report.finish().map(|warnings| Loaded { graph, warnings, rules: None, source: None, dates })
}

type Dates = Vec<(Span, Date)>;

fn graph(
    fields: &Fields<'_>,
    domains: &[&Entry],
    hash: Digest,
    report: &mut Report,
) -> (Graph, Dates) {
    let visible = settings::visible(fields.get("visible"), Visible::DEFAULT, report);
    let mut catalogue = Catalogue::read(domains, visible, report);
    let (decay, review_days) = settings::decay(fields.get("consent_decay"), report);
    let dated = fields.get("last_reviewed").and_then(|node| settings::last_reviewed(node, report));
    let tools = tools::read(fields.get("tools"), &catalogue, report);
    let last_reviewed = dated.as_ref().map_or(Reviewed::Never, |dated| dated.reviewed.clone());
    catalogue.dates.extend(dated);
    warn_of_decay_without_review(decay, &catalogue, fields.get("consent_decay"), report);
    let graph = Graph {
        hash,
        decay,
        review_days,
        last_reviewed,
        visible,
        unclassified: settings::unclassified(fields.get("unclassified"), report),
        contacts: settings::contacts(fields.get("vip_contacts"), report),
        reducers: reducers::read(fields.get("reducers"), &catalogue, &tools, report),
        workflows: workflows::read(fields.get("workflows"), &catalogue, report),
        slash: tools::slash(fields.get("slash"), &catalogue, report),
        commands: commands::read(fields.get("commands"), report),
        tools,
        domains: catalogue.domains.into_iter().collect(),
        rules: catalogue.rules,
    };
    (graph, readable(catalogue.dates))
}

fn readable(dates: Vec<Dated>) -> Dates {
    dates
        .into_iter()
        .filter_map(|Dated { span, reviewed }| match reviewed {
            Reviewed::On(date) => Some((span, date)),
            Reviewed::Never | Reviewed::Unreadable(_) => None,
        })
        .collect()
}

fn is_known(key: &str) -> bool {
    KEYS.contains(&key)
}

/// The domains of a graph, in either form.
pub(crate) fn domain_entries(root: &Node) -> Vec<&Entry> {
    let domains = root.get("domains");
    let entries = domains.unwrap_or(root).entries().unwrap_or_default().iter();
    match domains {
        Some(_) => entries.filter(|entry| !is_remark(entry)).collect(),
        None => entries.filter(|entry| is_bare_domain(entry)).collect(),
    }
}

fn is_bare_domain(entry: &Entry) -> bool {
    !is_remark(entry) && !is_known(&entry.key.name) && looks_like_a_domain(entry)
}

/// Whether the entry is meant as a domain, complete or not.
fn looks_like_a_domain(entry: &Entry) -> bool {
    Tier::ALL.iter().any(|tier| entry.value.get(tier.word()).is_some())
}

fn check_keys(root: &Node, report: &mut Report) {
    let domains = root.get("domains");
    if let Some(domains) = domains {
        report.map(domains, "domains");
    }
    let entries = root.entries().unwrap_or_default();
    for entry in entries.iter().filter(|entry| !is_remark(entry) && !is_known(&entry.key.name)) {
        match (domains, looks_like_a_domain(entry)) {
            (None, true) => {}
            (Some(_), true) => {
                let message = format!("the domain `{}` stands beside `domains`", entry.key.name);
                report.problem(entry.key.span, message, "move it into `domains`");
            }
            (_, false) => unknown_key(entry, report),
        }
    }
    warn_of_ignored_domains(domains.unwrap_or(root), report);
    if domain_entries(root).is_empty() {
        let message = "this graph names no domain, so that every action is unclassified";
        report.warn(Span::at(root.span.start), message, "add the domains your agents act in");
    }
}

fn check_rules(node: Option<&Node>, report: &mut Report) {
    let folder = node.and_then(|node| report.text(node, "rules").map(|folder| (node, folder)));
    if let Some((node, "")) = folder {
        let message = "`rules` names no folder";
        report.problem(node.span, message, "name a folder beside the graph, or remove the key");
    }
}

fn unknown_key(entry: &Entry, report: &mut Report) {
    let name = &entry.key.name;
    let message = format!("`{name}` is neither a key of a graph nor a domain with its three lists");
    let otherwise = "remove it, begin its name with `_` if it is a remark, or give the domain \
                     `autonomous`, `requires_approval` and `blocked`";
    report.problem(entry.key.span, message, suggest::help(name, KEYS, otherwise));
}

/// A domain whose name begins with `_` is a remark like any other; its blocks would not hold.
fn warn_of_ignored_domains(domains: &Node, report: &mut Report) {
    for entry in domains.entries().unwrap_or_default() {
        if is_remark(entry) && looks_like_a_domain(entry) {
            let message =
                format!("`{}` begins with `_`, so that this domain is ignored", entry.key.name);
            report.warn(entry.key.span, message, "rename it if its rules should hold");
        }
    }
}

fn warn_of_decay_without_review(
    decay: Decay,
    catalogue: &Catalogue,
    node: Option<&Node>,
    report: &mut Report,
) {
    if let (Decay::AfterDays(_), true, Some(node)) = (decay, catalogue.dates.is_empty(), node) {
        let message = "consent decays and nothing was ever reviewed, so that every autonomous \
                       action asks";
        report.warn(node.span, message, "review the graph, which writes `last_reviewed`");
    }
}
