//! A graph file in any of the three formats.
//!
//! It loads, or is refused with valid positions. A graph that loads means the same in every format,
//! has no difference from itself, can be linted, and a review changes nothing but dates. The same bytes as
//! the rules of a repository are read or refused, and make no rule of another graph looser.

use super::problems;
use crate::seeds;
use crate::target::{Features, Target, TargetResult};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::{Graph, LayerStanding, Rule};
use countersign_core::model::names::Action;
use countersign_core::model::time::Date;
use countersign_graph::diff::diff;
use countersign_graph::layer::{apply_layer, parse_layer};
use countersign_graph::lint::lint;
use countersign_graph::review::stamp_review;
use countersign_graph::{
    DocumentNode, Format, LoadedGraph, PlacePatterns, load_graph, load_inline_graph, node,
};
use std::io;

pub(super) const TARGET: Target = Target {
    name: "graph",
    property: "a graph file loads or is refused; a graph that loads means one thing",
    max_bytes: 16 << 10,
    words: &[
        "domains:",
        "autonomous:",
        "requires_approval:",
        "blocked:",
        "actions:",
        "tools:",
        "classes:",
        "presets:",
        "preset:",
        "secrets:",
        "guarded:",
        "&a ",
        "*a",
        "<<: ",
        "!!str ",
        "? ",
        "---\n",
        "...\n",
        "|\n",
        ">-\n",
        "[[",
        "]]",
        " = ",
        "'''",
        "\\U0001F600",
        "\\x41",
        "%YAML 1.2\n",
        "null",
        "~",
        "true",
        "on",
    ],
    seeds: load_graphs,
    check,
};

/// Beside which the rules of a repository are put.
const LAYERED_GRAPH: &str = "\
domains:
  a: {autonomous: [b, c], requires_approval: [d, b_secret], blocked: [e]}
  email: {autonomous: [read], requires_approval: [send], blocked: [delete]}
";

fn load_graphs() -> io::Result<Vec<Vec<u8>>> {
    let is_graph =
        |path: &std::path::Path| path.file_stem().is_some_and(|stem| stem == "countersign");
    let mut found = seeds::load_seeds(TARGET.name)?;
    found.extend(seeds::read_files_below(&seeds::repository_folder("graphs"), is_graph)?);
    Ok(found)
}

fn check(bytes: &[u8]) -> TargetResult {
    let mut features = Features::default();
    let mut graphs = Vec::new();
    check_layer(bytes, &mut features)?;
    for format in Format::ALL {
        features.add(format.name());
        match load_graph("graph", bytes, format) {
            Err(problems) => problems::check_refusal(&problems, &mut features)?,
            Ok(loaded) => {
                let text = std::str::from_utf8(bytes).map_err(|_| "it loads, but is not UTF-8")?;
                check_loaded(text, format, &loaded, &mut features)?;
                graphs.push((format, normalise_graph(loaded.graph)));
            }
        }
    }
    // The format follows from the file name, so one text must not mean two things.
    for pair in graphs.windows(2) {
        if let [(one, first), (other, second)] = pair
            && first != second
        {
            return Err(format!("{} and {} load it differently", one.name(), other.name()));
        }
    }
    Ok(features)
}

fn check_layer(bytes: &[u8], features: &mut Features) -> Result<(), String> {
    let layer = match parse_layer("countersign.yaml", bytes) {
        Err(problems) => return problems::check_refusal(&problems, features),
        Ok(layer) => layer,
    };
    features.add("layer");
    let loaded = load_graph("graph", LAYERED_GRAPH.as_bytes(), Format::Yaml);
    let before = loaded.map_err(|problems| problems.to_string())?.graph;
    let after = apply_layer(&before, &layer, LayerStanding::Narrowing);
    let is_looser = |(action, rule): (&Action, &Rule)| {
        after.rule(action).is_none_or(|after| after.tier < rule.tier || after.risk < rule.risk)
    };
    match before.rules.iter().any(is_looser) || !after.commands.allow.is_empty() {
        true => Err("the rules of a repository make the graph looser without trust".to_owned()),
        false => Ok(()),
    }
}

