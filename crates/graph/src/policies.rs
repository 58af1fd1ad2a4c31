//! The operator's policies: Cedar text in, compiled policies or spanned problems out.
//!
//! A policy tests the action and facts that were derived from a call's arguments; it cannot see
//! the arguments themselves. The three tier lists compile to Cedar too, so policies and lists
//! combine by Cedar's semantics: a `forbid` wins over every `permit`, and the default is to deny.
//! Pure: the caller reads the policy folder.
//!
//! See docs/decisions/0012-policies-on-facts.md.

pub mod facts;

mod evaluate;
mod inspect;
mod literals;
mod named_policy;
mod read;
mod schema;
mod slices;
mod tier_policy;
mod tokens;
mod vocabulary;

pub use facts::{ArgumentFacts, FactGroup};

use crate::problem::{Problem, Problems, TextSpan};
use cedar_policy::{Authorizer, Entities, EntityUid, Policy, PolicySet, Schema};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use serde_json::json;
use slices::PolicySlices;
use std::collections::BTreeSet;

const HASH_LABEL: &str = "countersign/graph-with-rules/v1";

/// One file of the rules folder.
#[derive(Clone, Debug)]
pub struct PolicyFile {
    /// The file name that names its policies: `files.cedar`.
    pub name: String,
    /// The path that problems show: `graphs/home/rules/files.cedar`.
    pub display_path: String,
    pub bytes: Vec<u8>,
}

/// Policies that passed every check, divided into one slice per action.
#[derive(Debug)]
pub struct CompiledPolicies {
    schema: Schema,
    authorizer: Authorizer,
    entities: Entities,
    principal: EntityUid,
    resource: EntityUid,
    slices: PolicySlices,
    hash: Digest,
    names: Vec<String>,
    policies: Vec<Policy>,
}

/// Checks the policies against the graph, and compiles them together with its tier lists.
pub fn compile(
    graph: &Graph,
    policy_files: &[PolicyFile],
) -> Result<CompiledPolicies, Vec<Problems>> {
    let single_problem = |problem: Problem| vec![Problems::new("rules", b"", vec![problem])];
    let vocabulary = vocabulary::Vocabulary::from_graph(graph);
    let schema = schema::build_schema(&vocabulary).map_err(single_problem)?;
    let entities =
        schema.action_entities().map_err(|error| single_problem(internal_error(error)))?;
    let policies = read::read_policies(policy_files, &vocabulary, &schema)?;
    let slices = PolicySlices::build(graph, &vocabulary, &policies).map_err(single_problem)?;
    let (names, policies) = policies.into_iter().map(|named| (named.name, named.policy)).unzip();
    Ok(CompiledPolicies {
        schema,
        authorizer: Authorizer::new(),
        entities,
        principal: slices::entity_uid(schema::PRINCIPAL, "any").map_err(single_problem)?,
        resource: slices::entity_uid(schema::RESOURCE, "any").map_err(single_problem)?,
        slices,
        hash: hash_with_policies(graph, policy_files).map_err(single_problem)?,
        names,
        policies,
    })
}

/// A schema with the actions of both graphs, for comparing their policies.
pub fn combined_schema(one: &Graph, other: &Graph) -> Result<Schema, Problem> {
    let mut vocabulary = vocabulary::Vocabulary::from_graph(one);
    let vocabulary::Vocabulary { actions, domains } = vocabulary::Vocabulary::from_graph(other);
    vocabulary.actions.extend(actions);
    vocabulary.domains.extend(domains);
    schema::build_schema(&vocabulary)
}

/// Whether the fact of this name can ever have this value.
pub fn is_possible_fact_value(fact: &str, text: &str) -> bool {
    literals::find_fault(fact, text).is_none()
}

/// Hashes the graph and its policies together, so that a decision identifies both.
fn hash_with_policies(graph: &Graph, policy_files: &[PolicyFile]) -> Result<Digest, Problem> {
    let mut files: Vec<_> = policy_files
        .iter()
        .map(|file| (&file.name, Digest::hash_bytes("countersign/rules-file/v1", &file.bytes)))
        .collect();
    files.sort();
    let files: Vec<_> = files.iter().map(|(name, hash)| json!([name, hash])).collect();
    Digest::hash_value(HASH_LABEL, &json!({"graph": graph.hash, "rules": files}))
        .map_err(internal_error)
}

impl CompiledPolicies {
    /// The hash of the graph and its policies together.
    pub fn hash(&self) -> Digest {
        self.hash
    }

    /// The names of the policies, in the order of their files.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The operator's policies, in the order of their files; the id of each is its name.
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// The names of the policies that apply to an action; empty if the lists alone decide.
    pub fn policy_names_for(&self, action: &Action) -> &[String] {
        self.slices.get(action).map_or(&[], |slice| &slice.names)
    }

    /// The fact groups that the policies for an action use. If one of them is unreadable in a
    /// call, nothing is permitted.
    pub fn fact_groups_for(&self, action: &Action) -> BTreeSet<FactGroup> {
        self.slices.get(action).map_or_else(BTreeSet::new, |slice| slice.fact_groups.clone())
    }

    /// The schema that the policies were validated against.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Everything that Cedar evaluates for an action: the policy of its tier list and the
    /// operator's policies that apply to it.
    pub fn policy_set_for(&self, action: &Action) -> Option<&PolicySet> {
        self.slices.get(action).map(|slice| &slice.policies)
    }

    /// The entity of an action in the compiled policies.
    pub fn action_entity(&self, action: &Action) -> Option<&EntityUid> {
        self.slices.get(action).map(|slice| &slice.action)
    }
}

/// A failure that no policy text can cause.
fn internal_error(error: impl std::fmt::Display) -> Problem {
    Problem::new(TextSpan::at_offset(0), error.to_string(), "report this as a bug")
}
