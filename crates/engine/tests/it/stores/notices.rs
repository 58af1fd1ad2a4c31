//! Notices and alerts on every store: told once, counted, bounded, gone when acknowledged.

use super::contract::Backend;
use super::{in_memory, schema, sqlite};
use crate::world::{call, on, session};
use countersign_core::model::delivery::{Delivery, Evidence, Extent, ShownObject};
use countersign_core::model::ids::{IdGenerator, NoticeId};
use countersign_core::model::limits;
use countersign_core::model::names::{Action, Agent, SessionKey, SurfaceName};
use countersign_core::model::notice::{Cause, Urgency};
use countersign_core::model::time::Time;
use countersign_engine::{CheckResult, Engine, Postgres, Sqlite, Store};
use countersign_ledger::{replay, verify};

fn surface() -> SurfaceName {
    SurfaceName::parse("terminal").unwrap()
}

fn blocked<S: Store>(engine: &Engine<S>, session: &str, agent: &str) {
    let mut draft = call("files.wipe");
    draft.session = SessionKey::parse(&format!("{agent} {session}")).unwrap();
    draft.agent = Agent::parse(agent).unwrap();
    assert!(matches!(engine.check(&draft).unwrap(), CheckResult::Denied { .. }));
}

fn counts<S: Store>(engine: &Engine<S>) -> Vec<u32> {
    engine.open_notices().unwrap().iter().map(|notice| notice.count).collect()
}

fn replays<S: Store>(engine: &Engine<S>) {
    let entries = engine.read_all_entries().unwrap();
    verify(&entries).unwrap();
    assert_eq!(replay(&entries).unwrap(), *engine.read_whole_state().unwrap());
}

/// Three times the same in two sessions, one other agent, a refused graph.
pub(super) fn alerts_are_counted_and_acknowledged(backend: &impl Backend) {
    let engine = on(backend.open());
    ["s1", "s2", "s1"].into_iter().for_each(|session| blocked(&engine, session, "agent-1"));
    blocked(&engine, "s3", "agent-2");
    engine.alert_graph_refused("graph.yaml:7: no such key").unwrap();
    engine.alert_graph_refused("graph.yaml:9: no such key").unwrap();
    assert_eq!(counts(&engine), [3, 1, 2]);
    let open = engine.open_notices().unwrap();
    assert_eq!(open[0].text, "files.wipe is blocked by the graph");
    assert_eq!(open[0].session, Some(session()));
    assert_eq!(open[0].action, Some(Action::parse("files.wipe").unwrap()));
    assert_eq!((open[2].cause, open[2].cause.urgency()), (Cause::GraphRefused, Urgency::Alert));
    assert_eq!(open[2].text, "graph.yaml:9: no such key");

    assert!(engine.acknowledge_notice(open[0].id, &surface()).unwrap());
    assert!(!engine.acknowledge_notice(open[0].id, &surface()).unwrap());
    assert_eq!(counts(&engine), [1, 2]);
    blocked(&engine, "s1", "agent-1");
    assert_eq!(counts(&engine), [1, 2, 1]);
    replays(&engine);
}

/// An agent that tries everything does not bury what others did.
pub(super) fn one_agent_raises_a_bounded_number_of_alerts(backend: &impl Backend) {
    let engine = on(backend.open()).with_protected_paths(vec!["/ours".to_owned()]);
    let tries = limits::NOTICES + 20;
    for number in 0..tries {
        let mut draft = call(&format!("files.try{number}"));
        draft.target = vec!["/ours/ledger".to_owned()];
        assert!(matches!(engine.check(&draft).unwrap(), CheckResult::Denied { .. }));
    }
    let open = engine.open_notices().unwrap();
    assert_eq!(open.len(), limits::NOTICES + 1);
    let rest = open.iter().find(|notice| notice.action.is_none()).unwrap();
    assert_eq!((rest.cause, rest.count), (Cause::SelfProtection, 20));
    blocked(&engine, "s9", "agent-9");
    assert_eq!(engine.open_notices().unwrap().len(), limits::NOTICES + 2);
    replays(&engine);
}

#[test]
fn an_alert_is_still_there_after_a_restart() {
    let folder = in_memory();
    let open = || on(Sqlite::open(&folder.path().join("store")).unwrap());
    {
        blocked(&open(), "s1", "agent-1");
    }
    let engine = open();
    assert_eq!(counts(&engine), [1]);
    blocked(&engine, "s1", "agent-1");
    assert_eq!(counts(&engine), [2]);
}

#[test]
fn what_one_node_is_told_another_acknowledges() {
    let settings = schema();
    let node = || on(Postgres::open(settings.clone()).unwrap());
    let (one, other) = (node(), node());
    for round in 1..=3 {
        blocked(&one, "s1", "agent-1");
        blocked(&other, "s1", "agent-1");
        assert_eq!(counts(&one), [2 * round]);
    }
    let notice = other.open_notices().unwrap()[0].id;
    assert!(other.acknowledge_notice(notice, &surface()).unwrap());
    assert!(!one.acknowledge_notice(notice, &surface()).unwrap());
    blocked(&one, "s1", "agent-1");
    assert_eq!(counts(&other), [1]);
    replays(&one);
}

/// Whatever a surface says about showing a question, the question stands.
#[test]
fn a_delivery_changes_nothing_but_the_ledger() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    let pending = engine.check(&call("files.write")).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    blocked(&engine, "s1", "agent-1");
    let before = engine.read_whole_state().unwrap();
    let request = before.calls.get(&operation).unwrap().requests[0];
    let notice = engine.open_notices().unwrap()[0].id;
    for shown in [ShownObject::Request(request), ShownObject::Notice(notice)] {
        for evidence in Evidence::ALL {
            let delivery =
                Delivery { shown, surface: surface(), evidence: *evidence, extent: Extent::Card };
            assert!(engine.record_delivery(&delivery).unwrap());
        }
    }
    assert_eq!(engine.read_whole_state().unwrap(), before);
    let entries = engine.read_all_entries().unwrap();
    let told = entries.iter().filter(|entry| entry.kind.word() == "request_delivered").count();
    assert_eq!(told, 2 * Evidence::ALL.len());
    let nobody = NoticeId::generate(&IdGenerator::new(Time::from_micros(0), 1));
    let shown = ShownObject::Notice(nobody);
    let delivery =
        Delivery { shown, surface: surface(), evidence: Evidence::Queued, extent: Extent::Part };
    assert!(!engine.record_delivery(&delivery).unwrap());
}
