//! The input of the event loop at a terminal: daemon events, signals, and the end of the program.
//!
//! A pipe wakes the loop, because it also waits for keys in `poll`.

use countersign_console::{Failure, signal_failure};
use countersign_terminal::PromptEvent;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};
use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

pub(crate) enum Input {
    Event(Box<PromptEvent>),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-Z.
    Suspended,
    /// The window has another size.
    Resized,
    /// The program has to end.
    Ended,
}

/// Sends input to the event loop, from any thread.
#[derive(Clone)]
pub(crate) struct InputSender {
    sender: Sender<Input>,
    wake: Arc<UnixStream>,
}

impl InputSender {
    /// Returns the input if the loop has ended.
    fn send(&self, input: Input) -> Result<(), SendError<Input>> {
        self.sender.send(input)?;
        // A full pipe wakes the loop already.
        let _full = (&*self.wake).write(&[0]);
        Ok(())
    }

    pub(crate) fn send_event(&self, event: PromptEvent) {
        let _ended = self.send(Input::Event(Box::new(event)));
    }

    pub(crate) fn send_end(&self) {
        let _ended = self.send(Input::Ended);
    }

    fn send_resize(&self) {
        let _ended = self.send(Input::Resized);
    }

    fn send_interrupt(&self) {
        let _ended = self.send(Input::Interrupted);
    }

    /// After the loop has ended, Ctrl-Z stops the program as it does by default.
    fn send_suspend(&self) {
        if self.send(Input::Suspended).is_err() {
            stop_process();
        }
    }
}

pub(crate) struct InputQueue {
    sender: InputSender,
    receiver: Receiver<Input>,
    woken: UnixStream,
}

impl InputQueue {
    pub(crate) fn new() -> Result<Self, Failure> {
        let (sender, receiver) = channel();
        let (wake, woken) = UnixStream::pair().map_err(signal_failure)?;
        wake.set_nonblocking(true).map_err(signal_failure)?;
        woken.set_nonblocking(true).map_err(signal_failure)?;
        let sender = InputSender { sender, wake: Arc::new(wake) };
        Ok(Self { sender, receiver, woken })
    }

    pub(crate) fn sender(&self) -> InputSender {
        self.sender.clone()
    }

    pub(crate) fn next(&self) -> Option<Input> {
        self.receiver.try_recv().ok()
    }

    /// Waits for input, for keys or for the timeout.
    pub(crate) fn wait(
        &self,
        keys: Option<BorrowedFd<'_>>,
        timeout: Option<Duration>,
    ) -> io::Result<()> {
        let mut fds = vec![PollFd::new(&self.woken, PollFlags::IN)];
        fds.extend(keys.map(|keys| PollFd::from_borrowed_fd(keys, PollFlags::IN)));
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut buffer = [0; 64];
        while (&self.woken).read(&mut buffer).is_ok_and(|count| count > 0) {}
        Ok(())
    }

    /// From here on signals such as Ctrl-C and Ctrl-Z become input.
    pub(crate) fn listen_for_signals(&self) -> Result<(), Failure> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(signal_failure)?;
        let sender = self.sender();
        let signals = runtime.block_on(async {
            let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            let [interrupt, terminate, hangup] = kinds.map(signal);
            let quit = signal(SignalKind::quit())?;
            let stop = signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?;
            let resize = signal(SignalKind::window_change())?;
            io::Result::Ok((interrupt?, terminate?, hangup?, quit, stop, resize))
        });
        let (mut interrupt, mut terminate, mut hangup, mut quit, mut stop, mut resize) =
            signals.map_err(signal_failure)?;
        std::thread::spawn(move || {
            runtime.block_on(async {
                loop {
                    tokio::select! {
                        _ = interrupt.recv() => sender.send_interrupt(),
                        _ = terminate.recv() => sender.send_end(),
                        _ = hangup.recv() => sender.send_end(),
                        _ = quit.recv() => sender.send_end(),
                        _ = stop.recv() => sender.send_suspend(),
                        _ = resize.recv() => sender.send_resize(),
                    }
                }
            });
        });
        Ok(())
    }
}

/// Stops the process, as Ctrl-Z does by default, until the shell continues it.
pub(super) fn stop_process() {
    // The kernel does not refuse it.
    let _refused = kill_process(getpid(), Signal::STOP);
}
