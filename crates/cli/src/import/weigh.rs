//! What of an old file comes in, and what does not and why.

use countersign_core::model::grant::Coverage;
use countersign_core::model::graph::Graph;
use countersign_core::model::imported::{Imported, Origin};
use countersign_core::model::time::Time;
use countersign_core::model::words::Risk;
use countersign_core::steps::import::fits;
use countersign_import::{OldCoverage, OldGrant};

pub(super) struct Weighed {
    pub(super) old: OldGrant,
    pub(super) fit: Result<(Imported, Risk), String>,
}

pub(super) fn weigh(
    old: Vec<OldGrant>,
    origin: Origin,
    (graph, now): (Option<&Graph>, Time),
) -> Vec<Weighed> {
    let one = |old: OldGrant| {
        let fit = fit(&old, graph, now).map(|(coverage, risk)| {
            let imported = Imported {
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
        Weighed { old, fit }
    };
    old.into_iter().map(one).collect()
}

fn fit(old: &OldGrant, graph: Option<&Graph>, now: Time) -> Result<(Coverage, Risk), String> {
    if let Some(at) = old.revoked_at {
        return Err(format!("it was revoked at {at}"));
    }
    if let Some(end) = old.ends_at.filter(|end| *end <= now) {
        return Err(format!("it ended at {end}"));
    }
    if old.given_at > now {
        return Err(format!("it says that it was given at {}, which lies ahead", old.given_at));
    }
    let coverage = match &old.coverage {
        OldCoverage::Nothing(why) => return Err((*why).to_owned()),
        OldCoverage::Everything => Coverage::Everything,
        OldCoverage::Action(action) => Coverage::Action(action.clone()),
        OldCoverage::Category(category) => Coverage::Category(category.clone()),
        OldCoverage::WorkflowStarts(workflow) => {
            let known = graph.and_then(|graph| graph.workflows.get(workflow));
            let actions = known.map_or_else(Vec::new, |known| known.actions.clone());
            Coverage::Class { workflow: workflow.clone(), actions }
        }
    };
    let risk = fits(graph, &coverage).map_err(|unfit| unfit.to_string())?;
    Ok((coverage, risk))
}
