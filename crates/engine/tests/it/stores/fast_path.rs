//! A step that nobody waits for: decided at once, told of when it is on the disk.

use super::{in_memory, postgres, sqlite};
use crate::world::{agent, bare_on_node, call, on};
use countersign_commands::analyse;
use countersign_core::model::call::CallDraft;
use countersign_core::model::names::NodeName;
use countersign_core::model::words::Outcome;
use countersign_engine::{
    Checked, Engine, EngineError, Memory, Reported, Soon, SqliteReader, Store, StoreReader, Taken,
    Writes,
};
use std::sync::mpsc::channel;

/// What was told, if it could be decided this way.
pub(super) fn soon<S: Store>(
    engine: &Engine<S>,
    draft: &CallDraft,
    writes: Writes,
) -> Option<Result<Checked, EngineError>> {
    let (tell, told) = channel();
    match engine.check_soon(draft, writes, move |ended| tell.send(ended).unwrap()).unwrap() {
        Soon::Told => Some(told.recv().unwrap()),
        Soon::NotNow => None,
    }
}

fn is_permit(checked: Option<Result<Checked, EngineError>>) -> bool {
    matches!(checked, Some(Ok(Checked::Permit { .. })))
}

#[test]
fn it_is_told_when_the_record_has_it() {
    for writes in [Writes::TheWriter, Writes::TheCaller] {
        let folder = in_memory();
        let engine = on(sqlite(folder.path()));
        engine.check(&call("files.read")).unwrap();
        let before = engine.head().unwrap().next;
        let (tell, told) = channel();
        let store = folder.path().join("store");
        let look = move |ended: Result<Checked, EngineError>| {
            // Another connection sees what is committed.
            let head = SqliteReader::open(&store).unwrap().head().unwrap().next;
            tell.send((ended.unwrap().decision().outcome, head)).unwrap();
        };
        assert_eq!(engine.check_soon(&call("files.read"), writes, look).unwrap(), Soon::Told);
        let (outcome, head) = told.recv().unwrap();
        assert_eq!(outcome, Outcome::Allow);
        assert!(head > before, "{head}");
    }
}

#[test]
fn what_is_not_in_memory_is_read_the_other_way() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    assert!(
        soon(&engine, &call("files.read"), Writes::TheWriter).is_none(),
        "nobody knows the session yet"
    );
    engine.check(&call("files.read")).unwrap();
    assert!(is_permit(soon(&engine, &call("files.read"), Writes::TheWriter)));
    let folder = in_memory();
    let forgetful = on(sqlite(folder.path()).without_cache());
    forgetful.check(&call("files.read")).unwrap();
    assert!(soon(&forgetful, &call("files.read"), Writes::TheWriter).is_none());
    let shared = on(postgres());
    shared.check(&call("files.read")).unwrap();
    assert!(
        soon(&shared, &call("files.read"), Writes::TheCaller).is_none(),
        "other nodes write, too"
    );
}

#[test]
fn what_is_held_against_files_is_decided_the_other_way() {
    let engine = on(Memory::empty());
    let mut draft = call("files.read");
    assert!(is_permit(soon(&engine, &draft, Writes::TheCaller)));
    draft.command = Some(analyse("ls", None));
    assert!(soon(&engine, &draft, Writes::TheCaller).is_none());
}

#[test]
fn how_a_call_ended_is_noted_this_way_too() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    engine.check(&call("files.read")).unwrap();
    let Some(Ok(Checked::Permit { permit, .. })) =
        soon(&engine, &call("files.read"), Writes::TheWriter)
    else {
        panic!("it may be read");
    };
    let (operation, session) = (permit.call(), call("files.read").session);
    let who = (&session, &agent());
    let (tell, told) = channel();
    let tell = move |ended: Result<Taken, EngineError>| tell.send(ended).unwrap();
    let done = (Reported::Done, Writes::TheWriter);
    assert_eq!(engine.report_soon(operation, who, done, tell).unwrap(), Soon::Told);
    assert_eq!(told.recv().unwrap().unwrap(), Taken::Noted);
    // What is over is no longer in memory.
    let again = engine.report_soon(operation, who, done, |_| panic!("it was told something"));
    assert_eq!(again.unwrap(), Soon::NotNow);
    let again = engine.report_on(operation, who, Reported::Done).unwrap();
    assert!(matches!(again, Taken::TooLate(_)));
}

#[test]
fn an_engine_that_is_not_open_decides_nothing() {
    let engine = bare_on_node(Memory::empty(), NodeName::local().clone());
    let refused = engine
        .check_soon(&call("files.read"), Writes::TheCaller, |_| panic!("it was told something"));
    assert!(matches!(refused, Err(EngineError::Closed)));
}
