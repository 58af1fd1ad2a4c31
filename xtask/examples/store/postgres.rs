//! A decision on PostgreSQL beside a row that is committed there by itself.

use super::Runs;
use super::world::{SEND, bytes_of_a_decision, draft, engine, finish, granted, permit};
use super::{Made, Said};
use ::postgres::{Client, NoTls};
use countersign_engine::{Postgres, PostgresSettings};
use countersign_scratch::{Fsync, PostgresServer};
use xtask::bench::rounds::Variant;
use xtask::bench::store::{DECIDE_POSTGRES, Figure, ROW};
use xtask::clock::Stopwatch;

pub fn run(runs: &mut Runs) -> Made<()> {
    let cluster = cluster()?;
    let engine = engine(Postgres::open(PostgresSettings::new(&cluster.address())).said("a node")?)?;
    let session = granted(&engine, 0)?;
    let bytes = bytes_of_a_decision(&engine, &draft(&session, SEND)?)?;
    let mut bare = client(&cluster)?;
    bare.batch_execute("CREATE TABLE bare (place bigserial PRIMARY KEY, bytes bytea NOT NULL)")
        .said("a table")?;
    let insert = bare.prepare("INSERT INTO bare (bytes) VALUES ($1)").said("a statement")?;
    let mut variants = [
        Variant::timed(ROW, 1, || {
            let watch = Stopwatch::start();
            bare.execute(&insert, &[&bytes]).said("a row")?;
            Ok(watch.elapsed())
        }),
        Variant::timed(DECIDE_POSTGRES, 1, || {
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
pub fn cluster() -> Made<PostgresServer> {
    PostgresServer::start(Fsync::On).said("PostgreSQL")
}

pub fn client(cluster: &PostgresServer) -> Made<Client> {
    Client::connect(&cluster.address(), NoTls).said("PostgreSQL")
}
