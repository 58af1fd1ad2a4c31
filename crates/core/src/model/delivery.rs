//! Deliveries: what a surface can say about having shown something. That it was seen does not
//! follow from any of it, and no word here says so.

use crate::model::ids::{NoticeId, RequestId};
use crate::model::names::SurfaceName;
use crate::model::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// How far a delivery got, as far as the surface can tell.
    Evidence {
        /// The surface was asked to show it.
        Requested = "requested",
        /// It waits there behind other things.
        Queued = "queued",
        /// The surface could not, and another way was used: read aloud, for example.
        SpokenByFallback = "spoken_by_fallback",
        /// Somebody may have heard it; nobody has verified that.
        HeardUnverified = "heard_unverified",
    }
}

impl Evidence {
    /// Also reads the words of the seed that this comes from.
    pub fn from_input(word: &str) -> Option<Self> {
        match word {
            "voiceover_direct_requested" => Some(Self::Requested),
            "speech_queue_entered" => Some(Self::Queued),
            "tts_fallback_used" => Some(Self::SpokenByFallback),
            "user_heard_unverified" => Some(Self::HeardUnverified),
            word => Self::from_word(word),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    Request(RequestId),
    Notice(NoticeId),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub shown: Shown,
    pub surface: SurfaceName,
    pub evidence: Evidence,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_words_are_read_and_none_of_ours_says_seen() {
        let read = |word| Evidence::from_input(word);
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
