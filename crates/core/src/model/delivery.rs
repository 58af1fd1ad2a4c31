//! Deliveries: what a surface reports about showing a request or notice.
//!
//! A delivery never proves that somebody saw it, so no word here says "seen".

use crate::model::ids::{NoticeId, RequestId};
use crate::model::names::SurfaceName;
use crate::model::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// How far a delivery got, according to the surface.
    Evidence {
        /// The surface was asked to show it.
        #[serde(alias = "voiceover_direct_requested")]
        Requested = "requested",
        /// It waits in the surface's queue.
        #[serde(alias = "speech_queue_entered")]
        Queued = "queued",
        /// The surface could not show it and used another way: for example, it read it aloud.
        #[serde(alias = "tts_fallback_used")]
        SpokenByFallback = "spoken_by_fallback",
        /// Somebody may have heard it; this is not verified.
        #[serde(alias = "user_heard_unverified")]
        HeardUnverified = "heard_unverified",
    }
}

words! {
    /// How much of a request a surface has shown.
    Extent {
        /// Less than its card holds.
        Part = "part",
        /// Everything that its card holds.
        Card = "card",
        /// The whole call, with nothing left out.
        Whole = "whole",
    }
}

impl Default for Extent {
    /// A surface that does not say what it has shown has not shown the whole call.
    fn default() -> Self {
        Self::Part
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownObject {
    Request(RequestId),
    Notice(NoticeId),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub shown: ShownObject,
    pub surface: SurfaceName,
    pub evidence: Evidence,
    pub extent: Extent,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_words_of_the_earlier_system_are_accepted_and_no_word_claims_that_it_was_seen() {
        let read = |word: &str| serde_json::from_value::<Evidence>(json!(word)).ok();
        assert_eq!(read("voiceover_direct_requested"), Some(Evidence::Requested));
        assert_eq!(read("speech_queue_entered"), Some(Evidence::Queued));
        assert_eq!(read("tts_fallback_used"), Some(Evidence::SpokenByFallback));
        assert_eq!(read("user_heard_unverified"), Some(Evidence::HeardUnverified));
        assert_eq!(read("seen"), None);
        for known in Evidence::ALL {
            assert_eq!(read(known.word()), Some(*known));
            assert!(!["seen", "read", "delivered"].contains(&known.word()), "{known}");
        }
    }
}
