//! How often the disk is waited for. With `synchronous=FULL`, SQLite syncs its log once for every
//! transaction that it commits there, so that the commits in the log are the syncs of decisions.

use super::{in_memory, sqlite};
use crate::world::{call, grant, on, owner, session};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_engine::CheckResult;
use serde_json::json;
use std::path::Path;

fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Transactions in the log: pages whose header says how long the database is after them.
fn commits(folder: &Path) -> usize {
    let log = std::fs::read(folder.join("store/countersign.db-wal")).unwrap();
    let (page, salt) = (number(&log[8..12]), &log[16..24]);
    let of_this_log = |frame: &&[u8]| frame[8..16] == *salt;
    log[32..].chunks(24 + page).take_while(of_this_log).filter(|f| number(&f[4..8]) > 0).count()
}

#[test]
fn a_decision_on_a_grant_waits_for_the_disk_once() {
    let folder = in_memory();
    let engine = on(sqlite(folder.path()));
    engine.open_session(&owner(), None).unwrap();
    let terms = (Scope::Session, None, Confirmation::Plain);
    grant(&engine, session(), Coverage::Everything, terms);
    let before = commits(folder.path());
    assert!(before > 0);
    for number in 0..40 {
        let mut draft = call("files.write");
        draft.args = json!({ "number": number });
        let checked = engine.check(&draft).unwrap();
        assert!(matches!(checked, CheckResult::Allowed { .. }), "{checked:?}");
    }
    assert_eq!(commits(folder.path()), before + 40);
}
