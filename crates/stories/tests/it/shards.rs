//! Every story of the project on every store, in shards that run side by side.
//!
//! A test is a shard and not a story: three thousand pairs of story and store would each start a
//! process, and a quarter of them would each create the tables of PostgreSQL. A shard names every
//! story that fails, with its line and the command that runs it alone: `STORY=words cargo nextest run
//! -p countersign-stories shards::` runs the stories whose path contains these words.

use crate::cases::{Story, all_stories, load_shipped_graph, run_story};
use crate::stores::{EmptyStores, InMemory, OnPostgres, OnSqlite, OnSqliteWithoutCache};
use countersign_graph::LoadedGraph;
use std::collections::BTreeMap;

/// Shards of a store: twice as many as the cores of a small machine, so that they end together.
const SHARDS: usize = 4;

/// The stories that `STORY` names, or all.
fn chosen_stories() -> Vec<Story> {
    let Ok(words) = std::env::var("STORY") else { return all_stories() };
    let chosen: Vec<Story> =
        all_stories().into_iter().filter(|story| story.path.contains(&words)).collect();
    assert!(!chosen.is_empty(), "no story's path contains `{words}`");
    chosen
}

/// Runs every story of a shard, each on an empty store, and fails with all that do not hold.
fn run_shard(shard: usize, stores: &mut impl EmptyStores) {
    let stories = chosen_stories();
    let mut graphs: BTreeMap<&str, LoadedGraph> = BTreeMap::new();
    let mut failures = Vec::new();
    for story in stories.iter().skip(shard - 1).step_by(SHARDS) {
        let graph = story
            .graph
            .map(|name| &*graphs.entry(name).or_insert_with(|| load_shipped_graph(name)));
        let report = run_story(story, graph, stores.open_empty());
        if !report.has_passed() {
            failures.extend(report.render_lines());
            failures.push(describe_single_run(&story.path, stores.name()));
        }
    }
    assert!(failures.is_empty(), "stories fail on {}:\n{}", stores.name(), failures.join("\n"));
}

fn describe_single_run(path: &str, store: &str) -> String {
    format!(
        "  alone     STORY={path} cargo nextest run -p countersign-stories shards::on_{store}::\n"
    )
}

macro_rules! run_in_shards {
    ($($module:ident: $stores:ident,)*) => {$(
        mod $module {
            #[test]
            fn every_story_of_shard_1_holds() {
                super::run_shard(1, &mut super::$stores::new());
            }

            #[test]
            fn every_story_of_shard_2_holds() {
                super::run_shard(2, &mut super::$stores::new());
            }

            #[test]
            fn every_story_of_shard_3_holds() {
                super::run_shard(3, &mut super::$stores::new());
            }

            #[test]
            fn every_story_of_shard_4_holds() {
                super::run_shard(super::SHARDS, &mut super::$stores::new());
            }
        }
    )*};
}

run_in_shards! {
    on_memory: InMemory,
    on_sqlite: OnSqlite,
    on_sqlite_without_cache: OnSqliteWithoutCache,
    on_postgres: OnPostgres,
}
