//! A graph file in any of the three formats.
//!
//! It loads or is refused with places that exist. What loads means the same in every format, does
//! not differ from itself, can be linted, and takes the date of a review without changing else.

use super::places;
use crate::seeds;
use crate::target::{Held, Target, Traits};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::Graph;
use countersign_core::model::time::Date;
use countersign_graph::diff::diff;
use countersign_graph::lint::lint;
use countersign_graph::review::stamp_review;
use countersign_graph::{Format, LoadedGraph, Node, load_graph, load_inline_graph, node};
use std::io;

pub(super) const TARGET: Target = Target {
    name: "graph",
    what: "a graph file loads or is refused; what loads means one thing",
    longest: 16 << 10,
    words: &[
        "domains:",
        "autonomous:",
        "requires_approval:",
        "blocked:",
        "actions:",
        "tools:",
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
    seeds: graphs,
    hold,
};

fn graphs() -> io::Result<Vec<Vec<u8>>> {
    let is_graph =
        |path: &std::path::Path| path.file_stem().is_some_and(|stem| stem == "countersign");
    let mut found = seeds::own(TARGET.name)?;
    found.extend(seeds::below(&seeds::folder("graphs"), is_graph)?);
    Ok(found)
}

fn hold(bytes: &[u8]) -> Held {
    let mut traits = Traits::default();
    let mut graphs = Vec::new();
    for format in Format::ALL {
        traits.note(format.name());
        match load_graph("graph", bytes, format) {
            Err(problems) => places::refused(&problems, &mut traits)?,
            Ok(loaded) => {
                let text = std::str::from_utf8(bytes).map_err(|_| "it loads and is no text")?;
                understood(text, format, &loaded, &mut traits)?;
                graphs.push((format, nameless(loaded.graph)));
            }
        }
    }
    // A reader takes the format from the file's name, so that one text must not mean two things.
    for pair in graphs.windows(2) {
        if let [(one, first), (other, second)] = pair
            && first != second
        {
            return Err(format!("{} and {} load it differently", one.name(), other.name()));
        }
    }
    Ok(traits)
}

fn understood(
    text: &str,
    format: Format,
    loaded: &LoadedGraph,
    traits: &mut Traits,
) -> Result<(), String> {
    let graph = &loaded.graph;
    places::within(&loaded.warnings, text, traits)?;
    traits.count("domains", graph.domains.iter().count());
    traits.count("rules", graph.rules.len());
    traits.count("tools", graph.tools.len());
    traits.count("workflows", graph.workflows.len());
    traits.count("reducers", graph.reducers.len());
    let differences = diff(graph, graph);
    if !differences.is_empty() {
        return Err(format!("it differs from itself: `{differences:?}`"));
    }
    let node = node::parse(text.as_bytes(), format).map_err(|_| "it loads and does not parse")?;
    same_elsewhere(&node, graph)?;
    for finding in
        lint(text.as_bytes(), format, today()?).map_err(|_| "it loads and cannot be linted")?
    {
        traits.note(finding.check);
        places::within(&[finding.problem], text, traits)?;
    }
    reviewed(text, format, graph, traits)
}

/// Inside of another file, and written as JSON, it is the same graph.
fn same_elsewhere(node: &Node, graph: &Graph) -> Result<(), String> {
    let expected = nameless(graph.clone());
    let inside = load_inline_graph(node)
        .map_err(|problems| format!("not inside another file: `{problems:?}`"))?;
    if nameless(inside.graph) != expected {
        return Err("inside another file it is another graph".to_owned());
    }
    let json = node.to_json().to_string();
    let again = load_graph("graph.json", json.as_bytes(), Format::Json)
        .map_err(|problems| format!("as JSON it is refused: `{problems}`"))?;
    let again = nameless(again.graph);
    if again != expected {
        let differences = diff(&expected, &again);
        return Err(format!("as JSON it is another graph: `{differences:?}`"));
    }
    Ok(())
}

fn reviewed(text: &str, format: Format, graph: &Graph, traits: &mut Traits) -> Result<(), String> {
    let today = today()?;
    let stamped = match stamp_review(text, format, &[], today) {
        Ok(stamped) => stamped,
        Err(error) => {
            traits.say("stamp", &error.to_string());
            return Ok(());
        }
    };
    let after = load_graph("graph", stamped.as_bytes(), format)
        .map_err(|p| format!("a review breaks it: `{p}`"))?;
    if nameless(after.graph) != nameless(graph.reviewed_on(today)) {
        return Err("a review changes more than dates".to_owned());
    }
    match stamp_review(&stamped, format, &[], today) {
        Ok(again) if again == stamped => Ok(()),
        Ok(_) | Err(_) => Err("a second review on the same day changes something".to_owned()),
    }
}

fn today() -> Result<Date, String> {
    Date::parse("2026-03-01").ok_or_else(|| "the date of the tests cannot be read".to_owned())
}

/// What the bytes mean: the hash is over the bytes themselves, and tools have no order.
fn nameless(mut graph: Graph) -> Graph {
    graph.tools.sort_by_cached_key(|tool| format!("{:?}", tool.pattern));
    Graph { hash: Digest::zero(), ..graph }
}
