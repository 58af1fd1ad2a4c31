//! `ledger verify`: that entries follow each other and none was altered, of the record or of an
//! export.

use super::count;
use crate::args::LedgerVerifyArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::page::{BOLD, GREEN, Page, RED};
use crate::settings::Settings;
use crate::{limits, out};
use countersign_core::encoding::digest::Digest;
use countersign_core::ledger::{Entry, Head, LedgerError, Verifier};
use countersign_engine::{StoreError, StoreReader};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

pub(super) fn verify(args: &LedgerVerifyArgs, settings: &Settings) -> Result<Exit, Failure> {
    let mut walk = Walk::new(args.contains);
    let found = match &args.file {
        Some(file) => of_export(file, &mut walk)?,
        None => of_record(&*args.record.to_read(settings)?, &mut walk)?,
    };
    let result = Verified { walk, damage: found, contains: args.contains };
    if args.json {
        out::show_json(&result.json())?;
    } else {
        out::show(&result.page())?;
    }
    Ok(if result.is_intact() { Exit::Allowed } else { Exit::Failure })
}

/// How far entries were found to follow each other.
struct Walk {
    /// What the first entry follows; none before the first.
    before: Option<Head>,
    verifier: Verifier,
    head: Head,
    entries: u64,
    /// Entries whose sealed parts were erased.
    erased: u64,
    /// The hash that is looked for, and where it was found.
    wanted: Option<Digest>,
    found: Option<u64>,
}

/// The first entry that cannot be relied on.
struct Damage {
    seq: u64,
    what: String,
}

impl Walk {
    fn new(wanted: Option<Digest>) -> Self {
        let (head, verifier) = (Head::empty(), Verifier::from(Head::empty()));
        Self { before: None, verifier, head, entries: 0, erased: 0, wanted, found: None }
    }

    fn step(&mut self, entry: &Entry) -> Result<(), Damage> {
        let next = self.head.next;
        self.verifier.entry(entry).map_err(|error| {
            let missing = (entry.seq > next).then(|| format!("; entry {next} is missing"));
            Damage { seq: entry.seq, what: format!("{error}{}", missing.unwrap_or_default()) }
        })?;
        self.head = entry.head();
        self.entries += 1;
        if self.wanted == Some(entry.hash) {
            self.found = Some(entry.seq);
        }
        Ok(())
    }

    /// At the end of a whole ledger it is known whether anything is missing beside it.
    fn end(&mut self) -> Option<Damage> {
        match self.verifier.clone().finish() {
            Ok(verified) => {
                self.erased = verified.erased;
                None
            }
            Err(error) => {
                let seq = if let LedgerError::Stripped(seq) = error { seq } else { self.head.next };
                Some(Damage { seq, what: error.to_string() })
            }
        }
    }
}

fn of_record(record: &dyn StoreReader, walk: &mut Walk) -> Result<Option<Damage>, Failure> {
    walk.before = Some(Head::empty());
    loop {
        let from = walk.head.next;
        let page = match record.read_entries(from, limits::LEDGER_PAGE) {
            Ok(page) => page,
            Err(StoreError::Damaged { .. }) => return one_by_one(record, walk),
            Err(error) => return Err(error.into()),
        };
        if page.is_empty() {
            return Ok(walk.end());
        }
        if let Err(damage) = page.iter().try_for_each(|entry| walk.step(entry)) {
            return Ok(Some(damage));
        }
    }
}

/// A page that cannot be read holds an entry that cannot: which one, and are those before it good?
fn one_by_one(record: &dyn StoreReader, walk: &mut Walk) -> Result<Option<Damage>, Failure> {
    loop {
        let seq = walk.head.next;
        let found = match record.read_entries(seq, 1) {
            Ok(found) => found,
            Err(StoreError::Damaged { cause, .. }) => {
                return Ok(Some(Damage { seq, what: format!("entry {seq} is damaged: {cause}") }));
            }
            Err(error) => return Err(error.into()),
        };
        let Some(entry) = found.first() else { return Ok(walk.end()) };
        if let Err(damage) = walk.step(entry) {
            return Ok(Some(damage));
        }
    }
}

