//! An index of tool patterns: which mapping applies to a pattern, and which one it overrides.

use countersign_core::model::graph::{ToolMapping, ToolPattern};
use std::collections::HashMap;

pub(crate) struct ToolPatternIndex<'g> {
    exact: HashMap<&'g str, &'g ToolMapping>,
    prefixes: HashMap<&'g str, &'g ToolMapping>,
}

pub(crate) fn pattern_stem(pattern: &ToolPattern) -> &str {
    let (ToolPattern::Exact(stem) | ToolPattern::Prefix(stem)) = pattern;
    stem
}

impl<'g> ToolPatternIndex<'g> {
    pub(crate) fn new(tools: &'g [ToolMapping]) -> Self {
        let (mut exact, mut prefixes) = (HashMap::new(), HashMap::new());
        for mapping in tools {
            match &mapping.pattern {
                ToolPattern::Exact(name) => exact.insert(name.as_str(), mapping),
                ToolPattern::Prefix(prefix) => prefixes.insert(prefix.as_str(), mapping),
            };
        }
        Self { exact, prefixes }
    }

    /// The mapping that applies to the tools of this pattern, unless a longer pattern matches.
    pub(crate) fn find(&self, pattern: &ToolPattern) -> Option<&'g ToolMapping> {
        let exact = match pattern {
            ToolPattern::Exact(name) => self.exact.get(name.as_str()),
            ToolPattern::Prefix(prefix) => self.prefixes.get(prefix.as_str()),
        };
        exact.copied().or_else(|| self.find_shorter(pattern))
    }

    /// The mapping that would apply without this pattern.
    pub(crate) fn find_shorter(&self, pattern: &ToolPattern) -> Option<&'g ToolMapping> {
        let stem = pattern_stem(pattern);
        let full_name = matches!(pattern, ToolPattern::Exact(_)).then_some(stem);
        let parts = stem.char_indices().rev().filter_map(|(end, _)| stem.get(..end));
        full_name.into_iter().chain(parts).find_map(|part| self.prefixes.get(part).copied())
    }
}
