//! `ledger verify`: verifies the hash chain of the record or of an export.

use super::args::LedgerVerifyArgs;
use super::count_entries;
use crate::limits;
use crate::record::ReportContext;
use countersign_console::{BOLD, Exit, Failure, GREEN, Page, RED, out};
use countersign_core::encoding::digest::Digest;
use countersign_engine::{StoreError, StoreReader};
use countersign_ledger::{Entry, Head, LedgerError, Verifier};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

pub(super) fn verify(args: &LedgerVerifyArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let mut chain = ChainCheck::new(args.contains);
    let damage = match &args.file {
        Some(file) => verify_export(file, &mut chain)?,
        None => verify_record(&*args.record.open_reader(&context.record)?, &mut chain)?,
    };
    let report = VerifyReport { chain, damage };
    if args.json {
        out::show_json(&report.json())?;
    } else {
        out::show(&report.page())?;
    }
    Ok(if report.is_intact() { Exit::Allowed } else { Exit::Failure })
}

/// The part of the chain that was verified so far.
struct ChainCheck {
    /// The head before the first entry. None until that entry is read.
    start: Option<Head>,
    verifier: Verifier,
    head: Head,
    entries: u64,
    /// Entries whose sealed parts were erased.
    erased: u64,
    /// The hash that an entry must have, and the position of that entry.
    wanted: Option<Digest>,
    wanted_at: Option<u64>,
}

/// The first entry that cannot be trusted.
struct ChainDamage {
    seq: u64,
    problem: String,
}

impl ChainCheck {
    fn new(wanted: Option<Digest>) -> Self {
        let (head, verifier) = (Head::empty(), Verifier::from(Head::empty()));
        Self { start: None, verifier, head, entries: 0, erased: 0, wanted, wanted_at: None }
    }

    fn add(&mut self, entry: &Entry) -> Result<(), ChainDamage> {
        let next = self.head.next;
        self.verifier.entry(entry).map_err(|error| {
            let missing = (entry.seq > next).then(|| format!("; entry {next} is missing"));
            ChainDamage {
                seq: entry.seq,
                problem: format!("{error}{}", missing.unwrap_or_default()),
            }
        })?;
        self.head = entry.head();
        self.entries += 1;
        if self.wanted == Some(entry.hash) {
            self.wanted_at = Some(entry.seq);
        }
        Ok(())
    }

    /// The entry that records an erasure comes after the erased ones, so a missing sealed part can be
    /// judged only at the end.
    fn finish(&mut self) -> Option<ChainDamage> {
        match self.verifier.clone().finish() {
            Ok(verified) => {
                self.erased = verified.erased;
                None
            }
            Err(error) => {
                let seq = if let LedgerError::Stripped(seq) = error { seq } else { self.head.next };
                Some(ChainDamage { seq, problem: error.to_string() })
            }
        }
    }
}

fn verify_record(
    record: &dyn StoreReader,
    chain: &mut ChainCheck,
) -> Result<Option<ChainDamage>, Failure> {
    chain.start = Some(Head::empty());
    let mut page_size = limits::LEDGER_PAGE;
    loop {
        let seq = chain.head.next;
        let page = match record.read_entries(seq, page_size) {
            Ok(page) if page.is_empty() => return Ok(chain.finish()),
            Ok(page) => page,
            // An entry of this page is unreadable. Which one, and are those before it intact?
            Err(StoreError::Damaged { .. }) if page_size > 1 => {
                page_size = 1;
                continue;
            }
            Err(StoreError::Damaged { cause, .. }) => {
                let problem = format!("entry {seq} is damaged: {cause}");
                return Ok(Some(ChainDamage { seq, problem }));
            }
            Err(error) => return Err(error.into()),
        };
        if let Err(damage) = page.iter().try_for_each(|entry| chain.add(entry)) {
            return Ok(Some(damage));
        }
    }
}

