//! The graph that `init` needs: the one that is there, or a first one with the chosen preset.

use super::args::InitArgs;
use super::rules::insert_rules;
use crate::context::SetupContext;
use crate::graph_file::GraphFile;
use crate::graph_search::{FoundGraph, GraphSearch};
use crate::starter::{CodingPreset, write_new};
use countersign_console::{BOLD, Failure, Page, ask, out};
use countersign_core::model::time::Date;
use countersign_harness::ForeignRules;
use std::path::PathBuf;

pub(super) enum GraphPlan {
    /// The operator's own graph, which stays as it is.
    Keep {
        path: PathBuf,
        why: &'static str,
        is_preset_ignored: bool,
    },
    Create {
        path: PathBuf,
    },
}

impl GraphPlan {
    pub(super) fn new(
        preset: Option<CodingPreset>,
        context: &SetupContext,
    ) -> Result<Self, Failure> {
        let search = GraphSearch { named: None, data: None, places: context.graphs.clone() };
        if let Some(FoundGraph { path, origin, .. }) = search.find_for_daemon()? {
            let why = origin.describe();
            return Ok(Self::Keep { path, why, is_preset_ignored: preset.is_some() });
        }
        let folder = context.graph_folder().ok_or_else(|| {
            Failure::usage("your config folder is not known", "set HOME or XDG_CONFIG_HOME")
        })?;
        Ok(Self::Create { path: folder.join("countersign.yaml") })
    }

    pub(super) const fn is_new(&self) -> bool {
        matches!(self, Self::Create { .. })
    }

    /// What can be done with the rules of programs, as the end of a heading.
    pub(super) const fn rules_purpose(&self) -> &'static str {
        match self {
            Self::Create { .. } => ", which can be imported into the new graph:",
            Self::Keep { .. } => ", as lines that you can add below `commands` of your graph:",
        }
    }

    /// The rules of programs without those that the operator's graph has already.
    pub(super) fn leave_out_known(&self, mut rules: ForeignRules) -> ForeignRules {
        let Self::Keep { path, .. } = self else { return rules };
        let Ok(file) = GraphFile::open(path) else { return rules };
        let commands = &file.loaded.graph.commands;
        rules.allow.retain(|rule| !commands.allow.contains(rule));
        rules.deny.retain(|rule| !commands.deny.contains(rule));
        rules
    }

    pub(super) fn draw(&self, page: &mut Page) {
        page.styled(BOLD, "graph").text(": ");
        match self {
            Self::Keep { path, why, is_preset_ignored } => {
                let shown = path.display();
                page.text(&format!("{shown} stays as it is ({why})")).end();
                if *is_preset_ignored {
                    page.text("  the preset is not changed; write `preset: NAME` in it").end();
                }
            }
            Self::Create { path } => {
                page.text(&format!("{} would be created", path.display())).end();
            }
        }
    }

    /// Writes the graph, if there is none yet, with the rules that are to be imported.
    pub(super) fn apply(
        &self,
        args: &InitArgs,
        imported: Option<&ForeignRules>,
        today: Date,
    ) -> Result<(), Failure> {
        let Self::Create { path } = self else { return Ok(()) };
        let preset = match (args.preset, args.yes) {
            (Some(preset), _) => preset,
            (None, true) => CodingPreset::Balanced,
            (None, false) => ask_preset()?,
        };
        let text = preset.graph_text(today)?;
        let with_rules = imported.map(|rules| insert_rules(&text, rules));
        if with_rules == Some(None) {
            let line = "the rules are not imported: the graph would not load with them";
            out::eprint(&Page::from_line(line));
        }
        write_new(path, &with_rules.flatten().unwrap_or(text))?;
        let line = format!("wrote {} with the preset {}", path.display(), preset.word());
        out::show(&Page::from_line(&line))
    }
}

fn ask_preset() -> Result<CodingPreset, Failure> {
    let mut page = Page::new();
    page.text("How often do you want to be asked?").end();
    for preset in CodingPreset::ALL {
        page.text(&format!("  {:<10} {}", preset.word(), preset.meaning())).end();
    }
    out::show(&page)?;
    loop {
        let reply = ask("Which preset? [balanced] ")?;
        match CodingPreset::parse(&reply) {
            _ if reply.is_empty() => return Ok(CodingPreset::Balanced),
            Ok(preset) => return Ok(preset),
            Err(error) => out::eprint(&Page::from_line(&error)),
        }
    }
}
