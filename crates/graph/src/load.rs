//! Turns the syntax tree of a graph file into a `Graph`, starting at the root.
//!
//! The root has two forms: domains are listed under `domains` or, without that key, at the root
//! itself. All other keys are the same in both forms.

use crate::domain::DomainCatalogue;
use crate::fields::{MapFields, is_comment};
use crate::node::{self, DocumentNode, Format, MapEntry, NodeValue};
use crate::policies::{self, CompiledPolicies, PolicyFile};
use crate::problem::{Problem, Problems, TextSpan};
use crate::report::ProblemReport;
use crate::settings::{self, ReviewDate};
use crate::{commands, place_lists, presets, reducers, suggest, tools, workflows};
use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json;
use countersign_core::model::change::GraphSource;
use countersign_core::model::graph::{Decay, Graph, LastReview, VisibilityRule};
use countersign_core::model::time::Date;
use countersign_core::model::words::Tier;
use std::sync::Arc;

const HASH_LABEL: &str = "countersign/graph/v1";

const KEYS: [&str; 16] = [
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
    "secrets",
    "guarded",
    "presets",
    "preset",
];

/// A valid graph, with warnings for its operator.
#[derive(Clone, Debug)]
pub struct LoadedGraph {
    pub graph: Graph,
    pub warnings: Vec<Problem>,
    /// The policies of the graph's folder. The graph's hash covers them too.
    pub policies: Option<Arc<CompiledPolicies>>,
    /// The texts that the graph and its policies were loaded from.
    pub source: Option<GraphSource>,
    dates: Vec<(TextSpan, Date)>,
}

/// A graph without policies and without a source.
impl From<Graph> for LoadedGraph {
    fn from(graph: Graph) -> Self {
        let (warnings, dates) = (Vec::new(), Vec::new());
        Self { graph, warnings, policies: None, source: None, dates }
    }
}

impl LoadedGraph {
    /// Warnings about review dates in the future, which count as never reviewed.
    pub fn future_date_warnings(&self, today: Date) -> Vec<Problem> {
        let future_dates = self.dates.iter().filter(|(_, date)| *date > today);
        future_dates
            .map(|(span, date)| {
                let message = format!("`{date}` is in the future and counts as never reviewed");
                Problem::new(*span, message, "review the graph, which writes today's date")
            })
            .collect()
    }
}

/// Loads a graph file without policies. Its hash covers the bytes as they are.
pub fn load_graph(name: &str, bytes: &[u8], format: Format) -> Result<LoadedGraph, Problems> {
    let mut loaded = node::parse(bytes, format)
        .and_then(|node| resolve_graph(&node, Digest::hash_bytes(HASH_LABEL, bytes)))
        .map_err(|problems| Problems::new(name, bytes, problems))?;
    loaded.source = Some(build_source(name, bytes, format, &[]));
    Ok(loaded)
}

/// Returns the files of the policy folder that a graph names, or why it cannot.
pub type ReadPolicyFolder<'f> = dyn Fn(&str) -> Result<Vec<PolicyFile>, String> + 'f;

/// Loads a graph file and the policies of its folder.
pub fn load_graph_with_policies(
    name: &str,
    bytes: &[u8],
    format: Format,
    read_folder: &ReadPolicyFolder<'_>,
) -> Result<LoadedGraph, Vec<Problems>> {
    let graph_problems = |problems| vec![Problems::new(name, bytes, problems)];
    let node = node::parse(bytes, format).map_err(graph_problems)?;
    let mut loaded = resolve_without_policies(&node, Digest::hash_bytes(HASH_LABEL, bytes))
        .map_err(graph_problems)?;
    loaded.source = Some(build_source(name, bytes, format, &[]));
    let Some((folder_name, span)) = find_policy_folder(&node) else { return Ok(loaded) };
    let policy_files = read_folder(folder_name).map_err(|why| {
        let help = "name a folder of `.cedar` files, relative to the graph file";
        graph_problems(vec![Problem::new(span, why, help)])
    })?;
    let policies = policies::compile(&loaded.graph, &policy_files)?;
    loaded.graph.hash = policies.hash();
    loaded.policies = Some(Arc::new(policies));
    loaded.source = Some(build_source(name, bytes, format, &policy_files));
    Ok(loaded)
}

