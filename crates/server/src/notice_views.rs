//! Notices as surfaces get them.

use crate::Daemon;
use crate::error::ApiError;
use countersign_api::NoticeView;
use countersign_card::CardContext;
use countersign_core::model::ids::CallId;
use countersign_core::model::notice::Notice;
use std::sync::Arc;

/// Notices, with what became of the calls that they are about.
pub(crate) async fn view_notices(
    daemon: &Arc<Daemon>,
    notices: &[Notice],
) -> Result<Vec<NoticeView>, ApiError> {
    let calls: Vec<CallId> = notices.iter().filter_map(|notice| notice.call).collect();
    let state = daemon.run(move |engine| engine.read_calls(calls)).await?;
    let (graph, now) = (daemon.graph()?, daemon.display_time().await?);
    let context = CardContext { graph: graph.as_deref(), state: &state, now };
    Ok(notices.iter().map(|notice| NoticeView::from(notice).with_call(context)).collect())
}
