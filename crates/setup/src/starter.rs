//! The starter graphs: copies of the shipped ones that count as reviewed today.

use crate::files::exists;
use countersign_console::Failure;
use countersign_core::model::time::Date;
use countersign_core::word_enum;
use countersign_graph::Format;
use countersign_graph::review::stamp_review;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder that the personal graph names.
const POLICY_FOLDER: &str = "policies";
const PERSONAL_POLICIES: &[(&str, &str)] = &[
    ("email.cedar", include_str!("../../../graphs/personal/policies/email.cedar")),
    ("files.cedar", include_str!("../../../graphs/personal/policies/files.cedar")),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starter {
    Coding,
    Personal,
    Assistive,
}

impl Starter {
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Coding => include_str!("../../../graphs/coding/countersign.yaml"),
            Self::Personal => include_str!("../../../graphs/personal/countersign.yaml"),
            Self::Assistive => include_str!("../../../graphs/assistive/countersign.yaml"),
        }
    }

    /// The policies that the graph needs beside it.
    const fn policies(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Coding | Self::Assistive => &[],
            Self::Personal => PERSONAL_POLICIES,
        }
    }

    /// Counts as reviewed today, so that its first review is due after one interval.
    fn with_review_date(self, today: Date) -> Result<String, Failure> {
        stamp_review(self.text(), Format::Yaml, &[], today)
            .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))
    }

    /// Writes the graph, and its policies beside it. Replaces nothing.
    pub fn write(self, path: &Path, today: Date) -> Result<Vec<PathBuf>, Failure> {
        let text = self.with_review_date(today)?;
        let policies = path.parent().unwrap_or(Path::new("")).join(POLICY_FOLDER);
        // Policies that are there already would count for this graph too.
        if !self.policies().is_empty() && exists(&policies) {
            let message = format!("`{}` exists already", policies.display());
            return Err(Failure::usage(message, "name a file in another folder"));
        }
        let mut files = Vec::new();
        for (name, policy) in self.policies() {
            files.push((policies.join(name), (*policy).to_owned()));
        }
        // The graph last: it counts once everything that it names is there.
        files.push((path.to_owned(), text));
        for (path, text) in &files {
            write_new(path, text)?;
        }
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }
}

word_enum! {
    /// How often the operator is asked: a preset of the coding graph.
    pub enum CodingPreset {
        Careful = "careful",
        Balanced = "balanced",
        Trusting = "trusting",
    }
}

impl CodingPreset {
    /// What it means, as the graph says it.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Careful => "edits, tests and builds ask once per session",
            Self::Balanced => "they happen; git asks once per session, the network each time",
            Self::Trusting => "git in your own repository happens too",
        }
    }

    pub(crate) fn parse(word: &str) -> Result<Self, String> {
        Self::from_word(word).ok_or_else(|| {
            format!(
                "there is no such preset; write one of: {}",
                Self::ALL.iter().map(|preset| preset.word()).collect::<Vec<_>>().join(", ")
            )
        })
    }

    /// The coding graph with this preset.
    pub(crate) fn graph_text(self, today: Date) -> Result<String, Failure> {
        let text = Starter::Coding.with_review_date(today)?;
        Ok(text.replacen("\npreset: balanced\n", &format!("\npreset: {}\n", self.word()), 1))
    }
}

/// Writes a file that is not there yet.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let fail = |error: std::io::Error| {
        let help = "name another file, or make the folder writable";
        Failure::file("write", path, &error, help)
    };
    if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    let mut file = File::create_new(path).map_err(fail)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::time::Time;

    #[test]
    fn the_presets_are_those_of_the_coding_graph() {
        let today = Time::parse("2031-02-03T04:05:06Z").unwrap().date();
        for preset in CodingPreset::ALL {
            let text = preset.graph_text(today).unwrap();
            let loaded = countersign_graph::load_graph("g.yaml", text.as_bytes(), Format::Yaml);
            let graph = loaded.unwrap().graph;
            assert_eq!(graph.preset.unwrap().name, preset.word());
            assert_eq!(graph.presets.len(), CodingPreset::ALL.len());
            let line = format!("#   {:<10} {}\n", preset.word(), preset.meaning());
            assert!(text.contains(&line), "{line}");
        }
    }

    #[test]
    fn a_starter_graph_counts_as_reviewed_today() {
        let today = Time::parse("2031-02-03T04:05:06Z").unwrap().date();
        for starter in [Starter::Coding, Starter::Assistive] {
            let expected = starter.text().replace("reviewed: 2026-01-05", "reviewed: 2031-02-03");
            assert_eq!(starter.with_review_date(today).unwrap(), expected);
        }
        assert!(Starter::Personal.with_review_date(today).unwrap().contains("2031-02-03"));
    }
}