/// Graphs and policies that loaded are UTF-8, so the lossy conversion loses nothing.
fn build_source(
    name: &str,
    bytes: &[u8],
    format: Format,
    policy_files: &[PolicyFile],
) -> GraphSource {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let name = format.with_extension(name.rsplit('/').next().unwrap_or(name));
    let rules = policy_files.iter().map(|file| (file.name.clone(), text(&file.bytes))).collect();
    GraphSource { name, text: text(bytes), rules }
}

fn find_policy_folder(root: &DocumentNode) -> Option<(&str, TextSpan)> {
    let node = root.get("rules")?;
    match &node.value {
        NodeValue::String(folder) => Some((folder, node.span)),
        _ => None,
    }
}

/// Resolves a syntax tree to a graph with the given hash. A graph with policies is refused,
/// because skipping a `forbid` would allow what it forbids.
pub fn resolve_graph(root: &DocumentNode, hash: Digest) -> Result<LoadedGraph, Vec<Problem>> {
    let loaded = resolve_without_policies(root, hash)?;
    match root.get("rules") {
        None => Ok(loaded),
        Some(node) => {
            let message = "this graph has policies, but no folder to read them from was given";
            Err(vec![Problem::new(node.span, message, "load the graph from its file")])
        }
    }
}

/// Loads a graph that is embedded in another file. Its hash covers its canonical JSON.
pub fn load_inline_graph(node: &DocumentNode) -> Result<LoadedGraph, Vec<Problem>> {
    let hash = Digest::hash_value(HASH_LABEL, &node.to_json()).map_err(|error| {
        vec![Problem::new(node.span, error.to_string(), "move the graph to its own file")]
    })?;
    let mut loaded = resolve_graph(node, hash)?;
    let text = json::canonical(&node.to_json()).unwrap_or_default();
    loaded.source = Some(build_source("graph", text.as_bytes(), Format::Json, &[]));
    Ok(loaded)
}

/// Resolves a graph and ignores its policies, for callers that inspect only the graph's own text.
pub(crate) fn resolve_without_policies(
    root: &DocumentNode,
    hash: Digest,
) -> Result<LoadedGraph, Vec<Problem>> {
    let Some(fields) = MapFields::from_map(root) else {
        let message = format!("a graph is a map of domains, but this is {}", root.describe_type());
        return Err(vec![Problem::new(root.span, message, "start with `domains`")]);
    };
    let mut report = ProblemReport::default();
    check_root_keys(root, &mut report);
    check_policy_folder(fields.get("rules"), &mut report);
    let (graph, dates) = build_graph(&fields, &domain_entries(root), hash, &mut report);
    report.finish().map(|warnings| LoadedGraph {
        graph,
        warnings,
        policies: None,
        source: None,
        dates,
    })
}

type DatedSpans = Vec<(TextSpan, Date)>;

fn build_graph(
    fields: &MapFields<'_>,
    domains: &[&MapEntry],
    hash: Digest,
    report: &mut ProblemReport,
) -> (Graph, DatedSpans) {
    let visible = settings::read_visible(fields.get("visible"), VisibilityRule::DEFAULT, report);
    let mut catalogue = DomainCatalogue::read(domains, visible, report);
    let (decay, review_days) = settings::read_decay(fields.get("consent_decay"), report);
    let dated =
        fields.get("last_reviewed").and_then(|node| settings::read_last_reviewed(node, report));
    let tools = tools::read_tools(fields.get("tools"), &catalogue, report);
    let presets = presets::read_presets(fields.get("presets"), &catalogue, report);
    let last_reviewed = dated.as_ref().map_or(LastReview::Never, |dated| dated.reviewed.clone());
    catalogue.dates.extend(dated);
    warn_about_decay_without_review(decay, &catalogue, fields.get("consent_decay"), report);
    let graph = Graph {
        hash,
        decay,
        review_days,
        last_reviewed,
        visible,
        unclassified: settings::read_unclassified(fields.get("unclassified"), report),
        contacts: settings::read_contacts(fields.get("vip_contacts"), report),
        reducers: reducers::read_reducers(fields.get("reducers"), &catalogue, &tools, report),
        workflows: workflows::read_workflows(fields.get("workflows"), &catalogue, report),
        slash: tools::read_slash_commands(fields.get("slash"), &catalogue, report),
        commands: commands::read_command_rules(fields.get("commands"), &catalogue, report),
        secrets: place_lists::read_place_patterns(fields.get("secrets"), "secrets", report),
        guarded: place_lists::read_place_patterns(fields.get("guarded"), "guarded", report),
        preset: presets::apply_preset(fields.get("preset"), &presets, &mut catalogue, report),
        presets,
        tools,
        domains: catalogue.domains.into_iter().collect(),
        rules: catalogue.rules,
        layer: None,
    };
    (graph, keep_readable_dates(catalogue.dates))
}

