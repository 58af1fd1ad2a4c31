//! The digests of a call beside the call written as JSON with sorted keys.

use super::Runs;
use super::world::{SEND, draft, session};
use super::{BenchResult, Context};
use countersign_core::decide::facts::Facts;
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::rule_results::NO_RULE_RESULTS;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Assurance, Surface};
use countersign_core::state::State;
use countersign_core::steps::resolve::resolve_call;
use serde_json::json;
use std::hint::black_box;
use xtask::bench::rounds::Variant;
use xtask::bench::store::{DIGESTS, Figure, SORTED};

const TIMES: u32 = 256;

pub fn run(runs: &mut Runs) -> BenchResult<()> {
    let ids = IdGenerator::new(Time::from_micros(0), 7);
    let state = State::empty();
    let facts = Facts {
        now: Time::from_micros(0),
        ids: &ids,
        graph: None,
        state: &state,
        surface: Surface::Reachable,
        assurance: Assurance::Separated,
        questions: countersign_core::model::open_questions::OpenQuestions::none(
            countersign_core::model::open_questions::QuestionLimits::default(),
        ),
        protected: &[],
        ruled: &NO_RULE_RESULTS,
        key: None,
        place: None,
        node: countersign_core::model::names::NodeName::local(),
    };
    let call = resolve_call(&facts, draft(&session(0)?, SEND)?).context("a call")?;
    let form = json!({
        "agent": call.agent, "session": call.session, "project": call.project,
        "actions": call.actions, "declares": call.declares, "tool": call.tool, "args": call.args,
        "target": call.target, "categories": call.given, "risk": call.claims.risk,
        "command": call.command,
    });
    println!(
        "The call has {} bytes of arguments, {} in all.",
        call.args.to_string().len(),
        form.to_string().len()
    );
    let mut variants = [
        Variant::new(SORTED, TIMES, || {
            (0..TIMES).for_each(|_| drop(black_box(black_box(&form).to_string())));
        }),
        Variant::new(DIGESTS, TIMES, || {
            (0..TIMES).for_each(|_| drop(black_box(black_box(&call).digests())));
        }),
    ];
    runs.figure(Figure::Digest, &mut variants).map(drop)
}
