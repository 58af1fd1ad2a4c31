//! The command lines of GitHub and GitLab. Without `--web` and `--editor`, which start programs, and
//! without other hosts. Nothing here shows tokens or secrets.

use super::prelude::*;

const fn gh(name: &'static str, flags: &'static str, valued: &'static str) -> OptionTable {
    reader_of_words(name, flags, valued)
        .separate()
        .values(AllowedValues::PlainFilters)
        .contacts(Contacts::Repository)
}

const fn view(name: &'static str) -> OptionTable {
    gh(name, "cv", "Rqtj")
        .long(
            "comments log log-failed exit-status verbose required patch name-only yaml \
             system-notes watch fail-fast compact",
        )
        .long_valued("repo json jq template job attempt color branch output page per-page interval")
}

const fn list(name: &'static str) -> OptionTable {
    gh(name, "", "RqtL")
        .long(
            "draft all archived fork no-archived source exclude-drafts exclude-pre-releases closed \
               merged opened",
        )
        .long_valued(
            "repo json jq template limit state search label author assignee base head app \
                      branch user workflow event status commit milestone mention language topic \
                      visibility order sort output page per-page",
        )
}

const fn search(name: &'static str) -> OptionTable {
    gh(name, "", "RqtLBH")
        .long("draft archived merged locked no-assignee no-label")
        .long_valued(
            "repo json jq template limit state label author assignee base head language \
                      owner sort order created updated involves mentions review extension filename \
                      match merged-at closed committer stars topic visibility",
        )
        .contacts(Contacts::Configured)
}

/// Changes something on the forge.
const fn change(name: &'static str) -> OptionTable {
    OptionTable { effect: ProgramEffect::ChangesElsewhere, ..gh(name, "", "RtbF") }
        .long(
            "draft fill fill-first fill-verbose dry-run no-maintainer-edit squash merge rebase \
               delete-branch auto disable-auto approve request-changes comment failed debug \
               edit-last yes remove-source-branch undo generate-notes prerelease latest verify-tag",
        )
        .long_valued(
            "repo title body body-file base head label assignee reviewer milestone project \
                      add-label remove-label add-assignee remove-assignee add-reviewer \
                      remove-reviewer subject match-head-commit job reason description message \
                      source-branch target-branch ref target notes notes-file",
        )
        .path_values("F body-file notes-file")
        .input_values("F body-file notes-file")
        .values(AllowedValues::Any)
}

/// Without short options, which mean other things here.
const fn plain_change(name: &'static str) -> OptionTable {
    OptionTable { valued: "R", ..change(name) }
        .path_values("body-file notes-file")
        .input_values("body-file notes-file")
}

/// Only reads. `crate::rule_form` puts the method first, and refuses other headers.
const API: OptionTable = gh("gh api", "i", "qtH")
    .long("include paginate silent slurp")
    .long_valued("jq template header cache hostname")
    .operands(ApiPath)
    .contacts(Contacts::ApiPath);
/// The fields become a part of the address.
const API_GET: OptionTable = API.long_valued("jq template header cache hostname field raw-field");
const GRAPHQL: OptionTable =
    API_GET.with_name("gh api graphql query").operands(None).values(AllowedValues::Any);

const fn api_change(name: &'static str) -> OptionTable {
    OptionTable { name, effect: ProgramEffect::ChangesElsewhere, ..API }
        .long_valued("jq template header cache hostname field raw-field input")
        .path_values("input")
        .input_values("input")
        .values(AllowedValues::Any)
        .no_head()
}

pub(super) const FORGE: &[OptionTable] = &[
    view("gh pr view"),
    view("gh pr checks"),
    view("gh pr diff"),
    view("gh issue view"),
    view("gh run view"),
    view("gh run watch"),
    view("gh repo view").operands(VendorPackages),
    view("gh release view"),
    view("gh workflow view"),
    view("gh gist view"),
    OptionTable { valued: "RqtLaABHlsS", ..list("gh pr list") },
    list("gh pr status"),
    OptionTable { valued: "RqtLaAlsSm", ..list("gh issue list") },
    list("gh issue status"),
    OptionTable { valued: "RqtLbuw", ..list("gh run list") },
    list("gh repo list"),
    list("gh release list"),
    list("gh workflow list"),
    list("gh label list"),
    list("gh cache list"),
    list("gh ruleset list"),
    view("gh ruleset view"),
    list("gh gist list"),
    search("gh search prs"),
    search("gh search issues"),
    search("gh search repos"),
    search("gh search code"),
    search("gh search commits"),
    API,
    API_GET.with_name("gh api -X GET"),
    API_GET.with_name("gh api --method GET"),
    GRAPHQL,
    api_change("gh api -X POST"),
    api_change("gh api -X PUT"),
    api_change("gh api -X PATCH"),
    api_change("gh api -X DELETE"),
    api_change("gh api graphql mutation").operands(None),
    reader_of_words("gh auth status", "", "").operands(None).contacts(Contacts::Configured),
    OptionTable { flags: "df", valued: "RtbFBHlarm", ..change("gh pr create") }.no_head(),
    change("gh pr edit").no_head(),
    change("gh pr comment").no_head(),
    OptionTable { flags: "dmrs", ..change("gh pr merge") }.no_head(),
    change("gh pr close").no_head(),
    change("gh pr reopen"),
    change("gh pr ready"),
    OptionTable { flags: "acr", valued: "RbF", ..change("gh pr review") }.no_head(),
    change("gh pr update-branch"),
    editor("gh pr checkout", "", "Rb")
        .long("detach")
        .long_valued("repo branch")
        .operands(FewRefNames(1))
        .paths(PathOperands::None)
        .contacts(Contacts::Repository),
    OptionTable { valued: "RtbFlam", ..change("gh issue create") }.no_head(),
    change("gh issue edit").no_head(),
    change("gh issue comment").no_head(),
    change("gh issue close").no_head(),
    change("gh issue reopen"),
    change("gh label create").no_head(),
    plain_change("gh release create").paths(PathOperands::AfterFirst).no_head(),
    plain_change("gh release upload").paths(PathOperands::AfterFirst).no_head(),
    plain_change("gh release edit").no_head(),
    plain_change("gh release delete").no_head(),
    change("gh run rerun"),
    change("gh run cancel"),
    plain_change("gh workflow run").no_head(),
    plain_change("gh workflow enable").no_head(),
    plain_change("gh workflow disable").no_head(),
    plain_change("gh repo create").long("private internal").no_head(),
    plain_change("gh repo edit").no_head(),
    plain_change("gh repo fork").no_head(),
    view("glab mr view"),
    view("glab mr diff"),
    view("glab issue view"),
    view("glab repo view"),
    view("glab ci status"),
    view("glab ci trace"),
    view("glab release view"),
    list("glab mr list"),
    list("glab issue list"),
    list("glab ci list"),
    list("glab release list"),
    list("glab label list"),
    change("glab mr create").no_head(),
    change("glab mr update").no_head(),
    change("glab mr note").no_head(),
    change("glab mr merge").no_head(),
    change("glab mr close").no_head(),
    change("glab mr approve").no_head(),
    change("glab issue create").no_head(),
    change("glab issue note").no_head(),
    change("glab issue close").no_head(),
];
