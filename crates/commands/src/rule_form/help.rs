//! `X --help` and `X --version`, as the only word of a program that is no interpreter.
//!
//! The form is `PROGRAM --help` for a program that prints and ends, and `RUNNER --help` for one that
//! loads code of the workspace first: `pytest --version` imports `conftest.py`.

use crate::option_tables;
use crate::subject::can_run_other_programs;
use crate::wrappers::base_name;

/// Programs without a table that load a file of the workspace, or a program of it, for every word.
const LOADING_PROGRAMS: &[&str] = &[
    "alembic",
    "ansible",
    "ansible-playbook",
    "bundler",
    "buck",
    "buck2",
    "celery",
    "cdk",
    "conan",
    "cucumber",
    "cypress",
    "django-admin",
    "electron",
    "expo",
    "fab",
    "fastlane",
    "flask",
    "foreman",
    "gradlew",
    "grunt",
    "gulp",
    "guard",
    "gunicorn",
    "hatch",
    "hugo",
    "inv",
    "invoke",
    "jekyll",
    "jupyter",
    "lein",
    "lerna",
    "mkdocs",
    "molecule",
    "mvnw",
    "nest",
    "ng",
    "nuxt",
    "nuxi",
    "pants",
    "pdm",
    "pipenv",
    "pod",
    "puma",
    "pulumi",
    "react-native",
    "remix",
    "rpm",
    "rustc",
    "rustup",
    "rye",
    "scrapy",
    "serverless",
    "sls",
    "snakemake",
    "sphinx-build",
    "sqlite3",
    "sst",
    "storybook",
    "stylelint",
    "thor",
    "uvicorn",
    "vue",
    "vagrant",
    "webpack",
    "wrangler",
];

pub(super) fn name_lone_option(argv: &[String]) -> Option<Vec<String>> {
    let [program, option] = argv else { return None };
    let is_plain = !program.contains('/') || program.starts_with("/usr/bin/");
    let is_lone = matches!(option.as_str(), "--help" | "--version") && is_plain;
    // A rule may name the program with its option.
    let is_listed =
        option_tables::find_table(argv).is_some_and(|table| table.name.ends_with(option.as_str()));
    if !is_lone || is_listed || can_run_other_programs(program) {
        return None;
    }
    let name = base_name(program);
    let loads = LOADING_PROGRAMS.contains(&name) || option_tables::runs_code(name);
    let form = if loads { "RUNNER" } else { "PROGRAM" };
    Some(vec![form.to_owned(), option.clone()])
}
