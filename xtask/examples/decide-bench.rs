//! The variants of `cargo xtask bench decide`, measured in turn.
//!
//! Every variant goes through the same calls in the same order, again and again, so that what
//! differs is the work. Without the feature `peers` there is no Cedar, and no verdict about it.

#[cfg(feature = "peers")]
mod cedar;

use countersign_commands::analyse;
use countersign_core::decide as judge;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::call::Call;
use countersign_core::model::words::Tier;
use countersign_core::steps::resolve::resolve_call;
use countersign_graph::{Format, load_graph};
use countersign_probes::{COMMAND, LARGE, Path, SMALL, World, WorldResult, arguments};
use serde_json::Value;
use std::collections::HashMap;
use std::hint::black_box;
use std::process::ExitCode;
use xtask::bench::rounds::{Variant, measure};
use xtask::bench::runs::{Extent, ExtentOption};
use xtask::bench::{decide as suite, machine_load, report};
use xtask::options::parse_options;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match parse_options::<ExtentOption>(&words)
        .map_err(Into::into)
        .and_then(|option| bench(option.extent()))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("decide-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(extent: Extent) -> WorldResult<()> {
    let (small, large) = (World::new(SMALL)?, World::new(LARGE)?);
    let (small_text, large_text) = (SMALL.json(), LARGE.json());
    let mut variants = vec![
        lookup(&small)?,
        decisions(suite::AUTONOMOUS, &small, small.calls(Path::Autonomous)?),
        decisions(suite::BY_ACTION, &small, small.calls(Path::GrantedByAction)?),
        decisions(suite::BY_CATEGORY, &small, small.calls(Path::GrantedByCategory)?),
        decisions(suite::ASK, &small, small.calls(Path::Ask)?),
        decisions(suite::SMALL, &small, small.mixed()?),
        decisions(suite::LARGE, &large, large.mixed()?),
    ];
    #[cfg(feature = "peers")]
    variants.push(cedar::variant(&small)?);
    variants.extend(parts(&small)?);
    variants.extend([
        repeated(suite::PARSE_SMALL, 64, || parse(&small_text)),
        repeated(suite::LOAD_SMALL, 16, || load(&small_text)),
        repeated(suite::PARSE_LARGE, 1, || parse(&large_text)),
        repeated(suite::LOAD_LARGE, 1, || load(&large_text)),
    ]);
    let measured = measure(suite::SUITE, &mut variants, suite::plan(extent), machine_load::probe)?;
    println!("{}", report::render_markdown(&measured, &suite::goals()));
    Ok(())
}

/// The work, done `times` over between two looks at the clock.
fn repeated<'a>(name: &'static str, times: u32, mut work: impl FnMut() + 'a) -> Variant<'a> {
    Variant::new(name, times, move || (0..times).for_each(|_| work()))
}

/// The work on each of these in turn, so often over that what was cold at first hardly counts.
pub fn over<'a, T: 'a>(
    name: &'static str,
    (items, passes): (Vec<T>, u32),
    work: impl Fn(&T) + 'a,
) -> Variant<'a> {
    let repeats = passes * u32::try_from(items.len()).unwrap_or(u32::MAX);
    Variant::new(name, repeats, move || (0..passes).for_each(|_| items.iter().for_each(&work)))
}

/// What nothing that looks up a rule can be faster than: the tier by the action's name.
fn lookup(world: &World) -> WorldResult<Variant<'_>> {
    let tiers: HashMap<String, Tier> = world.tiers();
    let names: Vec<String> =
        world.mixed()?.iter().flat_map(|call| &call.actions).map(ToString::to_string).collect();
    Ok(over(suite::LOOKUP, (names, 64), move |name| {
        black_box(tiers.get(black_box(name.as_str())));
    }))
}

fn decisions<'a>(name: &'static str, world: &'a World, calls: Vec<Call>) -> Variant<'a> {
    let facts = world.facts();
    over(name, (calls, 8), move |call| {
        black_box(judge(black_box(&facts), black_box(call)));
    })
}

/// What stands beside a decision.
fn parts(world: &World) -> WorldResult<Vec<Variant<'_>>> {
    let call = world.calls(Path::Ask)?.into_iter().next().ok_or("there is no call")?;
    let draft = call.actions.first().cloned().map(|action| world.draft(action, 1));
    let draft = draft.ok_or("the call has no action")?;
    let form = serde_json::json!({ "agent": call.agent, "actions": call.actions,
        "args": arguments(1), "target": call.target });
    let facts = world.facts();
    Ok(vec![
        repeated(suite::DIGEST, 512, move || {
            let digest = Digest::hash_value("countersign/call/v1", black_box(&form));
            drop(black_box(digest));
        }),
        repeated(suite::RESOLVE, 256, move || {
            drop(black_box(resolve_call(&facts, black_box(&draft).clone())));
        }),
        repeated(suite::COMMAND, 2_048, || {
            black_box(analyse(black_box(COMMAND), None));
        }),
    ])
}

fn parse(text: &str) {
    drop(black_box(serde_json::from_slice::<Value>(black_box(text.as_bytes()))));
}

fn load(text: &str) {
    drop(black_box(load_graph("generated.json", black_box(text.as_bytes()), Format::Json)));
}
