//! `support create` writes a redacted packet of what happened here; `support share` hands one out.
//!
//! Creating reads and stays on this machine. Sharing is a call of its own, `support.share`, with the
//! critical category `support_packet_share`: the operator types the destination, and the record says
//! so. It copies a file and sends nothing over a network.
//!
//! See docs/decisions/0111-reviews-and-support-packets.md.

use crate::clock::SystemClock;
use crate::daemon_option::DaemonOption;
use crate::operate::fit_bounds;
use crate::pending::report_pending;
use crate::settings::Settings;
use crate::{exit, limits, watch};
use clap::{Args, Subcommand};
use countersign_api::{CheckRequest, CheckStatus, ReportedEffect};
use countersign_console::{Exit, Failure, Page, out};
use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json;
use countersign_core::model::category::Category;
use countersign_core::model::names::{Action, NameError, SessionName};
use countersign_engine::Clock;
use countersign_graph::node;
use countersign_report::{PacketEntries, RecordOption, collect_packet_entries, redact_packet};
use countersign_setup::{DoctorArgs, GraphFile, GraphSearch, diagnose};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

impl SupportCommand {
    pub(crate) const EXAMPLES: &str = "\
Examples:
  countersign support create                       write a packet into the current folder
  countersign support create --call c7f2a1 -o p.json   with the entries about one call
  countersign support share p.json --to /media/usb/p.json

A packet has the version, the settings, the graph without its contacts, entries of the ledger without
arguments and people's words, and what `countersign doctor` finds. Read it before you share it. Sharing
asks you to type the destination, copies the file there, and sends nothing by itself.";
}

#[derive(Subcommand)]
pub(crate) enum SupportCommand {
    /// Write a redacted packet to a local file
    #[command(before_help = SupportCommand::EXAMPLES)]
    Create(SupportCreateArgs),
    /// Copy a packet to a place that others can reach, after your own confirmation
    #[command(before_help = SupportCommand::EXAMPLES)]
    Share(SupportShareArgs),
}

#[derive(Args)]
pub(crate) struct SupportCreateArgs {
    /// The file to write; there must be none [default: countersign-support.json]
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// How many entries at the end of the ledger
    #[arg(long, value_name = "COUNT", default_value_t = 100, conflicts_with = "call")]
    pub(crate) last: usize,
    /// Only the entries about this call, request, grant or run: its whole id
    #[arg(long, value_name = "ID")]
    pub(crate) call: Option<String>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
}

#[derive(Args)]
pub(crate) struct SupportShareArgs {
    /// The packet that `support create` wrote
    #[arg(value_name = "PACKET")]
    pub(crate) packet: PathBuf,
    /// The file to write; there must be none
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// Seconds to wait for an answer, if there is no terminal to ask at
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_WAIT_SECONDS))]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

pub(crate) fn support(command: &SupportCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        SupportCommand::Create(args) => create(args, settings),
        SupportCommand::Share(args) => share(args, settings),
    }
}

fn create(args: &SupportCreateArgs, settings: &Settings) -> Result<Exit, Failure> {
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from("countersign-support.json"));
    let packet = build_packet(args, settings)?;
    let text = format!("{packet:#}\n");
    write_new_file(&path, text.as_bytes())?;
    let mut page = Page::from_line(&format!(
        "wrote {}: {} bytes, digest {}",
        path.display(),
        text.len(),
        Digest::hash_bytes(PACKET, text.as_bytes()).short()
    ));
    page.text("It stays on this machine. Read it, then: countersign support share ");
    page.text(&path.display().to_string()).text(" --to FILE").end();
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// What a packet calls itself.
const PACKET: &str = "countersign support packet";

