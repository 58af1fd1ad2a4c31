//! Phrases for what is not on this disk: the forge, containers, clusters, clouds, databases, other
//! machines and other agents.

use super::{ActionPhrase, phrase, phrase_by};

pub(super) const PHRASES: &[ActionPhrase] = &[
    phrase("forge.read", "Look at the forge: {}", "Look at the forge"),
    phrase("forge.write", "Change something on the forge: {}", "Change something on the forge"),
    phrase("forge.delete", "Delete something on the forge: {}", "Delete something on the forge"),
    phrase("containers.read", "Look at containers: {}", "Look at containers"),
    phrase("containers.change", "Change containers: {}", "Change containers"),
    phrase("containers.delete", "Delete data of containers: {}", "Delete data of containers"),
    phrase("cluster.read", "Look at the cluster: {}", "Look at the cluster"),
    phrase("cluster.read_secret", "Read secrets of the cluster: {}", "Read secrets of the cluster"),
    phrase("cluster.change", "Change the cluster: {}", "Change the cluster"),
    phrase(
        "cluster.delete",
        "Delete resources of the cluster: {}",
        "Delete resources of the cluster",
    ),
    phrase("cloud.read", "Look at the cloud: {}", "Look at the cloud"),
    phrase("cloud.change", "Change the cloud: {}", "Change the cloud"),
    phrase("cloud.delete", "Delete cloud resources: {}", "Delete cloud resources"),
    phrase("database.delete", "Delete a database: {}", "Delete a database"),
    phrase("mcp.read", "Read by an MCP tool: {}", "Read by an MCP tool"),
    phrase("database.read", "Look at the database: {}", "Look at the database"),
    phrase("database.change", "Change the database: {}", "Change the database"),
    phrase("network.local", "Call what listens on this machine: {}", "Call what listens here"),
    phrase("shell.look", "Look at another terminal: {}", "Look at another terminal"),
    phrase("network.remote_shell", "Use another machine: {}", "Use another machine"),
    phrase_by(
        "agents.message",
        "Send a message to the agent {}",
        "Send a message to another agent",
        &["to", "recipient"],
    ),
    phrase_by(
        "agents.spawn",
        "Start an agent: {}",
        "Start an agent",
        &["description", "name", "agent"],
    ),
    phrase_by(
        "agents.spawn_unattended",
        "Schedule an agent that runs unattended: {}",
        "Schedule an agent that runs unattended",
        &["schedule", "cron", "description"],
    ),
    phrase_by(
        "agents.spawn_without_hooks",
        "Start an agent without hooks: {}",
        "Start an agent without hooks",
        &["description", "name"],
    ),
    phrase_by(
        "agents.load_skill",
        "Load the skill {}",
        "Load a skill",
        &["skill", "name", "command"],
    ),
];
