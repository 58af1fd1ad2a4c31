//! Terraform and OpenTofu. Without `-chdir`, `-state`, `-backend-config` and `-plugin-dir`. `output`
//! and `state show` would print secrets.

use super::prelude::*;

const fn terraform(name: &'static str) -> OptionTable {
    reader_of_words(name, "", "").single_dash().long("no-color json")
}

/// Runs the providers and the data sources that the workspace names.
const fn plan(name: &'static str) -> OptionTable {
    runner(name, "", "")
        .single_dash()
        .long(
            "no-color json compact-warnings detailed-exitcode refresh-only destroy input lock \
               refresh",
        )
        .long_valued("input lock lock-timeout parallelism refresh target var-file out")
        .path_values("var-file")
        .written_values("out")
        .operands(None)
        .contacts(Contacts::Configured)
}

const FMT: OptionTable = editor("terraform fmt", "", "")
    .single_dash()
    .long("check diff recursive no-color list write")
    .long_valued("list write");
const FMT_CHECK: OptionTable = FMT
    .with_name("terraform fmt -check")
    .effect(ProgramEffect::Reads)
    .long("diff recursive no-color list")
    .long_valued("list");

pub(super) const TERRAFORM: &[OptionTable] = &[
    plan("terraform plan"),
    plan("terraform validate").long("no-color json no-tests input lock refresh"),
    plan("terraform init")
        .long("no-color upgrade reconfigure input backend")
        .long_valued(
            "input backend lockfile \
        upgrade",
        )
        .path_values("")
        .written_values(""),
    plan("terraform apply")
        .long("no-color auto-approve compact-warnings input lock refresh")
        .no_head(),
    plan("terraform destroy").long("no-color auto-approve input lock refresh").no_head(),
    plan("terraform test"),
    FMT,
    FMT_CHECK,
    terraform("terraform show").operands(None),
    terraform("terraform version").operands(None),
    terraform("terraform providers").operands(None),
    terraform("terraform state list").contacts(Contacts::Configured),
    terraform("terraform workspace list").operands(None),
    terraform("terraform workspace show").operands(None),
    changer("terraform workspace select", "", "").operands(Names).no_head(),
    plan("tofu plan"),
    plan("tofu validate"),
    plan("tofu apply").no_head(),
    FMT.with_name("tofu fmt"),
];
