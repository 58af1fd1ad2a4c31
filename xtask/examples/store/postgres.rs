//! A decision on PostgreSQL beside a row that is committed there by itself.

use super::Runs;
use super::world::{SEND, bytes_of_a_decision, draft, engine, finish, granted, permit};
use super::{BenchResult, Context};
use ::postgres::{Client, NoTls};
use countersign_engine::{Postgres, PostgresSettings};
use countersign_scratch::{Fsync, PostgresServer};
use xtask::bench::rounds::Variant;
use xtask::bench::store::{DECIDE_POSTGRES, Figure, ROW};
use xtask::clock::Stopwatch;

pub fn run(runs: &mut Runs) -> BenchResult<()> {
    let cluster = cluster()?;
    let engine =
        engine(Postgres::open(PostgresSettings::new(&cluster.address())).context("a node")?)?;
    let session = granted(&engine, 0)?;
    let bytes = bytes_of_a_decision(&engine, &draft(&session, SEND)?)?;
    let mut bare = client(&cluster)?;
    bare.batch_execute("CREATE TABLE bare (place bigserial PRIMARY KEY, bytes bytea NOT NULL)")
        .context("a table")?;
    let insert = bare.prepare("INSERT INTO bare (bytes) VALUES ($1)").context("a statement")?;
    let mut variants = [
        Variant::with_own_timer(ROW, 1, || {
            let watch = Stopwatch::start();
            bare.execute(&insert, &[&bytes]).context("a row")?;
            Ok(watch.elapsed())
        }),
        Variant::with_own_timer(DECIDE_POSTGRES, 1, || {
            let draft = draft(&session, SEND)?;
            let watch = Stopwatch::start();
            let permit = permit(&engine, &draft)?;
            let took = watch.elapsed();
            finish(&engine, permit)?;
            Ok(took)
        }),
    ];
    runs.figure(Figure::Postgres, &mut variants).map(drop)
}

/// A server of our own that syncs what it commits.
pub fn cluster() -> BenchResult<PostgresServer> {
    PostgresServer::start(Fsync::On).context("PostgreSQL")
}

pub fn client(cluster: &PostgresServer) -> BenchResult<Client> {
    Client::connect(&cluster.address(), NoTls).context("PostgreSQL")
}