fn build_packet(args: &SupportCreateArgs, settings: &Settings) -> Result<Value, Failure> {
    let record = args.record.open_reader_if_present(&settings.record())?;
    let chosen = match &args.call {
        Some(id) => PacketEntries::About(id),
        None => PacketEntries::Last(args.last),
    };
    let entries = match &record {
        Some(record) => collect_packet_entries(&**record, chosen)?,
        None => Vec::new(),
    };
    if let (Some(id), true) = (&args.call, entries.is_empty()) {
        let message = format!("no entry of the ledger is about `{id}`");
        return Err(Failure::usage(message, "give the whole id; `countersign log` shows the ids"));
    }
    let data = args.record.data.as_deref();
    let search = GraphSearch { named: None, data, places: settings.graph_places() };
    let folder = args.record.folder(&settings.record())?;
    let files = settings.sockets(&folder).map(|sockets| settings.daemon_files(&folder, &sockets));
    let doctor = DoctorArgs::for_record(args.record.data.clone(), args.record.store.clone());
    let mut packet = json!({
        "v": 1,
        "kind": PACKET,
        "made_at": SystemClock.now().to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "settings": settings.to_json(),
        "graph": search.open_if_any().ok().flatten().map(|graph| describe_graph(&graph)),
        "doctor": diagnose(&doctor, &settings.setup_context(), &folder, &files).to_json(),
        "entries": entries,
    });
    redact_packet(&mut packet, settings.home.as_deref());
    Ok(packet)
}

/// The graph without the contacts, which are addresses of people.
fn describe_graph(file: &GraphFile) -> Value {
    let mut text = node::parse(&file.bytes, file.format).map_or(Value::Null, |node| node.to_json());
    if let Some(contacts) = text.get_mut("vip_contacts") {
        *contacts = json!("left out");
    }
    json!({"file": file.name, "hash": file.loaded.graph.hash, "text": text})
}

fn share(args: &SupportShareArgs, settings: &Settings) -> Result<Exit, Failure> {
    let bytes = read_packet(&args.packet)?;
    let to = std::path::absolute(&args.to)
        .map_err(|error| Failure::file("name", &args.to, &error, "name a file"))?;
    let named = |error: NameError| Failure::usage(error.to_string(), "name a file");
    let session = SessionName::parse("support").map_err(named)?;
    let digest = Digest::hash_bytes(PACKET, &bytes);
    let request = CheckRequest {
        actions: fit_bounds("action", vec![Action::parse("support.share").map_err(named)?])?,
        categories: fit_bounds(
            "category",
            vec![Category::parse("support_packet_share").map_err(named)?],
        )?,
        target: fit_bounds("destination", vec![to.display().to_string()])?,
        args: json!({"packet": digest.to_string(), "bytes": bytes.len()}),
        irreversible: true,
        ..CheckRequest::new(session.clone())
    };
    let agent = args.daemon.agent(settings, args.wait)?;
    let response = watch::check_at_terminal(&agent, request, args.wait, &args.daemon, settings)?;
    let (CheckStatus::Allowed, Some(call)) = (response.status, response.operation_id) else {
        out::eprint(&Page::from_line(&format!("not shared: {}", response.sentence)));
        report_pending(&response, &args.daemon, settings);
        return Ok(exit::from_check(&response));
    };
    let written = write_new_file(&to, &bytes);
    let effect = if written.is_ok() { ReportedEffect::Done } else { ReportedEffect::Failed };
    agent.report_outcome(call, &session, effect)?;
    written?;
    let line =
        format!("shared: {} bytes at {}, digest {}", bytes.len(), to.display(), digest.short());
    out::show(&Page::from_line(&line))?;
    Ok(Exit::Allowed)
}

/// The bytes of a file that is a packet, so that nothing else is shared by a slip.
fn read_packet(path: &Path) -> Result<Vec<u8>, Failure> {
    let help = "name a file that `countersign support create` wrote";
    let size =
        std::fs::metadata(path).map_err(|error| Failure::file("read", path, &error, help))?;
    if !size.is_file() || size.len() > limits::MAX_PACKET_BYTES {
        return Err(Failure::usage(format!("{} is no support packet", path.display()), help));
    }
    let bytes = std::fs::read(path).map_err(|error| Failure::file("read", path, &error, help))?;
    match json::parse(&bytes).ok().and_then(|packet| packet.get("kind").cloned()) {
        Some(kind) if kind == PACKET => Ok(bytes),
        _ => Err(Failure::usage(format!("{} is no support packet", path.display()), help)),
    }
}

/// Writes a file that does not exist yet, readable for its owner only.
fn write_new_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let help = "name a file that does not exist, in a folder that does";
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let written = opened.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::usage(format!("{} exists already", path.display()), help)
        }
        _ => Failure::file("write", path, &error, help),
    })
}
