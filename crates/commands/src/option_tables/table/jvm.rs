//! Maven and Gradle. Their own options begin with one dash or two; properties (`-D`, `-P`) can name
//! programs, so only those that select tests are listed. Without `-f`, `-s`, `-I`, `-p` and `-g`.

use super::prelude::*;

const fn maven(name: &'static str) -> OptionTable {
    runner(name, "", "")
        .single_dash()
        .long(
            "q B o U e X am amd ntp fae ff DskipTests DskipITs Dtest Dit.test DfailIfNoTests \
               Dsurefire.failIfNoSpecifiedTests",
        )
        .long_valued(
            "pl T Dtest Dit.test DskipTests DfailIfNoTests Dsurefire.failIfNoSpecifiedTests",
        )
        .values(AllowedValues::Plain)
        .operands(None)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
}

const fn gradle(name: &'static str) -> OptionTable {
    runner(name, "qisSwm", "x")
        .long(
            "quiet info stacktrace full-stacktrace no-daemon daemon offline parallel continue \
               rerun-tasks build-cache no-build-cache configuration-cache warn dry-run no-scan",
        )
        .long_valued("tests exclude-task console max-workers warning-mode")
        .values(AllowedValues::Plain)
        .operands(None)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
}

pub(super) const JVM: &[OptionTable] = &[
    maven("mvn test"),
    maven("mvn clean test"),
    maven("mvn compile"),
    maven("mvn clean compile"),
    maven("mvn package"),
    maven("mvn clean package"),
    maven("mvn verify"),
    maven("mvn clean verify"),
    maven("mvn install"),
    maven("mvn clean install"),
    maven("mvn dependency:tree"),
    maven("mvn test-compile"),
    maven("mvn deploy").effect(ProgramEffect::ChangesElsewhere).no_head(),
    gradle("gradle test"),
    gradle("gradle build"),
    gradle("gradle check"),
    gradle("gradle assemble"),
    gradle("gradle clean build"),
    gradle("gradle clean test"),
    gradle("gradle compileJava"),
    gradle("gradle compileKotlin"),
    gradle("gradle dependencies"),
    gradle("gradle tasks"),
    gradle("gradle projects"),
];
