# Short names for what `cargo xtask` does. Nothing here that cannot be typed without `just`.

# list the recipes
default:
    @just --list

# everything that must hold before a change is taken in
ci:
    cargo xtask ci

# the edit-test loop of one crate: `just loop core`
loop crate:
    cargo test --quiet --package countersign-{{crate}}

# run the stories: `just cases`, or a folder of your own
cases folder="cases":
    cargo run --quiet --bin countersign -- test {{folder}}

# repair what a machine can repair
fix:
    cargo fmt --all
    cargo xtask generate
