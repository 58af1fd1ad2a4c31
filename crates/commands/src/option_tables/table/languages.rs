//! Tools of Ruby, PHP, .NET, Swift, Elixir, Zig, Deno and Dart. Without options that load code
//! (`--require`, `--bootstrap`, `--import-map`), name another configuration, or write reports.

use super::prelude::*;

static NO_WORDS: OptionTable = reader("dotnet --", "", "").operands(None);

const RSPEC: OptionTable = runner("rspec", "cbnw", "etfPE")
    .long("color no-color fail-fast only-failures next-failure backtrace profile dry-run bisect")
    .long_valued("example tag format seed order pattern fail-fast")
    .values(AllowedValues::Plain);
const RUBOCOP: OptionTable = runner("rubocop", "DPSL", "f")
    .long(
        "parallel no-parallel display-cop-names extra-details fail-fast list-target-files lint \
           format-safe no-color color",
    )
    .long_valued("only except format fail-level")
    .values(AllowedValues::Plain);
const RAKE: OptionTable = runner("rake test", "qstv", "").operands(None);

const fn composer(name: &'static str) -> OptionTable {
    runner(name, "nqvoW", "")
        .long(
            "no-interaction quiet no-dev no-scripts no-progress prefer-dist optimize-autoloader \
               ansi no-ansi dry-run dev with-all-dependencies strict no-check-publish",
        )
        .operands(None)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
}

const PHPUNIT: OptionTable = runner("phpunit", "", "")
    .long("colors testdox stop-on-failure stop-on-error no-coverage debug no-progress")
    .long_valued("filter testsuite group exclude-group colors order-by")
    .values(AllowedValues::Plain);
const PHPSTAN: OptionTable = runner("phpstan analyse", "nqv", "l")
    .long("no-progress no-interaction ansi no-ansi debug")
    .long_valued("level memory-limit error-format")
    .values(AllowedValues::Plain);

const fn dotnet(name: &'static str) -> OptionTable {
    runner(name, "", "cv")
        .long("no-restore no-build nologo no-incremental no-dependencies verify-no-changes force")
        .long_valued("configuration verbosity framework filter")
        .operands(Files)
        .after_dashes(&NO_WORDS)
        .contacts(Contacts::Configured)
}

const SWIFT: OptionTable = runner("swift test", "v", "cj")
    .long("verbose parallel skip-build enable-code-coverage list-tests build-tests quiet")
    .long_valued("filter skip configuration jobs num-workers product target package-path")
    .path_values("package-path")
    .values(AllowedValues::Plain)
    .operands(None);

const fn mix(name: &'static str) -> OptionTable {
    runner(name, "", "")
        .long(
            "trace stale failed force warnings-as-errors check-formatted dry-run all strict cover",
        )
        .long_valued("only exclude include max-failures seed max-cases slowest")
        .values(AllowedValues::Plain)
}

const fn deno(name: &'static str) -> OptionTable {
    runner(name, "Aq", "")
        .long(
            "allow-all allow-read allow-env quiet check json no-check fail-fast no-run parallel \
               trace-leaks coverage permit-no-files",
        )
        .long_valued("filter ignore fail-fast rules-exclude rules-include")
        .operands(NoColon)
        .after_dashes(&NO_WORDS)
}

const fn dart(name: &'static str) -> OptionTable {
    runner(name, "", "")
        .long("fatal-infos fatal-warnings no-pub coverage")
        .long_valued("name plain-name tags concurrency reporter")
        .values(AllowedValues::Plain)
}

pub(super) const LANGUAGES: &[OptionTable] = &[
    RSPEC,
    RSPEC.with_name("bundle exec rspec"),
    RUBOCOP,
    RUBOCOP.with_name("bundle exec rubocop"),
    RUBOCOP.with_name("rubocop -a"),
    RUBOCOP.with_name("rubocop -A"),
    RUBOCOP.with_name("bundle exec rubocop -a"),
    RUBOCOP.with_name("bundle exec rubocop -A"),
    RAKE,
    RAKE.with_name("rake spec"),
    RAKE.with_name("bundle exec rake test"),
    RAKE.with_name("bundle exec rake spec"),
    runner("rails test", "vfbd", "ns"),
    runner("bundle exec rails test", "vfbd", "ns"),
    runner("bundle install", "", "j")
        .long("quiet local")
        .long_valued("jobs retry")
        .operands(None)
        .contacts(Contacts::Configured)
        .no_head(),
    reader_of_words("bundle check", "", "").operands(None),
    reader_of_words("bundle list", "", "").long("name-only paths").operands(None),
    reader_of_words("gem list", "alr", "").long("local all"),
    composer("composer install").no_head(),
    composer("composer update").no_head(),
    composer("composer require").operands(VendorPackages).no_head(),
    composer("composer test"),
    composer("composer validate"),
    composer("composer dump-autoload"),
    composer("composer show").operands(VendorPackages).effect(ProgramEffect::Reads),
    composer("composer outdated").effect(ProgramEffect::Reads),
    composer("composer run-script").operands(Tasks),
    PHPUNIT,
    PHPSTAN,
    PHPSTAN.with_name("phpstan analyze"),
    dotnet("dotnet build"),
    dotnet("dotnet test"),
    dotnet("dotnet restore").no_head(),
    dotnet("dotnet format").effect(ProgramEffect::Runs),
    dotnet("dotnet format --verify-no-changes"),
    reader_of_words("dotnet --version", "", "").operands(None),
    reader_of_words("dotnet --info", "", "").operands(None),
    SWIFT,
    SWIFT.with_name("swift build"),
    SWIFT.with_name("swift package resolve").contacts(Contacts::Configured).no_head(),
    mix("mix test"),
    mix("mix format"),
    mix("mix format --check-formatted"),
    mix("mix compile"),
    mix("mix credo"),
    mix("mix deps.get").operands(None).contacts(Contacts::Configured).no_head(),
    runner("zig build", "", "j")
        .long("verbose")
        .long_valued("summary")
        .operands(Tasks)
        .paths(PathOperands::None)
        .after_dashes(&NO_WORDS),
    runner("zig test", "", "O").long_valued("test-filter"),
    editor("zig fmt", "", "").long("check"),
    reader("zig fmt --check", "", ""),
    deno("deno test"),
    deno("deno check"),
    deno("deno lint"),
    deno("deno fmt").effect(ProgramEffect::Edits),
    deno("deno fmt --check").effect(ProgramEffect::Reads),
    deno("deno task").operands(Tasks).paths(PathOperands::None),
    dart("dart analyze"),
    dart("dart test"),
    dart("dart format").effect(ProgramEffect::Edits),
    dart("flutter test"),
    dart("flutter analyze"),
    dart("flutter pub get").operands(None).contacts(Contacts::Configured).no_head(),
    reader("shellcheck", "aC", "feiosSW")
        .long("color")
        .long_valued("format exclude include shell severity wiki-link-count")
        .values(AllowedValues::Plain),
    editor("shfmt -w", "sl", "i").long("simplify list"),
    reader("shfmt", "sld", "i").long("simplify list diff"),
    reader("hadolint", "", "f").long("no-color no-fail").long_valued("ignore format"),
    reader("yamllint", "s", "f").long("strict no-warnings").long_valued("format"),
    reader("markdownlint", "", ""),
    reader("actionlint", "", "").single_dash().long("no-color oneline verbose"),
];
