//! How a waiting worker hears that something became claimable.
//!
//! A wake-up is a hint and never carries a job: whoever wakes asks the database. Losing one costs at most the
//! poll interval.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

#[derive(Clone, Debug, Default)]
pub struct Wakeups(Arc<Bell>);

#[derive(Debug, Default)]
struct Bell {
    notify: Arc<Notify>,
    waiting: AtomicUsize,
}

impl Wakeups {
    /// To be called after the commit of every change that makes a job claimable.
    pub fn job_claimable(&self) {
        self.0.notify.notify_waiters();
    }

    /// Registers at once, so that a wake-up between a look at the database and the wait is not lost.
    pub fn listen(&self) -> OwnedNotified {
        self.0.notify.clone().notified_owned()
    }

    /// Counts a claim that found nothing and waits, as long as the returned value lives.
    pub fn wait(&self) -> Waiting {
        self.0.waiting.fetch_add(1, Ordering::SeqCst);
        Waiting(self.0.clone())
    }

    /// How many claims wait on this API.
    pub fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::SeqCst)
    }
}

pub struct Waiting(Arc<Bell>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
