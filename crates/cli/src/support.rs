//! `support`: writes a redacted packet of what happened here, or shares one after the operator's yes.

use crate::daemon_option::DaemonOption;
use crate::pending::report_pending;
use crate::settings::Settings;
use crate::{exit, watch};
use countersign_api::{CheckStatus, ReportedEffect};
use countersign_console::{Exit, Failure, Page, out};
use countersign_setup::{
    PacketContext, PacketShare, SupportCommand, SupportShareArgs, create_packet,
};

pub(crate) fn support(command: &SupportCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        SupportCommand::Create(args) => {
            let folder = args.record.folder(&settings.record())?;
            let sockets = settings.sockets(&folder);
            let files = sockets.map(|sockets| settings.daemon_files(&folder, &sockets));
            let (setup, settings) = (settings.setup_context(), settings.to_json());
            create_packet(args, &PacketContext { setup, settings, folder, files })
        }
        SupportCommand::Share(args) => share(args, settings),
    }
}

fn share(args: &SupportShareArgs, settings: &Settings) -> Result<Exit, Failure> {
    let share = PacketShare::new(args)?;
    let daemon = DaemonOption { data: args.data.clone(), json: false };
    let agent = daemon.agent(settings, args.wait)?;
    let request = share.request.clone();
    let response = watch::check_at_terminal(&agent, request, args.wait, &daemon, settings)?;
    let (CheckStatus::Allowed, Some(call)) = (response.status, response.operation_id) else {
        out::eprint(&Page::from_line(&format!("not shared: {}", response.sentence)));
        report_pending(&response, &daemon, settings);
        return Ok(exit::from_check(&response));
    };
    let copied = share.copy();
    let effect = if copied.is_ok() { ReportedEffect::Done } else { ReportedEffect::Failed };
    agent.report_outcome(call, &share.session, effect)?;
    out::show(&Page::from_line(&copied?))?;
    Ok(Exit::Allowed)
}