fn check_loaded(
    text: &str,
    format: Format,
    loaded: &LoadedGraph,
    features: &mut Features,
) -> Result<(), String> {
    let graph = &loaded.graph;
    problems::check_problems(&loaded.warnings, text, features)?;
    features.add_size("domains", graph.domains.iter().count());
    features.add_size("rules", graph.rules.len());
    features.add_size("tools", graph.tools.len());
    features.add_size("workflows", graph.workflows.len());
    features.add_size("reducers", graph.reducers.len());
    features.add_size("classes", graph.commands.classes.len());
    features.add_size("places", graph.secrets.len() + graph.guarded.len());
    features.add_size("presets", graph.presets.len());
    PlacePatterns::new(&graph.secrets, &graph.guarded)
        .map_err(|error| format!("it loads, but its places do not compile: {error}"))?;
    let differences = diff(graph, graph);
    if !differences.is_empty() {
        return Err(format!("it differs from itself: `{differences:?}`"));
    }
    let node = node::parse(text.as_bytes(), format).map_err(|_| "it loads, but does not parse")?;
    check_other_forms(&node, graph)?;
    for finding in
        lint(text.as_bytes(), format, test_date()?).map_err(|_| "it loads, but cannot be linted")?
    {
        features.add(finding.check);
        problems::check_problems(&[finding.problem], text, features)?;
    }
    check_review(text, format, graph, features)
}

/// Embedded in another file, or written as JSON, it is the same graph.
fn check_other_forms(node: &DocumentNode, graph: &Graph) -> Result<(), String> {
    let expected = normalise_graph(graph.clone());
    let inside = load_inline_graph(node)
        .map_err(|problems| format!("refused inside another file: `{problems:?}`"))?;
    if normalise_graph(inside.graph) != expected {
        return Err("inside another file it is a different graph".to_owned());
    }
    let json = node.to_json().to_string();
    let reloaded = load_graph("graph.json", json.as_bytes(), Format::Json)
        .map_err(|problems| format!("as JSON it is refused: `{problems}`"))?;
    let reloaded = normalise_graph(reloaded.graph);
    if reloaded != expected {
        let differences = diff(&expected, &reloaded);
        return Err(format!("as JSON it is a different graph: `{differences:?}`"));
    }
    Ok(())
}

fn check_review(
    text: &str,
    format: Format,
    graph: &Graph,
    features: &mut Features,
) -> Result<(), String> {
    let today = test_date()?;
    let stamped = match stamp_review(text, format, &[], today) {
        Ok(stamped) => stamped,
        Err(error) => {
            features.add_message("stamp", &error.to_string());
            return Ok(());
        }
    };
    let after = load_graph("graph", stamped.as_bytes(), format)
        .map_err(|p| format!("a review breaks it: `{p}`"))?;
    if normalise_graph(after.graph) != normalise_graph(graph.reviewed_on(today)) {
        return Err("a review changes more than dates".to_owned());
    }
    match stamp_review(&stamped, format, &[], today) {
        Ok(again) if again == stamped => Ok(()),
        Ok(_) | Err(_) => Err("a second review on the same day changes something".to_owned()),
    }
}

fn test_date() -> Result<Date, String> {
    Date::parse("2026-03-01").ok_or_else(|| "the test date cannot be parsed".to_owned())
}

/// Removes what does not affect the meaning: the hash of the bytes, and the order of tools and classes.
fn normalise_graph(mut graph: Graph) -> Graph {
    graph.commands.classes.sort();
    graph.tools.sort_by_cached_key(|tool| format!("{:?}", tool.pattern));
    Graph { hash: Digest::zero(), ..graph }
}
