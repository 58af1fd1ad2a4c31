//! Clients of other hosts. `curl` gets web addresses as whole words: without `-L`, because a
//! redirection leads to another host, and without options that upload, send cookies or credentials,
//! read a configuration, or choose a proxy. A program for remote shells never has a head.

use super::prelude::*;

const CURL: OptionTable = reader_of_words("curl", "sSfIiv", "moHAw")
    .long(
        "silent show-error fail head include verbose compressed http2 http1.1 fail-with-body \
           no-progress-meter ipv4 no-buffer",
    )
    .long_valued("max-time connect-timeout output header user-agent write-out retry retry-delay")
    .written_values("o output")
    .values(AllowedValues::NoUploads)
    .operands(WebAddresses)
    .contacts(Contacts::Addresses);

/// Sends something. A value behind `@` would be a file.
const fn request(name: &'static str) -> OptionTable {
    OptionTable { valued: "moHAwd", effect: ProgramEffect::ChangesElsewhere, ..CURL }
        .with_name(name)
        .long_valued(
            "max-time connect-timeout output header user-agent write-out data json data-raw",
        )
        .no_head()
}

const RSYNC: OptionTable = changer("rsync", "avznhrtpogPiuqc", "")
    .long(
        "dry-run progress stats archive verbose compress human-readable itemize-changes partial \
           update checksum quiet",
    )
    .long_valued("exclude include bwlimit")
    .paths(PathOperands::All)
    .effect(ProgramEffect::Edits)
    .contacts(Contacts::RemoteFiles)
    .no_head();

pub(super) const NETWORK: &[OptionTable] = &[
    CURL,
    request("curl -X POST"),
    request("curl -X PUT"),
    request("curl -X PATCH"),
    request("curl -X DELETE"),
    request("curl -s -X POST"),
    request("curl -s -X DELETE"),
    reader_of_words("wget -qO-", "", "T")
        .long_valued("timeout tries")
        .operands(WebAddresses)
        .contacts(Contacts::Addresses),
    reader_of_words("ping", "46nqv", "cWwi").operands(HostNames).contacts(Contacts::Hosts),
    reader_of_words("dig", "46", "xt").operands(DnsQuery).contacts(Contacts::Hosts),
    reader_of_words("nslookup", "", "").operands(HostNames).contacts(Contacts::Hosts),
    reader_of_words("host", "aCv46", "t").operands(HostNames).contacts(Contacts::Hosts),
    reader_of_words("whois", "", "").operands(HostNames).contacts(Contacts::Hosts),
    RSYNC,
    OptionTable { flags: "rpqCv", ..RSYNC }.with_name("scp").long("").long_valued(""),
];
