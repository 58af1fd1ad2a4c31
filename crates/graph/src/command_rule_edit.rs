//! Writes one command rule into the operator's graph or the rules of a repository, or takes it out, and
//! changes nothing else.
//!
//! As with a review, the file is edited as text, so that comments and order stay, and parsed again. The
//! edit is refused unless what it says differs only in that rule.
//!
//! See docs/decisions/0110-rules-from-the-command-line.md.

mod list_text;

use crate::layer::Layer;
use crate::layer::read::read_layer;
use crate::load::resolve_without_policies;
use crate::node::{self, DocumentNode, Format, MapEntry};
use crate::problem::Problem;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::{CommandRules, Graph};

/// What happens to the commands that a rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleChoice {
    Allow,
    Block,
    /// No rule of its own: what the graph says about its action holds.
    Ask,
}

#[derive(Debug, thiserror::Error)]
pub enum RuleEditError {
    #[error("the graph does not load, so nothing is changed in it")]
    InvalidGraph(Vec<Problem>),
    #[error("the graph says so already")]
    NothingToChange,
    #[error("the rule cannot be written without changing something else")]
    ChangesMore,
}

/// What a file with command rules is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleFile {
    /// The operator's graph.
    Graph(Format),
    /// The rules of a repository.
    Layer,
}

/// The text of the file with the rule in the list that it belongs to, and in no other.
pub fn edit_command_rule(
    text: &str,
    file: RuleFile,
    choice: RuleChoice,
    rule: &str,
) -> Result<String, RuleEditError> {
    let format = file.format();
    let before = load(text, file).map_err(RuleEditError::InvalidGraph)?;
    let mut wanted = before.clone();
    change_rules(&mut wanted.commands, choice, rule);
    if wanted == before {
        return Err(RuleEditError::NothingToChange);
    }
    let removed = remove_rule(text, format, choice, rule);
    let removed = removed.ok_or(RuleEditError::ChangesMore)?;
    let candidates = match choice.list() {
        Some(list) if !contains(&before.commands, choice, rule) => {
            list_text::add(&removed, format, list, rule)
        }
        Some(_) | None => vec![removed],
    };
    let is_right = |text: &&String| load(text, file).is_ok_and(|after| after == wanted);
    candidates.iter().find(is_right).cloned().ok_or(RuleEditError::ChangesMore)
}

impl RuleChoice {
    /// The list of the graph that holds such rules.
    const fn list(self) -> Option<&'static str> {
        match self {
            Self::Allow => Some("allow"),
            Self::Block => Some("deny"),
            Self::Ask => None,
        }
    }
}

impl RuleFile {
    const fn format(self) -> Format {
        match self {
            Self::Graph(format) => format,
            Self::Layer => Format::Yaml,
        }
    }
}

/// What a file says: its command rules, and everything else.
#[derive(Clone, PartialEq)]
struct LoadedRules {
    commands: CommandRules,
    rest: OtherRules,
}

#[derive(Clone, PartialEq)]
enum OtherRules {
    Graph(Box<Graph>),
    Layer(Box<Layer>),
}

fn load(text: &str, file: RuleFile) -> Result<LoadedRules, Vec<Problem>> {
    let root = node::parse(text.as_bytes(), file.format())?;
    match file {
        RuleFile::Graph(_) => {
            let mut graph = resolve_without_policies(&root, Digest::zero())?.graph;
            let commands = std::mem::replace(&mut graph.commands, CommandRules::NONE);
            Ok(LoadedRules { commands, rest: OtherRules::Graph(Box::new(graph)) })
        }
        RuleFile::Layer => {
            let mut layer = read_layer(&root)?;
            // Their places move with the text.
            layer.widening.clear();
            let commands = std::mem::replace(&mut layer.commands, CommandRules::NONE);
            Ok(LoadedRules { commands, rest: OtherRules::Layer(Box::new(layer)) })
        }
    }
}

fn contains(rules: &CommandRules, choice: RuleChoice, rule: &str) -> bool {
    let list = match choice {
        RuleChoice::Allow => &rules.allow,
        RuleChoice::Block => &rules.deny,
        RuleChoice::Ask => return false,
    };
    list.iter().any(|listed| listed == rule)
}

fn change_rules(rules: &mut CommandRules, choice: RuleChoice, rule: &str) {
    let has_rule = contains(rules, choice, rule);
    let is_other = |listed: &String| listed != rule;
    // A rule stands in one list only.
    for (_, class) in &mut rules.classes {
        class.retain(is_other);
    }
    match choice {
        RuleChoice::Allow => {
            rules.deny.retain(is_other);
            rules.allow.extend((!has_rule).then(|| rule.to_owned()));
        }
        RuleChoice::Block => {
            rules.allow.retain(is_other);
            rules.deny.extend((!has_rule).then(|| rule.to_owned()));
        }
        RuleChoice::Ask => {
            rules.allow.retain(is_other);
            rules.deny.retain(is_other);
        }
    }
}