fn keep_readable_dates(dates: Vec<ReviewDate>) -> DatedSpans {
    dates
        .into_iter()
        .filter_map(|ReviewDate { span, reviewed }| match reviewed {
            LastReview::On(date) => Some((span, date)),
            LastReview::Never | LastReview::Unreadable(_) => None,
        })
        .collect()
}

fn is_known_key(key: &str) -> bool {
    KEYS.contains(&key)
}

/// The domains of a graph, in either form of the root.
pub(crate) fn domain_entries(root: &DocumentNode) -> Vec<&MapEntry> {
    let domains = root.get("domains");
    let entries = domains.unwrap_or(root).entries().unwrap_or_default().iter();
    match domains {
        Some(_) => entries.filter(|entry| !is_comment(entry)).collect(),
        None => entries.filter(|entry| is_root_domain(entry)).collect(),
    }
}

fn is_root_domain(entry: &MapEntry) -> bool {
    !is_comment(entry) && !is_known_key(&entry.key.name) && has_tier_list(entry)
}

/// Whether the entry looks like a domain, complete or not.
fn has_tier_list(entry: &MapEntry) -> bool {
    Tier::ALL.iter().any(|tier| entry.value.get(tier.word()).is_some())
}

fn check_root_keys(root: &DocumentNode, report: &mut ProblemReport) {
    let domains = root.get("domains");
    if let Some(domains) = domains {
        report.read_map(domains, "domains");
    }
    let entries = root.entries().unwrap_or_default();
    for entry in entries.iter().filter(|entry| !is_comment(entry) && !is_known_key(&entry.key.name))
    {
        match (domains, has_tier_list(entry)) {
            (None, true) => {}
            (Some(_), true) => {
                let message = format!("the domain `{}` is outside `domains`", entry.key.name);
                report.add_problem(entry.key.span, message, "move it into `domains`");
            }
            (_, false) => report_unknown_key(entry, report),
        }
    }
    warn_about_ignored_domains(domains.unwrap_or(root), report);
    if domain_entries(root).is_empty() {
        let message = "this graph has no domains, so every action is unclassified";
        report.add_warning(
            TextSpan::at_offset(root.span.start),
            message,
            "add the domains your agents act in",
        );
    }
}

fn check_policy_folder(node: Option<&DocumentNode>, report: &mut ProblemReport) {
    let folder = node.and_then(|node| report.read_text(node, "rules").map(|folder| (node, folder)));
    if let Some((node, "")) = folder {
        let message = "`rules` names no folder";
        report.add_problem(
            node.span,
            message,
            "name a folder relative to the graph file, or remove the key",
        );
    }
}

fn report_unknown_key(entry: &MapEntry, report: &mut ProblemReport) {
    let name = &entry.key.name;
    let message = format!("`{name}` is neither a key of a graph nor a domain with its three lists");
    let fallback = "remove it, start its name with `_` if it is a comment, or give the domain \
                     `autonomous`, `requires_approval` and `blocked`";
    report.add_problem(entry.key.span, message, suggest::did_you_mean(name, KEYS, fallback));
}

/// A domain whose name starts with `_` is a comment, so its blocks have no effect.
fn warn_about_ignored_domains(domains: &DocumentNode, report: &mut ProblemReport) {
    for entry in domains.entries().unwrap_or_default() {
        if is_comment(entry) && has_tier_list(entry) {
            let message =
                format!("`{}` starts with `_`, so this domain is ignored", entry.key.name);
            report.add_warning(entry.key.span, message, "rename it if its rules should apply");
        }
    }
}

fn warn_about_decay_without_review(
    decay: Decay,
    catalogue: &DomainCatalogue,
    node: Option<&DocumentNode>,
    report: &mut ProblemReport,
) {
    if let (Decay::AfterDays(_), true, Some(node)) = (decay, catalogue.dates.is_empty(), node) {
        let message = "consent decays but nothing was ever reviewed, so every autonomous \
                       action asks";
        report.add_warning(node.span, message, "review the graph, which writes `last_reviewed`");
    }
}