fn verify_export(path: &Path, chain: &mut ChainCheck) -> Result<Option<ChainDamage>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::file("read", path, &error, "name a file that `countersign ledger export` wrote")
    };
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let read = reader.by_ref().take(limits::MAX_EXPORT_LINE_BYTES).read_line(&mut line);
        if read.map_err(failed)? == 0 {
            break;
        }
        let entry = parse_exported(&line).map_err(|why| {
            Failure::new(
                format!("{}:{number}: this is not an exported entry: {why}", path.display()),
                "every line has the form `{\"seq\": …, \"hash\": …, \"entry\": …}`; export it again",
            )
        })?;
        if chain.start.is_none() {
            chain.head = Head { next: entry.seq, hash: entry.prev };
            if entry.seq == 1 {
                chain.head = Head::empty();
            }
            chain.verifier = Verifier::from(chain.head);
            chain.start = Some(chain.head);
        }
        if let Err(damage) = chain.add(&entry) {
            return Ok(Some(damage));
        }
    }
    if chain.entries == 0 {
        let message =
            format!("`{}` contains no entry, so there is nothing to verify", path.display());
        return Err(Failure::new(message, "name a file that `countersign ledger export` wrote"));
    }
    Ok(None)
}

fn parse_exported(line: &str) -> Result<Entry, String> {
    let object: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let hash = text("hash").and_then(Digest::parse).ok_or("it has no hash")?;
    let entry = Entry::read(text("entry").ok_or("it has no entry")?.to_owned(), hash)?;
    if object.get("seq").and_then(Value::as_u64) != Some(entry.seq) {
        return Err("its `seq` is not the one in the entry".to_owned());
    }
    Ok(entry)
}

struct VerifyReport {
    chain: ChainCheck,
    damage: Option<ChainDamage>,
}

impl VerifyReport {
    fn is_intact(&self) -> bool {
        self.damage.is_none() && !self.is_hash_missing()
    }

    /// Whether `--contains` named a hash that no entry has.
    fn is_hash_missing(&self) -> bool {
        self.chain.wanted.is_some() && self.chain.wanted_at.is_none()
    }

    /// The head before the first entry, if the ledger does not start at entry 1.
    fn partial_start(&self) -> Option<Head> {
        self.chain.start.filter(|start| start.next > 1)
    }

    fn help(&self) -> String {
        let good = self.chain.head.next.saturating_sub(1);
        let trust = if self.chain.entries == 0 {
            "do not trust any entry".to_owned()
        } else {
            format!("do not trust any entry after {good}")
        };
        format!(
            "{trust}; copy the record as it is, and compare it with an earlier export or backup"
        )
    }

    fn page(&self) -> Page {
        let mut page = Page::new();
        let ChainCheck { head, entries, .. } = &self.chain;
        match &self.damage {
            Some(damage) => {
                page.styled(RED.bold(), "damaged").text(": ").text(&damage.problem).end();
                page.text("  ").styled(BOLD, "help").text(": ").text(&self.help()).end();
            }
            None => {
                page.styled(GREEN, "intact").text(": ").text(&count_entries(*entries)).end();
            }
        }
        if self.chain.erased > 0 {
            let erased = count_entries(self.chain.erased);
            page.text(&format!("the sealed parts of {erased} were erased")).end();
        }
        if let Some(start) = self.partial_start() {
            let (first, hash) = (start.next, start.hash);
            page.text(&format!("starts at entry {first}; the entry before has the hash {hash}"))
                .end();
        }
        if *entries > 0 && self.damage.is_none() {
            let last = head.next.saturating_sub(1);
            page.text(&format!("head {last} {}", head.hash)).end();
        }
        match (self.chain.wanted, self.chain.wanted_at) {
            (Some(_), Some(seq)) => {
                page.text(&format!("entry {seq} has the hash that you named")).end();
            }
            (Some(hash), None) => {
                page.styled(RED.bold(), "missing").text(&format!(": no entry has {hash}")).end();
                page.text("  ").styled(BOLD, "help").text(": ");
                page.text("if the hash is from this ledger, somebody removed or changed entries")
                    .end();
            }
            (None, _) => {}
        }
        page
    }

    fn json(&self) -> Value {
        let ChainCheck { head, entries, wanted, wanted_at, .. } = &self.chain;
        let damage = self.damage.as_ref().map(
            |damage| json!({"seq": damage.seq, "problem": damage.problem, "help": self.help()}),
        );
        json!({
            "v": 1,
            "result": if self.is_intact() { "intact" } else { "damaged" },
            "entries": entries,
            "erased": self.chain.erased,
            "head": {"seq": head.next.saturating_sub(1), "hash": head.hash},
            "from": self.chain.start.map_or(1, |start| start.next),
            "damage": damage,
            "contains": wanted.map(|hash| json!({"hash": hash, "seq": wanted_at})),
        })
    }
}
