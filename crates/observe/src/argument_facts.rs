//! Facts about a call's arguments, for policies to test.
//!
//! A fact has one form, whatever form the agent chose: a path where it leads, a host as in the DNS,
//! an amount in minor units. An argument that is left out gives an absent fact; one that two
//! programs could read differently gives an unreadable fact, and then no policy that tests it
//! permits the call. Only `path` looks at the file system.

mod amount;
mod branch;
mod host;
mod path;
mod recipient;

use crate::file_system::FileSystem;
use crate::limits;
use crate::path_resolver::PathResolver;
use amount::read_amount;
use branch::read_branch;
use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_graph::places::PlacePatterns;
use countersign_graph::policies::ArgumentFacts;
use countersign_graph::policies::facts::Fact;
use host::read_host;
use path::PathReader;
use recipient::read_recipient;

/// Derives the facts of a call's arguments.
pub struct FactReader<'a> {
    pub files: &'a dyn FileSystem,
    pub graph: &'a Graph,
    /// Which paths are secret: the built-in ones and the graph's own.
    pub patterns: &'a PlacePatterns,
    /// What `~` stands for.
    pub home: Option<&'a str>,
}

impl FactReader<'_> {
    /// The facts of each combination of target and recipient; the strictest result counts.
    pub fn read_facts(&self, call: &Call) -> Vec<ArgumentFacts> {
        let targets = each_or_none(&call.target);
        let recipients = each_or_none(&call.recipients);
        // If the targets are the recipients, each is judged as both at once.
        let pairs: Vec<_> = if call.recipients == call.target {
            targets.into_iter().map(|target| (target, target)).collect()
        } else {
            let pair = |target| recipients.iter().map(move |recipient| (target, *recipient));
            targets.into_iter().flat_map(pair).collect()
        };
        if pairs.len() > limits::MAX_COMBINATIONS {
            return vec![too_many_combinations()];
        }
        let resolver = PathResolver::for_call(self.files, call, self.home);
        let paths = PathReader { resolver, patterns: self.patterns };
        let amount = read_amount(self.graph, call);
        let facts = |(target, recipient): (Option<&str>, Option<&str>)| ArgumentFacts {
            path: target.map_or(Fact::Absent, |target| paths.read_path(target)),
            host: target.map_or(Fact::Absent, read_host),
            recipient: read_recipient(self.graph, target, recipient),
            amount: amount.clone(),
            branch: target.map_or(Fact::Absent, read_branch),
        };
        pairs.into_iter().map(facts).collect()
    }
}

/// The host of an address with a scheme, in its only spelling.
pub(crate) fn find_host(target: &str) -> Option<String> {
    match read_host(target) {
        Fact::Known(facts) if facts.scheme.is_some() => Some(facts.host),
        Fact::Known(_) | Fact::Absent | Fact::Unreadable(_) => None,
    }
}

/// Every text, or `None` once if there are no texts.
fn each_or_none(texts: &[String]) -> Vec<Option<&str>> {
    if texts.is_empty() {
        vec![None]
    } else {
        texts.iter().map(|text| Some(text.as_str())).collect()
    }
}

fn too_many_combinations() -> ArgumentFacts {
    let max = limits::MAX_COMBINATIONS;
    let why = format!("the call names more than {max} combinations of target and recipient");
    ArgumentFacts {
        path: Fact::Unreadable(why.clone()),
        host: Fact::Unreadable(why.clone()),
        recipient: Fact::Unreadable(why.clone()),
        amount: Fact::Unreadable(why.clone()),
        branch: Fact::Unreadable(why),
    }
}
