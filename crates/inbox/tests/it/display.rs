//! The full screen for the trials of `fuzz`.

use crate::emulator::Emulator;
use crate::fuzz::{PtyConsole, SeededRng, Sight, TrialDisplay, Watcher};
use countersign_core::model::time::Time;
use countersign_inbox::FullScreen;
use countersign_terminal::{CardLayout, Colours, CompactLayout, LayoutSource, Prompt};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The letters that only show something.
const QUICK_KEYS: &[u8] = b"wev?";

pub fn layout(colours: Colours) -> LayoutSource {
    let now = Time::parse("2026-01-05T09:00:40Z").unwrap();
    Box::new(move || CardLayout::Compact(CompactLayout { width: 80, now, home: None, colours }))
}

#[derive(Default)]
pub struct Screens {
    size: Rc<Cell<(u16, u16)>>,
    emulator: Rc<RefCell<Emulator>>,
}

impl Screens {
    fn set_random_size(&self, rng: &mut SeededRng) {
        let columns = u16::try_from(rng.between(60, 160)).unwrap();
        let rows = u16::try_from(rng.between(16, 40)).unwrap();
        self.size.set((columns, rows));
        self.emulator.borrow_mut().resize(columns, rows);
    }
}

impl TrialDisplay for Screens {
    type Console = FullScreen<PtyConsole>;

    fn watcher(&mut self, rng: &mut SeededRng) -> Watcher {
        self.set_random_size(rng);
        let emulator = Rc::clone(&self.emulator);
        let mut seen = (None, Vec::new());
        Box::new(move |text| {
            let mut emulator = emulator.borrow_mut();
            emulator.write(text).unwrap();
            let now = (emulator.card_id(), emulator.card_rows());
            if now == seen {
                return Sight::Same;
            }
            let was_covered = seen.0.is_none();
            seen = now;
            match &seen.0 {
                None if was_covered => Sight::Same,
                None => Sight::Covered,
                Some(id) => {
                    let asks_for_text = seen.1.iter().any(|row| row.contains("to allow"));
                    let quick_keys = if asks_for_text { b"" } else { QUICK_KEYS };
                    Sight::Card { request: format!("{id}{:026}", 0), quick_keys }
                }
            }
        })
    }

    fn open(&mut self, console: PtyConsole) -> (Prompt, Self::Console) {
        let size = Rc::clone(&self.size);
        let size = Box::new(move || size.get());
        let screen = FullScreen::open(console, size, layout(Colours::Shown)).unwrap();
        (Prompt::on_full_screen(layout(Colours::Shown)), screen)
    }

    fn resize(&mut self, rng: &mut SeededRng) -> bool {
        self.set_random_size(rng);
        true
    }
}
