//! Clicks: what a person started in this application needs no second question. The operator gives the
//! right to a credential, for named actions.

use crate::place::{Place, run_at};
use crate::{Application, Error};
use countersign_api::{ApplicationGestureRequest, CloseApplicationGestureRequest, Text};
use countersign_core::model::ids::GestureId;
use countersign_core::model::names::Action;
use std::sync::Arc;
use std::time::Duration;

/// An open click. It closes when it is dropped, or after a minute.
#[must_use]
#[derive(Debug)]
pub struct Click {
    application: Arc<Application>,
    gesture: GestureId,
    label: Text<100>,
}

/// Opens a click that covers these actions, and never a critical call.
pub fn user_initiated(label: &str, declares: &[&str]) -> Result<Click, Error> {
    let malformed = |error: &dyn std::fmt::Display| Error::denied("malformed", error.to_string());
    let application = Application::current()?;
    let label: Text<100> = label.to_owned().try_into().map_err(|error| malformed(&error))?;
    let actions: Result<Vec<Action>, _> = declares.iter().map(|name| Action::parse(name)).collect();
    let actions = actions.map_err(|error| malformed(&error))?;
    let request = ApplicationGestureRequest {
        session: application.session.clone(),
        label: label.clone(),
        declares: actions.try_into().map_err(|error| malformed(&error))?,
    };
    let opened = application.client(Duration::ZERO).open_gesture(&request);
    let gesture = opened.map_err(Error::from_client)?.gesture_id;
    Ok(Click { application, gesture, label })
}

impl Click {
    /// Runs what the click starts.
    pub fn run<T>(&self, run: impl FnOnce() -> T) -> T {
        run_at(Place { click: Some(self.gesture), ..Place::current() }, run)
    }
}

impl Drop for Click {
    fn drop(&mut self) {
        let (session, label) = (self.application.session.clone(), self.label.clone());
        let request = CloseApplicationGestureRequest { session, label };
        // What cannot be closed is over within a minute.
        let _open = self.application.client(Duration::ZERO).close_gesture(self.gesture, &request);
    }
}
