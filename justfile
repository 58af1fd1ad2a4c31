# Short names for `cargo xtask` commands. Everything here also works without `just`.

# list the recipes
default:
    @just --list

# run every check that a change must pass
ci:
    cargo xtask ci

# test one crate: `just loop core`
loop crate:
    cargo test --quiet --package countersign-{{crate}}

# run the stories: `just cases`, or a folder of your own
cases folder="cases":
    cargo run --quiet --bin countersign -- test {{folder}}

# format the code and update generated files
fix:
    cargo fmt --all
    cargo xtask generate
