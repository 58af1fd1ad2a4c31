//! The operator's policies: Cedar text in, rules that can be asked or spanned problems out.
//!
//! A policy speaks about an action and about facts that were worked out from a call's arguments;
//! the arguments themselves are out of its reach. The three lists of the graph compile to Cedar
//! too, so that policies stand beside them and Cedar's own order holds: a `forbid` wins over every
//! `permit`, and what nothing permits does not happen. Pure: folders are read elsewhere.

pub mod facts;

mod judge;
mod literals;
mod named;
mod read;
mod refuse;
mod schema;
mod slice;
mod table;
mod text;
mod vocabulary;

pub use facts::{ArgumentFacts, Group};

use crate::problem::{Problem, Problems, Span};
use cedar_policy::{Authorizer, Entities, EntityUid, Policy, PolicySet, Schema};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use serde_json::json;
use slice::Slices;
use std::collections::BTreeSet;

const LABEL: &str = "countersign/graph-with-rules/v1";

/// One file of the rules folder.
#[derive(Clone, Debug)]
pub struct Source {
    /// What policies of this file are called by: `files.cedar`.
    pub name: String,
    /// What problems of this file are shown under: `graphs/home/rules/files.cedar`.
    pub shown: String,
    pub bytes: Vec<u8>,
}

/// Policies that passed every check, cut into one slice for each action.
#[derive(Debug)]
pub struct Rules {
    schema: Schema,
    authorizer: Authorizer,
    entities: Entities,
    principal: EntityUid,
    resource: EntityUid,
    slices: Slices,
    hash: Digest,
    names: Vec<String>,
    policies: Vec<Policy>,
}

/// Checks the policies against the graph and compiles both.
pub fn compile(graph: &Graph, sources: &[Source]) -> Result<Rules, Vec<Problems>> {
    let broken = |problem: Problem| vec![Problems::new("rules", b"", vec![problem])];
    let vocabulary = vocabulary::Vocabulary::of(graph);
    let schema = schema::schema(&vocabulary).map_err(broken)?;
    let entities = schema.action_entities().map_err(|error| broken(bug(error)))?;
    let policies = read::read(sources, &vocabulary, &schema)?;
    let slices = Slices::cut(graph, &vocabulary, &policies).map_err(broken)?;
    let (names, policies) = policies.into_iter().map(|named| (named.name, named.policy)).unzip();
    Ok(Rules {
        schema,
        authorizer: Authorizer::new(),
        entities,
        principal: slice::entity(schema::PRINCIPAL, "any").map_err(broken)?,
        resource: slice::entity(schema::RESOURCE, "any").map_err(broken)?,
        slices,
        hash: hash(graph, sources).map_err(broken)?,
        names,
        policies,
    })
}

/// A schema that knows the actions of both graphs, for whoever compares their policies.
pub fn schema_of_both(one: &Graph, other: &Graph) -> Result<Schema, Problem> {
    let mut vocabulary = vocabulary::Vocabulary::of(one);
    let vocabulary::Vocabulary { actions, domains } = vocabulary::Vocabulary::of(other);
    vocabulary.actions.extend(actions);
    vocabulary.domains.extend(domains);
    schema::schema(&vocabulary)
}

/// Whether a fact of this name can ever be this text.
pub fn can_be(fact: &str, text: &str) -> bool {
    literals::fault(fact, text).is_none()
}

/// A graph's hash and that of its policies in one, so that a decision names both.
fn hash(graph: &Graph, sources: &[Source]) -> Result<Digest, Problem> {
    let mut files: Vec<_> = sources
        .iter()
        .map(|file| (&file.name, Digest::of_bytes("countersign/rules-file/v1", &file.bytes)))
        .collect();
    files.sort();
    let files: Vec<_> = files.iter().map(|(name, hash)| json!([name, hash])).collect();
    Digest::of(LABEL, &json!({"graph": graph.hash, "rules": files})).map_err(bug)
}

impl Rules {
    /// Of the graph and its policies together.
    pub fn hash(&self) -> Digest {
        self.hash
    }

    /// How the policies are called, in the order of their files.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The operator's policies, in the order of their files; each has its name for an id.
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// The policies that reach an action, by name: none where the lists alone decide.
    pub fn reaching(&self, action: &Action) -> &[String] {
        self.slices.of(action).map_or(&[], |slice| &slice.names)
    }

    /// What a call's arguments must be readable for, or no policy that reaches the action permits
    /// anything.
    pub fn looks_at(&self, action: &Action) -> BTreeSet<Group> {
        self.slices.of(action).map_or_else(BTreeSet::new, |slice| slice.looks_at.clone())
    }

    /// What the policies were validated against.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// All that Cedar is asked about an action: what its list compiles to, and every policy that
    /// reaches it.
    pub fn compiled(&self, action: &Action) -> Option<&PolicySet> {
        self.slices.of(action).map(|slice| &slice.policies)
    }

    /// What stands for an action in the compiled policies.
    pub fn entity(&self, action: &Action) -> Option<&EntityUid> {
        self.slices.of(action).map(|slice| &slice.action)
    }
}

/// Something that no policy text can cause.
fn bug(error: impl std::fmt::Display) -> Problem {
    Problem::new(Span::at(0), error.to_string(), "report this as a bug")
}
