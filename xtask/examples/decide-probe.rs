//! What callgrind counts: `decide-probe <case> <iterations>`.
//!
//! The set-up is the same for every case, so the case `nothing` costs all but the work itself.

use countersign_core::json;
use serde_json::{Value, json};
use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [case, iterations] = words.as_slice() else { return usage() };
    let Ok(iterations) = iterations.parse::<u32>() else { return usage() };
    let arguments = arguments();
    let work: fn(&Value) -> bool = match case.as_str() {
        "nothing" => |_| true,
        "canonical" => |arguments| json::canonical(arguments).is_ok(),
        _ => return usage(),
    };
    let went_well = (0..iterations).all(|_| black_box(work(black_box(&arguments))));
    if went_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usage() -> ExitCode {
    eprintln!("usage: decide-probe <case> <iterations>");
    ExitCode::from(2)
}

/// Arguments of a usual size: a mail with two recipients.
fn arguments() -> Value {
    json!({
        "to": ["ana@example.org", "bo@example.org"],
        "subject": "Minutes of Monday",
        "body": "The minutes are attached. Corrections by Friday, please.",
        "attachments": [{ "name": "minutes.pdf", "bytes": 48_213 }],
        "importance": 0.5,
    })
}
