//! A process that tests of the stores start in order to kill it, or to fill its disk.
//!
//! It is a program and not a test, so that a test run cannot count it as passed. Usage:
//! `store-child crash PLACE`, `store-child fill-disk PLACE`,
//! `store-child act-on-full-disk PLACE FILLER`, or `store-child ask-many PLACE`, which measures.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    dead_code,
    reason = "a part of a test, with the world of the tests"
)]

#[path = "../tests/it/stores/place.rs"]
mod place;
#[path = "../tests/it/world.rs"]
mod world;

use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::open_questions::QuestionLimits;
use countersign_core::model::words::Effect;
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{AnswerTarget, CheckResult, Engine, Store};
use serde_json::json;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;
use world::{call, grant, on, owner, session, yes};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        // Each kill may leave a question open.
        ["crash", place] => {
            let room = QuestionLimits { per_session: 1_000, per_agent: 1_000, in_all: 1_000 };
            decide_until_killed(&on(place::open(place)).with_question_limits(room));
        }
        ["fill-disk", place] => fill_disk(&on(place::open(place))),
        ["ask-many", place] => ask_many(place),
        ["act-on-full-disk", place, filler] => act_on_full_disk(&on(place::open(place)), filler),
        _ => {
            eprintln!("usage: store-child crash|fill-disk|act-on-full-disk|ask-many PLACE");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Prints a line at once: what is in the pipe outlives this process.
fn print_now(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

fn decide_until_killed<S: Store>(engine: &Engine<S>) {
    engine.restart().unwrap();
    // A grant that the last process left would spare this one its questions.
    engine.open_session(&owner(), None).unwrap();
    engine.revoke(&session(), &Revoke::All).unwrap();
    loop {
        let mut draft = call("files.write");
        draft.args = json!({"n": RandomState::new().hash_one(0) >> 12});
        let CheckResult::Pending { call: operation, .. } = engine.check(&draft).unwrap() else {
            panic!()
        };
        engine.answer(AnswerTarget::Call(operation), &yes()).unwrap();
        print_now(&format!("answered {operation}"));
        let redeemed = engine.retry(operation, &owner()).unwrap();
        let CheckResult::Allowed { permit, .. } = redeemed else { panic!("{redeemed:?}") };
        print_now(&format!("done {operation}"));
        engine.complete(&permit.complete(Effect::Done)).unwrap();
        let again = engine.retry(operation, &owner()).unwrap();
        assert!(matches!(again, CheckResult::AlreadyDone { .. }), "{again:?}");
        let terms = (Scope::Session, None, Confirmation::Plain);
        let coverage = Coverage::Everything;
        let grant = grant(engine, session(), coverage, terms);
        print_now(&format!("granted {}", grant.id));
        engine.revoke(&session(), &Revoke::Grants(vec![grant.id])).unwrap();
        print_now(&format!("revoked {}", grant.id));
    }
}

fn fill_disk<S: Store>(engine: &Engine<S>) {
    let mut permitted = 0;
    let refused = loop {
        match engine.check(&call("files.read")) {
            Ok(_) => permitted += 1,
            Err(error) => break error.to_string(),
        }
        assert!(permitted < 100_000, "the disk never fills");
    };
    println!("permitted {permitted}");
    println!("refused {refused}");
    assert!(engine.check(&call("files.read")).is_err());
}

/// Fills the disk with another file. Then agents are refused, the operator is not, and everything is
/// as before once the file is gone.
fn act_on_full_disk<S: Store>(engine: &Engine<S>, filler: &str) {
    let CheckResult::Pending { call: operation, .. } = engine.check(&call("files.write")).unwrap()
    else {
        panic!()
    };
    let grant =
        grant(engine, session(), Coverage::Everything, (Scope::Session, None, Confirmation::Plain));
    let mut file = std::fs::File::create(filler).unwrap();
    while file.write_all(&[1; 4096]).is_ok() {}
    drop(file);
    fill_disk(engine);
    engine.answer(AnswerTarget::Call(operation), &yes()).unwrap();
    println!("answered");
    engine.revoke(&session(), &Revoke::Grants(vec![grant.id])).unwrap();
    println!("revoked");
    engine.pause_agent(&owner().agent).unwrap();
    println!("paused");
    assert!(engine.check(&call("files.read")).is_err());
    std::fs::remove_file(filler).unwrap();
    engine.resume_agent(&owner().agent).unwrap();
    engine.check(&call("files.read")).unwrap();
    println!("decided");
}

/// Prints what a question costs, by how many are open in its session.
fn ask_many(place: &str) {
    const SLICE: u32 = 500;
    let limits =
        QuestionLimits { per_session: usize::MAX, per_agent: usize::MAX, in_all: usize::MAX };
    let engine = on(place::open(place)).with_question_limits(limits);
    for slice in 0..20 {
        let started = Instant::now();
        for number in 0..SLICE {
            let mut draft = call("files.write");
            draft.args = json!({"number": slice * SLICE + number});
            assert!(matches!(engine.check(&draft).unwrap(), CheckResult::Pending { .. }));
        }
        let each = started.elapsed() / SLICE;
        let open = engine.count_open_requests().unwrap();
        let listed = Instant::now();
        engine.list_open_requests(None, 8).unwrap();
        println!("{open} open: {each:?} for a question, {:?} for a page", listed.elapsed());
    }
}
