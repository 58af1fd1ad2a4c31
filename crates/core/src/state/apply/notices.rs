//! Applies notices to the state: repeats are counted while a notice is open, and a surface or
//! the end of its cause closes it.

use crate::model::ids::NoticeId;
use crate::model::limits;
use crate::model::names::SurfaceName;
use crate::model::notice::{Notice, NoticeState};
use crate::model::time::Time;
use crate::state::State;

impl State {
    /// Counts a repeat of an open notice. Above the limit per agent, the collective notice counts it.
    pub(in crate::state) fn raise_notice(&mut self, notice: &Notice) {
        if self.count_repeat(notice) {
            return;
        }
        let open = self.notices.values().filter(|open| open.is_open());
        if open.filter(|open| open.agent == notice.agent).count() < limits::NOTICES {
            self.notices.insert(notice.id, notice.clone());
            return;
        }
        let collective = notice.to_collective();
        if !self.count_repeat(&collective) {
            self.notices.insert(collective.id, collective);
        }
    }

    fn count_repeat(&mut self, notice: &Notice) -> bool {
        let like = |open: &&Notice| open.is_open() && open.is_like(notice);
        let Some(open) = self.notices.values().find(like).map(|open| open.id) else {
            return false;
        };
        if let Some(open) = self.notices.get_mut(&open) {
            open.count_repeat(notice);
        }
        true
    }

    pub(in crate::state) fn acknowledge_notice(
        &mut self,
        at: Time,
        id: NoticeId,
        by: &SurfaceName,
    ) {
        if let Some(notice) = self.notices.get_mut(&id) {
            notice.state = NoticeState::Acknowledged { surface: by.clone(), at };
        }
    }

    pub(in crate::state) fn end_notice(&mut self, at: Time, id: NoticeId) {
        if let Some(notice) = self.notices.get_mut(&id) {
            notice.state = NoticeState::Ended { at };
        }
    }
}
