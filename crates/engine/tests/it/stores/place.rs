//! Where a store is, as one argument for another process: `sqlite:FOLDER` or `SCHEMA:ADDRESS`.

use countersign_engine::{ChangeFeed, Postgres, PostgresSettings, Sqlite, Store};
use std::path::Path;

pub(crate) fn open(place: &str) -> Box<dyn Store> {
    if let Some(folder) = place.strip_prefix("sqlite:") {
        return Box::new(Sqlite::open(&Path::new(folder).join("store")).unwrap());
    }
    let (schema, address) = place.split_once(':').unwrap();
    let mut settings = PostgresSettings::new(address);
    settings.schema = schema.to_owned();
    settings.change_feed = ChangeFeed::Poll;
    Box::new(Postgres::open(settings).unwrap())
}
