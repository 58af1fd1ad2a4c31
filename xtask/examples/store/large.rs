//! A store with many grants and entries, written through the store's own door, so that its rows
//! are rows and its chain is a chain. It takes a while, and is kept beside the build.

use super::world::{CLOCK_START, SEND, agent, session};
use super::{BenchResult, Context};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::Change;
use countersign_core::model::grant::{
    Confirmation, Coverage, Grant, GrantState, Owner, Scope, Source,
};
use countersign_core::model::ids::{GrantId, IdGenerator};
use countersign_core::model::names::Action;
use countersign_core::model::session_place::SessionFolders;
use countersign_core::model::time::Time;
use countersign_core::model::words::Risk;
use countersign_engine::{Commit, ReadScope, ScopeKind, Sqlite, Store};
use std::path::{Path, PathBuf};
use xtask::bench::runs::Extent;
use xtask::clock::{Stopwatch, seconds};

/// 2026-01-05T09:00:00Z; every grant is given a millisecond after the one before.
pub const FIRST_GRANT: i64 = 1_767_603_600_000_000;
pub const GRANTS_PER_SESSION: usize = 10;
/// Sessions that are written in one transaction.
const TOGETHER: usize = 1_000;

/// Whatever changes how a store looks inside makes a kept one worthless.
const FORM: &[&str] = &[
    include_str!("../../../crates/store/src/sqlite/schema.rs"),
    include_str!("../../../crates/store/src/rows.rs"),
];

pub fn sessions(extent: Extent) -> usize {
    match extent {
        Extent::Full => 100_000,
        Extent::Quick => 10_000,
    }
}

/// The folder of the large store, which is made if there is none of this form.
pub fn folder(target: &Path, extent: Extent) -> BenchResult<PathBuf> {
    let sessions = sessions(extent);
    let name = format!("large-{sessions}-{}", form()?);
    let (folder, making) = (target.join(&name), target.join("making"));
    if folder.is_dir() {
        return Ok(folder);
    }
    let watch = Stopwatch::start();
    println!("Making a store with {} grants, once.", sessions * GRANTS_PER_SESSION);
    forget_others(target, &format!("large-{sessions}-"))?;
    if making.exists() {
        std::fs::remove_dir_all(&making).context("clearing a folder")?;
    }
    write(&Sqlite::open(&making).context("the large store")?, sessions)?;
    std::fs::rename(&making, &folder).context("the large store")?;
    println!("It took {}.\n", seconds(watch.elapsed()));
    Ok(folder)
}

fn forget_others(target: &Path, prefix: &str) -> BenchResult<()> {
    for found in std::fs::read_dir(target).context("the folder of stores")?.flatten() {
        if found.file_name().to_string_lossy().starts_with(prefix) {
            std::fs::remove_dir_all(found.path()).context("clearing a folder")?;
        }
    }
    Ok(())
}

/// Opens these sessions, each with its grants.
pub fn write(store: &impl Store, sessions: usize) -> BenchResult<()> {
    let mut from = 0;
    while from < sessions {
        let upto = (from + TOGETHER).min(sessions);
        let mut changes = Vec::with_capacity(TOGETHER * (GRANTS_PER_SESSION + 1));
        for number in from..upto {
            let (session, agent) = (session(number)?, agent()?);
            changes.push(Change::SessionOpened {
                session,
                agent,
                project: None,
                folders: SessionFolders::default(),
            });
        }
        // Sessions that are open at the same time are granted things in turn.
        for place in 0..GRANTS_PER_SESSION {
            for number in from..upto {
                let grant = Box::new(grant(number, place)?);
                changes.push(Change::GrantMinted { grant });
            }
        }
        let at = Time::from_micros(FIRST_GRANT);
        let scope = ReadScope::globals();
        let basis = store.read(&scope).context("reading the large store")?.basis;
        store.commit(Commit { scope, basis, at, changes }).context("writing the large store")?;
        from = upto;
    }
    Ok(())
}

/// One that covers a call, and others that cover something else.
fn grant(number: usize, place: usize) -> BenchResult<Grant> {
    let session = session(number)?;
    let count = number * GRANTS_PER_SESSION + place;
    let at = Time::from_micros(FIRST_GRANT + i64::try_from(count).unwrap_or(0) * 1_000);
    let bits = u64::try_from(count).unwrap_or(0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let action = Action::parse(SEND).context("an action")?;
    let coverage = match place {
        0 => Coverage::Action(action),
        _ => Coverage::Digest { digest: Digest::hash_bytes("bench", &count.to_be_bytes()), action },
    };
    Ok(Grant {
        id: GrantId::generate(&IdGenerator::new(at, bits)),
        owner: Owner::Session(session.clone()),
        made_in: session,
        agent: agent()?,
        coverage,
        scope: Scope::Session,
        source: Source::Standing,
        shown: Risk::Moderate,
        places: Vec::new(),
        within: None,
        confirmation: Confirmation::Plain,
        granted_at: at,
        granted_turn: 0,
        ends_at: None,
        reviewed_at: at,
        run: None,
        request: None,
        uses: 0,
        used: None,
        asked: None,
        first_uses: Vec::new(),
        state: GrantState::Live,
    })
}

/// What a store of a few grants looks like, in short.
fn form() -> BenchResult<String> {
    let folder = tempfile::tempdir().context("a folder")?;
    let store = Sqlite::open(&folder.path().join("store")).context("a small store")?;
    write(&store, 2)?;
    // A commit that is later than the clock would hold the time of the engine at its instant.
    let mut text = format!("{CLOCK_START} {}", FORM.concat());
    for entry in store.read_entries(0, usize::MAX).context("its ledger")? {
        text.push_str(&entry.bytes);
    }
    let state =
        store.read(&ReadScope::with_kind(ScopeKind::Everything)).context("its state")?.state;
    text.push_str(&format!("{:?}", state.grants.iter().collect::<Vec<_>>()));
    let digest = Digest::hash_bytes("bench", text.as_bytes()).to_string();
    Ok(digest.chars().take(12).collect())
}
