//! Facts about a call's arguments, for policies to ask for.
//!
//! Each has one form, whatever form the agent chose: a path where it really leads, a host as the
//! domain name system spells it, an amount in minor units. What an argument leaves out is absent.
//! What is there and can be read in two ways is unreadable, and then no policy that asks for it
//! permits anything. The disk is asked through `disk`; nothing else looks anywhere.

mod amount;
mod branch;
mod host;
mod path;
mod recipient;
mod secrets;

use crate::file_system::FileSystem;
use crate::limits;
use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_graph::policies::ArgumentFacts;
use countersign_graph::policies::facts::Fact;

/// What a call's arguments are read with.
pub struct FactReader<'a> {
    pub files: &'a dyn FileSystem,
    pub graph: &'a Graph,
    /// What `~` stands for.
    pub home: Option<&'a str>,
}

impl FactReader<'_> {
    /// One for each target and recipient; the strictest answer will hold.
    pub fn facts(&self, call: &Call) -> Vec<ArgumentFacts> {
        let targets = each(&call.target);
        let recipients = each(&call.recipients);
        // Where the targets are the recipients, each is judged as both at once.
        let pairs: Vec<_> = if call.recipients == call.target {
            targets.into_iter().map(|target| (target, target)).collect()
        } else {
            let pair = |target| recipients.iter().map(move |recipient| (target, *recipient));
            targets.into_iter().flat_map(pair).collect()
        };
        if pairs.len() > limits::MAX_COMBINATIONS {
            return vec![too_many()];
        }
        let paths = path::PathReader::new(self.files, call, self.home);
        let amount = amount::of(self.graph, call);
        let facts = |(target, recipient): (Option<&str>, Option<&str>)| ArgumentFacts {
            path: target.map_or(Fact::Absent, |target| paths.read_path(target)),
            host: target.map_or(Fact::Absent, host::of),
            recipient: recipient::of(self.graph, target, recipient),
            amount: amount.clone(),
            branch: target.map_or(Fact::Absent, branch::of),
        };
        pairs.into_iter().map(facts).collect()
    }
}

/// Each of several, or once nothing.
fn each(texts: &[String]) -> Vec<Option<&str>> {
    if texts.is_empty() {
        vec![None]
    } else {
        texts.iter().map(|text| Some(text.as_str())).collect()
    }
}

fn too_many() -> ArgumentFacts {
    let most = limits::MAX_COMBINATIONS;
    let why = format!("the call names more than {most} combinations of target and recipient");
    ArgumentFacts {
        path: Fact::Unreadable(why.clone()),
        host: Fact::Unreadable(why.clone()),
        recipient: Fact::Unreadable(why.clone()),
        amount: Fact::Unreadable(why.clone()),
        branch: Fact::Unreadable(why),
    }
}
