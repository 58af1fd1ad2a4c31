//! Package managers of the system. Installing never has a head: it runs foreign code, mostly as
//! another user.

use super::prelude::*;

const BREW: OptionTable = reader_of_words("brew list", "1lv", "")
    .long("versions formula cask json full-name pinned")
    .operands(Packages);
const APT: OptionTable = reader_of_words("apt list", "aq", "")
    .long("installed upgradable all-versions")
    .operands(Packages);

const fn install(name: &'static str, flags: &'static str) -> OptionTable {
    changer(name, flags, "")
        .long("yes quiet no-install-recommends formula cask dry-run assume-yes")
        .operands(Packages)
        .contacts(Contacts::Configured)
        .no_head()
}

pub(super) const INSTALLS: &[OptionTable] = &[
    BREW,
    BREW.with_name("brew info").contacts(Contacts::Configured),
    BREW.with_name("brew search").contacts(Contacts::Configured),
    BREW.with_name("brew outdated"),
    BREW.with_name("brew deps").long("tree installed"),
    BREW.with_name("brew --prefix"),
    install("brew install", "qv"),
    install("brew upgrade", "qv"),
    install("brew uninstall", "qv"),
    APT,
    APT.with_name("apt show"),
    APT.with_name("apt search"),
    APT.with_name("apt-cache search"),
    APT.with_name("apt-cache show"),
    APT.with_name("apt-cache policy"),
    reader_of_words("dpkg -l", "", ""),
    reader_of_words("dpkg -s", "", ""),
    reader_of_words("dpkg -L", "", ""),
    reader_of_words("rpm -qa", "", "").operands(None),
    install("apt-get install", "yq"),
    install("apt install", "yq"),
    install("apt-get update", "yq").operands(None),
    install("apt update", "yq").operands(None),
    install("apt-get remove", "yq"),
    install("dnf install", "yq"),
    install("yum install", "yq"),
    install("apk add", "q"),
    install("gem install", ""),
    install("pipx install", ""),
    install("uv tool install", ""),
    install("rustup update", ""),
    reader_of_words("rustup show", "v", "").operands(None),
    reader_of_words("rustup toolchain list", "v", "").operands(None),
    reader_of_words("rustup target list", "", "").long("installed").operands(None),
    install("rustup target add", ""),
    install("rustup component add", ""),
];
