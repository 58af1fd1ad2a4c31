//! The pages of the dashboard: views of the API in, HTML out.
//!
//! Nothing is decided, stored or served here. A page shows what the card and the API say, in their
//! words; every text that comes from elsewhere is escaped twice, for display and for HTML. A page works
//! without its script: forms are plain forms.
//!
//! See docs/decisions/0141-the-dashboard.md.

mod answering;
mod assets;
mod card_panel;
mod frame;
mod grants;
mod insights;
mod limits;
mod lists;
mod login;
mod missing;
mod now;
mod record;
mod rules;
mod sessions;
mod words;

pub use answering::{AnswerFields, Confirming};
pub use assets::{Asset, find_asset};
pub use card_panel::{CardPanel, WholeCall, YesState};
pub use frame::{ActResult, FormTokens, Frame, PageName, SavedMessage};
pub use grants::GrantsPage;
pub use insights::{AnswerFigures, DayFigures, InsightsPage};
pub use lists::{AgentRow, AgentsPage, NoticesPage, ProposalsPage, StatusPage};
pub use login::{ClosedLoginPage, LoginPage, RootPage};
pub use missing::MissingPage;
pub use now::{NowPage, WaitingList};
pub use record::{CallPage, RecordFilter, RecordListPage, RecordRow, RowState};
pub use rules::{ActionRule, CommandClass, DomainRow, RulesPage, TriedCall};
pub use sessions::{Lane, LaneMark, SessionPage, SessionsPage};

pub use askama::Template;

/// Renders a page. A template that cannot be rendered is a defect, and shows nothing half.
pub fn render(page: &impl Template) -> Result<String, askama::Error> {
    page.render()
}
