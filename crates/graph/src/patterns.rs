//! Tool patterns by what they begin with: which mapping holds for a pattern, and which would.

use countersign_core::model::graph::{ToolMapping, ToolPattern};
use std::collections::HashMap;

pub(crate) struct Patterns<'g> {
    exact: HashMap<&'g str, &'g ToolMapping>,
    prefixes: HashMap<&'g str, &'g ToolMapping>,
}

pub(crate) fn stem(pattern: &ToolPattern) -> &str {
    let (ToolPattern::Exact(stem) | ToolPattern::Prefix(stem)) = pattern;
    stem
}

impl<'g> Patterns<'g> {
    pub(crate) fn of(tools: &'g [ToolMapping]) -> Self {
        let (mut exact, mut prefixes) = (HashMap::new(), HashMap::new());
        for mapping in tools {
            match &mapping.pattern {
                ToolPattern::Exact(name) => exact.insert(name.as_str(), mapping),
                ToolPattern::Prefix(prefix) => prefixes.insert(prefix.as_str(), mapping),
            };
        }
        Self { exact, prefixes }
    }

    /// The mapping that holds for the tools of this pattern, as far as no longer one does.
    pub(crate) fn governing(&self, pattern: &ToolPattern) -> Option<&'g ToolMapping> {
        let own = match pattern {
            ToolPattern::Exact(name) => self.exact.get(name.as_str()),
            ToolPattern::Prefix(prefix) => self.prefixes.get(prefix.as_str()),
        };
        own.copied().or_else(|| self.shorter(pattern))
    }

    /// The mapping that would hold if this pattern were not there.
    pub(crate) fn shorter(&self, pattern: &ToolPattern) -> Option<&'g ToolMapping> {
        let stem = stem(pattern);
        let whole = matches!(pattern, ToolPattern::Exact(_)).then_some(stem);
        let parts = stem.char_indices().rev().filter_map(|(end, _)| stem.get(..end));
        whole.into_iter().chain(parts).find_map(|part| self.prefixes.get(part).copied())
    }
}
