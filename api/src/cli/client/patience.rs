//! Trying again, up to a point.

use std::time::Duration;

use tokio::time::sleep;

use super::CallError;

/// So many failures in a row are taken for a hiccup; the pauses between them double up to half a minute.
const TRIES: u32 = 10;
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How often it went wrong in a row.
#[derive(Default)]
pub(crate) struct Patience(u32);

impl Patience {
    pub(crate) fn renew(&mut self) {
        self.0 = 0;
    }

    /// Waits a little if trying again can help, and returns the error if not.
    pub(crate) async fn pause(&mut self, error: CallError) -> Result<(), CallError> {
        self.0 += 1;
        if !error.may_pass() || self.0 >= TRIES {
            return Err(error);
        }
        let pause = Duration::from_millis(250 << self.0).min(LONGEST_PAUSE);
        sleep(pause.mul_f64(rand::random_range(0.5..=1.0))).await;
        Ok(())
    }
}