/// Without the rule in the lists that it does not belong to.
fn remove_rule(text: &str, format: Format, choice: RuleChoice, rule: &str) -> Option<String> {
    let mut text = text.to_owned();
    for list in ["allow", "deny"].into_iter().filter(|list| choice.list() != Some(list)) {
        let root: DocumentNode = node::parse(text.as_bytes(), format).ok()?;
        text = list_text::remove(&text, root.get("commands"), list, rule)?;
    }
    let root: DocumentNode = node::parse(text.as_bytes(), format).ok()?;
    let classes = root.get("commands").and_then(|commands| commands.get("classes"));
    let entries = classes.and_then(DocumentNode::entries).unwrap_or_default();
    let has_rule = |entry: &&MapEntry| list_text::contains(&entry.value, rule);
    match entries.iter().find(has_rule) {
        Some(class) => list_text::remove(&text, classes, &class.key.name, rule),
        None => Some(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YAML: &str = "\
domains:
  shell: {autonomous: [], requires_approval: [run], blocked: []}
# What nobody needs to look at.
commands:
  allow:
    - ls -l   # by hand
    - git status
  deny: [rm -rf x, gh repo delete *]
";

    fn edit(text: &str, format: Format, choice: RuleChoice, rule: &str) -> String {
        edit_command_rule(text, RuleFile::Graph(format), choice, rule).unwrap()
    }

    #[test]
    fn a_rule_is_added_to_a_list_of_lines_and_to_one_in_brackets() {
        let added = edit(YAML, Format::Yaml, RuleChoice::Allow, "docker ps *");
        assert!(added.contains("    - git status\n    - \"docker ps *\"\n  deny:"), "{added}");
        let added = edit(YAML, Format::Yaml, RuleChoice::Block, "docker rm *");
        assert!(added.contains("[rm -rf x, gh repo delete *, \"docker rm *\"]"), "{added}");
        assert!(added.contains("# by hand") && added.contains("# What nobody"), "{added}");
    }

    #[test]
    fn a_rule_changes_its_list_and_leaves_the_other() {
        let moved = edit(YAML, Format::Yaml, RuleChoice::Allow, "gh repo delete *");
        assert!(moved.contains("deny: [rm -rf x]"), "{moved}");
        assert!(moved.contains("- \"gh repo delete *\""), "{moved}");
        let asked = edit(YAML, Format::Yaml, RuleChoice::Ask, "rm -rf x");
        assert!(asked.contains("deny: [gh repo delete *]"), "{asked}");
        let asked = edit(&asked, Format::Yaml, RuleChoice::Ask, "git status");
        assert!(asked.contains("- ls -l   # by hand\n  deny:"), "{asked}");
        let empty = edit(&asked, Format::Yaml, RuleChoice::Ask, "ls -l");
        assert!(empty.contains("allow: []\n"), "{empty}");
    }

    #[test]
    fn a_list_that_is_missing_is_added_in_every_format() {
        let cases = [
            (Format::Yaml, "shell: {autonomous: [], requires_approval: [run], blocked: []}\n"),
            (
                Format::Yaml,
                "domains:\n  s: {autonomous: [], requires_approval: [run], blocked: []}\ncommands:\n  env: [CI]\n",
            ),
            (
                Format::Json,
                "{\"domains\": {\"s\": {\"autonomous\": [], \"requires_approval\": [], \"blocked\": []}}}",
            ),
            (
                Format::Toml,
                "[domains.s]\nautonomous = []\nrequires_approval = []\nblocked = []\n\n[commands]\nenv = [\"CI\"]\n",
            ),
            (Format::Toml, "[domains.s]\nautonomous = []\nrequires_approval = []\nblocked = []\n"),
        ];
        for (format, text) in cases {
            let added = edit(text, format, RuleChoice::Block, "gh repo delete *");
            let graph = load(&added, RuleFile::Graph(format)).unwrap();
            assert_eq!(graph.commands.deny, ["gh repo delete *"], "{added}");
            let taken_out = edit(&added, format, RuleChoice::Ask, "gh repo delete *");
            assert!(
                load(&taken_out, RuleFile::Graph(format)).unwrap().commands.deny.is_empty(),
                "{taken_out}"
            );
        }
    }

    #[test]
    fn a_rule_of_a_class_leaves_it() {
        let text = format!("{YAML}  classes:\n    shell.run: [npm test, 'docker ps *', make]\n");
        let allowed = edit(&text, Format::Yaml, RuleChoice::Allow, "docker ps *");
        assert!(allowed.contains("shell.run: [npm test, make]"), "{allowed}");
        assert!(allowed.contains("- \"docker ps *\""), "{allowed}");
        let asked = edit(&text, Format::Yaml, RuleChoice::Ask, "make");
        assert!(asked.contains("shell.run: [npm test, 'docker ps *']"), "{asked}");
    }

    #[test]
    fn the_rules_of_a_repository_are_edited_in_the_same_way() {
        let text = "# For everybody.\ndomains: {git: {blocked: [push]}}\ncommands:\n  deny: []\n";
        let edit =
            |text: &str, choice, rule| edit_command_rule(text, RuleFile::Layer, choice, rule);
        let blocked = edit(text, RuleChoice::Block, "dd *").unwrap();
        assert_eq!(blocked, text.replace("[]", "[\"dd *\"]"));
        let allowed = edit(&blocked, RuleChoice::Allow, "make lint").unwrap();
        assert!(allowed.contains("allow: [\"make lint\"]"), "{allowed}");
        assert_eq!(edit(&blocked, RuleChoice::Ask, "dd *").unwrap(), text);
        let invalid = edit("tools: {}\n", RuleChoice::Block, "dd *");
        assert!(matches!(invalid, Err(RuleEditError::InvalidGraph(_))));
    }

    #[test]
    fn what_is_there_already_is_said() {
        let error =
            edit_command_rule(YAML, RuleFile::Graph(Format::Yaml), RuleChoice::Allow, "git status");
        assert!(matches!(error, Err(RuleEditError::NothingToChange)));
        let error =
            edit_command_rule(YAML, RuleFile::Graph(Format::Yaml), RuleChoice::Ask, "npm test");
        assert!(matches!(error, Err(RuleEditError::NothingToChange)));
    }
}