fn of_export(path: &Path, walk: &mut Walk) -> Result<Option<Damage>, Failure> {
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
        let entry = exported(&line).map_err(|why| {
            Failure::new(
                format!("{}:{number}: this is no exported entry: {why}", path.display()),
                "every line is `{\"seq\": …, \"hash\": …, \"entry\": …}`; export it again",
            )
        })?;
        if walk.before.is_none() {
            walk.head = Head { next: entry.seq, hash: entry.prev };
            if entry.seq == 1 {
                walk.head = Head::empty();
            }
            walk.verifier = Verifier::from(walk.head);
            walk.before = Some(walk.head);
        }
        if let Err(damage) = walk.step(&entry) {
            return Ok(Some(damage));
        }
    }
    if walk.entries == 0 {
        let message = format!("`{}` holds no entry, so there is nothing to verify", path.display());
        return Err(Failure::new(message, "name a file that `countersign ledger export` wrote"));
    }
    Ok(None)
}

fn exported(line: &str) -> Result<Entry, String> {
    let form: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |name: &str| form.get(name).and_then(Value::as_str);
    let hash = text("hash").and_then(Digest::parse).ok_or("it has no hash")?;
    let entry = Entry::read(text("entry").ok_or("it has no entry")?.to_owned(), hash)?;
    if form.get("seq").and_then(Value::as_u64) != Some(entry.seq) {
        return Err("its place is not the one in the entry".to_owned());
    }
    Ok(entry)
}

struct Verified {
    walk: Walk,
    damage: Option<Damage>,
    contains: Option<Digest>,
}

impl Verified {
    fn is_intact(&self) -> bool {
        self.damage.is_none() && !self.lacks()
    }

    /// Whether a hash was named that no entry has.
    fn lacks(&self) -> bool {
        self.contains.is_some() && self.walk.found.is_none()
    }

    /// What the first entry follows, where that is not the beginning.
    fn part(&self) -> Option<Head> {
        self.walk.before.filter(|before| before.next > 1)
    }

    fn help(&self) -> String {
        let good = self.walk.head.next.saturating_sub(1);
        let rely = if self.walk.entries == 0 {
            "none of it can be relied on".to_owned()
        } else {
            format!("rely on nothing after entry {good}")
        };
        format!(
            "{rely}; keep a copy of it as it is, and compare it with an earlier export or backup"
        )
    }

    fn page(&self) -> Page {
        let mut page = Page::new();
        let Walk { head, entries, .. } = &self.walk;
        match &self.damage {
            Some(damage) => {
                page.styled(RED.bold(), "damaged").text(": ").text(&damage.what).end();
                page.text("  ").styled(BOLD, "help").text(": ").text(&self.help()).end();
            }
            None => {
                page.styled(GREEN, "intact").text(": ").text(&count(*entries)).end();
            }
        }
        if self.walk.erased > 0 {
            let erased = count(self.walk.erased);
            page.text(&format!("{erased} without what they kept apart, which was erased")).end();
        }
        if let Some(before) = self.part() {
            let (first, hash) = (before.next, before.hash);
            page.text(&format!("begins with entry {first}, after one with the hash {hash}")).end();
        }
        if *entries > 0 && self.damage.is_none() {
            let last = head.next.saturating_sub(1);
            page.text(&format!("head {last} {}", head.hash)).end();
        }
        match (self.contains, self.walk.found) {
            (Some(_), Some(seq)) => {
                page.text(&format!("contains the hash that was named, at entry {seq}")).end();
            }
            (Some(hash), None) => {
                page.styled(RED.bold(), "missing").text(&format!(": no entry has {hash}")).end();
                page.text("  ").styled(BOLD, "help").text(": ");
                page.text(
                    "if it was noted down from this ledger, entries were taken out or changed",
                );
                page.end();
            }
            (None, _) => {}
        }
        page
    }

    fn json(&self) -> Value {
        let Walk { head, entries, found, .. } = &self.walk;
        let damage = self
            .damage
            .as_ref()
            .map(|damage| json!({"seq": damage.seq, "problem": damage.what, "help": self.help()}));
        json!({
            "v": 1,
            "result": if self.is_intact() { "intact" } else { "damaged" },
            "entries": entries,
            "erased": self.walk.erased,
            "head": {"seq": head.next.saturating_sub(1), "hash": head.hash},
            "from": self.walk.before.map_or(1, |before| before.next),
            "damage": damage,
            "contains": self.contains.map(|hash| json!({"hash": hash, "seq": found})),
        })
    }
}
