//! Converts old grants into imports, and says why some cannot be converted.

use countersign_core::model::grant::Coverage;
use countersign_core::model::graph::Graph;
use countersign_core::model::imported::{EarlierSystem, ImportedGrant};
use countersign_core::model::time::Time;
use countersign_core::model::words::Risk;
use countersign_import::{OldCoverage, OldGrant};
use countersign_operations::import::check_importable;

pub(super) struct ConvertedGrant {
    pub(super) old: OldGrant,
    /// The import with its risk, or why the grant cannot be imported.
    pub(super) result: Result<(ImportedGrant, Risk), String>,
}

pub(super) fn convert_grants(
    grants: Vec<OldGrant>,
    origin: EarlierSystem,
    graph: Option<&Graph>,
    now: Time,
) -> Vec<ConvertedGrant> {
    let convert = |old: OldGrant| {
        let result = convert_coverage(&old, graph, now).map(|(coverage, risk)| {
            let imported = ImportedGrant {
                origin,
                key: old.key.clone(),
                words: old.description.clone(),
                coverage,
                scope: old.scope,
                given_at: old.given_at,
                ends_at: old.ends_at,
            };
            (imported, risk)
        });
        ConvertedGrant { old, result }
    };
    grants.into_iter().map(convert).collect()
}

fn convert_coverage(
    old: &OldGrant,
    graph: Option<&Graph>,
    now: Time,
) -> Result<(Coverage, Risk), String> {
    if let Some(at) = old.revoked_at {
        return Err(format!("it was revoked at {at}"));
    }
    if let Some(end) = old.ends_at.filter(|end| *end <= now) {
        return Err(format!("it ended at {end}"));
    }
    if old.given_at > now {
        return Err(format!("its start, {}, is in the future", old.given_at));
    }
    let coverage = match &old.coverage {
        OldCoverage::Nothing(why) => return Err((*why).to_owned()),
        OldCoverage::Everything => Coverage::Everything,
        OldCoverage::Action(action) => Coverage::Action(action.clone()),
        OldCoverage::Category(category) => Coverage::Category(category.clone()),
        OldCoverage::WorkflowStarts(workflow) => {
            let rule = graph.and_then(|graph| graph.workflows.get(workflow));
            let actions = rule.map_or_else(Vec::new, |rule| rule.actions.clone());
            Coverage::Class { workflow: workflow.clone(), actions }
        }
    };
    let risk = check_importable(graph, &coverage).map_err(|unfit| unfit.to_string())?;
    Ok((coverage, risk))
}
