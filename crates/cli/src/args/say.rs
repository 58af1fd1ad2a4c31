//! The command line of `say`.

use super::DaemonOption;
use clap::Args;
use countersign_core::model::names::SessionName;

#[derive(Args)]
#[command(
    about = "Say something in a session, as its operator",
    before_help = "\
Examples:
  countersign say s1 Grant standing consent for: git push
  countersign say s1 Revoke consent for: git push
  countersign say coder/s1 'What have I consented to?'
  countersign say s1 stop
  countersign say s1 done

The words count as your next message in the conversation of that session, so they also answer the
one request that is open there. Words that Countersign does not know change nothing. Options come
before the name of the session."
)]
pub(crate) struct SayArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
    /// The session, as NAME or AGENT/NAME
    #[arg(value_name = "SESSION", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// What you say
    #[arg(value_name = "WORDS", required = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}
