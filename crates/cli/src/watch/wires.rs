//! What wakes whoever sits at the terminal: news, signals, and whoever wants it to end.

use crate::failure::Failure;
use countersign_terminal::PromptEvent;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};
use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

pub(crate) enum Input {
    News(Box<PromptEvent>),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-Z.
    Suspended,
    /// Whoever started this wants it to end.
    Over,
}

/// Rings at the terminal; any thread may hold one.
#[derive(Clone)]
pub(crate) struct Bell {
    sender: Sender<Input>,
    wake: Arc<UnixStream>,
}

impl Bell {
    pub(crate) fn ring(&self, input: Input) {
        if self.sender.send(input).is_ok() {
            // A full pipe has woken already.
            let _full = (&*self.wake).write(&[0]);
        }
    }

    /// Ctrl-Z. Where nobody sits any more it stops the program, as it does without this.
    fn suspend(&self) {
        match self.sender.send(Input::Suspended) {
            Ok(()) => {
                let _full = (&*self.wake).write(&[0]);
            }
            Err(_) => stop(),
        }
    }

    pub(crate) fn end(&self) {
        self.ring(Input::Over);
    }

    pub(crate) fn news(&self, news: PromptEvent) {
        self.ring(Input::News(Box::new(news)));
    }
}

pub(crate) struct Wires {
    bell: Bell,
    receiver: Receiver<Input>,
    woken: UnixStream,
}

impl Wires {
    pub(crate) fn new() -> Result<Self, Failure> {
        let (sender, receiver) = channel();
        let (wake, woken) = UnixStream::pair().map_err(deaf)?;
        wake.set_nonblocking(true).map_err(deaf)?;
        woken.set_nonblocking(true).map_err(deaf)?;
        Ok(Self { bell: Bell { sender, wake: Arc::new(wake) }, receiver, woken })
    }

    pub(crate) fn bell(&self) -> Bell {
        self.bell.clone()
    }

    pub(crate) fn next(&self) -> Option<Input> {
        self.receiver.try_recv().ok()
    }

    /// Until something rings, keys come, or this time is over.
    pub(crate) fn wait(
        &self,
        keys: Option<BorrowedFd<'_>>,
        most: Option<Duration>,
    ) -> io::Result<()> {
        let mut fds = vec![PollFd::new(&self.woken, PollFlags::IN)];
        fds.extend(keys.map(|keys| PollFd::from_borrowed_fd(keys, PollFlags::IN)));
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        match poll(&mut fds, most.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut rung = [0; 64];
        while (&self.woken).read(&mut rung).is_ok_and(|many| many > 0) {}
        Ok(())
    }

    /// From here on Ctrl-C, Ctrl-Z and a request to end are told instead of acting.
    pub(crate) fn listen_for_signals(&self) -> Result<(), Failure> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(deaf)?;
        let bell = self.bell();
        let signals = runtime.block_on(async {
            let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            let [interrupt, terminate, hangup] = kinds.map(signal);
            let quit = signal(SignalKind::quit())?;
            let stop = signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?;
            io::Result::Ok((interrupt?, terminate?, hangup?, quit, stop))
        });
        let (mut interrupt, mut terminate, mut hangup, mut quit, mut stop) =
            signals.map_err(deaf)?;
        std::thread::spawn(move || {
            runtime.block_on(async {
                loop {
                    tokio::select! {
                        _ = interrupt.recv() => bell.ring(Input::Interrupted),
                        _ = terminate.recv() => bell.end(),
                        _ = hangup.recv() => bell.end(),
                        _ = quit.recv() => bell.end(),
                        _ = stop.recv() => bell.suspend(),
                    }
                }
            });
        });
        Ok(())
    }
}

/// Stops like any other program that Ctrl-Z was meant for; goes on when it is called back.
pub(super) fn stop() {
    // It cannot be refused; if it were, we would simply go on.
    let _refused = kill_process(getpid(), Signal::STOP);
}

fn deaf(error: io::Error) -> Failure {
    Failure::new(format!("nothing could be listened to: {error}"), "try again")
}
