//! Why work failed, and what happens next.

use chrono::Duration;

use crate::queue::RetryMode;
use crate::text_enum::text_enum;

text_enum! {
    /// The class of a failure; it decides whether a retry can help.
    ErrorClass {
        /// The source is missing.
        InputMissing = "input_missing",
        /// No permission to read the source.
        InputDenied = "input_denied",
        /// The source cannot be decoded.
        InputInvalid = "input_invalid",
        /// The encoder or GPU failed: retried once, then on the CPU.
        Encoder = "encoder",
        /// All encoder sessions are in use: not counted as a failure, retried soon.
        GpuBusy = "gpu_busy",
        /// A network transfer failed.
        Transfer = "transfer",
        /// A storage operation failed.
        Storage = "storage",
        /// No progress for too long.
        Timeout = "timeout",
        /// An internal error of Framefarm.
        Internal = "internal",
        /// Lost with its worker too often.
        Poison = "poison",
    }
}

impl ErrorClass {
    /// A retry cannot help.
    pub const fn is_permanent(self) -> bool {
        matches!(self, Self::InputMissing | Self::InputDenied | Self::InputInvalid | Self::Poison)
    }

    /// Does not count as a failure of the job.
    pub const fn is_free(self) -> bool {
        matches!(self, Self::GpuBusy)
    }
}

/// What happens to a job after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Back to the queue, due after this long.
    RetryAfter(Duration),
    /// Failed permanently.
    GiveUp,
}

/// The retry budget of a job at the moment it failed.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub mode: RetryMode,
    /// Failures counted before this one.
    pub failures: i32,
    pub max_attempts: i32,
}

/// A number from 0 to 1 that differs from claim to claim and is the same whenever it is asked for, so that a
/// failure replays exactly.
pub fn jitter_of(job_number: i64, fence: i64) -> f64 {
    let mut bits = job_number.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ fence.unsigned_abs();
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    #[expect(clippy::cast_precision_loss, reason = "32 bits fit in f64")]
    let fraction = (bits >> 32) as f64 / f64::from(u32::MAX);
    fraction
}

const FIRST_BACKOFF: Duration = Duration::seconds(30);
const LONGEST_BACKOFF: Duration = Duration::hours(1);

/// Decides about a failure. `jitter` is a random number from 0 to 1 and moves the backoff by up to ±25 %.
pub fn judge(class: ErrorClass, budget: Budget, jitter: f64) -> Verdict {
    if class.is_free() {
        return Verdict::RetryAfter(with_jitter(FIRST_BACKOFF, jitter));
    }
    if class.is_permanent() || budget.mode == RetryMode::Manual || budget.failures + 1 >= budget.max_attempts
    {
        return Verdict::GiveUp;
    }
    Verdict::RetryAfter(with_jitter(backoff(budget.failures), jitter))
}

/// `30 s × 2^failures`, at most an hour.
fn backoff(failures: i32) -> Duration {
    let doublings = failures.clamp(0, 7);
    (FIRST_BACKOFF * (1 << doublings)).min(LONGEST_BACKOFF)
}

fn with_jitter(span: Duration, jitter: f64) -> Duration {
    let factor = 0.75 + 0.5 * jitter.clamp(0.0, 1.0);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "an hour fits in f64 milliseconds"
    )]
    Duration::milliseconds((span.num_milliseconds() as f64 * factor) as i64)
}

/// The longest error text that is kept with a job.
pub const ERROR_LIMIT: usize = 500;

/// The most bytes of an encoder's log that are passed on.
pub const LOG_LIMIT: usize = 4000;

/// What is kept of an encoder's log: its end, without zero bytes; `None` if nothing is in it.
pub fn log_text(text: &str) -> Option<String> {
    let text = text.trim_end();
    let mut start = text.len().saturating_sub(LOG_LIMIT);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let kept = text[start..].replace('\0', " ");
    (!kept.trim().is_empty()).then_some(kept)
}

/// What is kept of an error text: its beginning, without the zero bytes that PostgreSQL does not store and without
/// numbers that say nothing to a person.
pub fn error_text(text: &str) -> String {
    truncate(&without_os_numbers(text), ERROR_LIMIT).replace('\0', " ")
}

/// "No such file or directory", without the " (os error 2)" that the standard library adds.
pub fn without_os_numbers(text: &str) -> String {
    const MARK: &str = " (os error ";
    let mut pieces = text.split(MARK);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let after = piece.trim_start_matches(|c: char| c.is_ascii_digit());
        if let Some(rest) = after.strip_prefix(')').filter(|_| after.len() < piece.len()) {
            out.push_str(rest);
        } else {
            out.push_str(MARK);
            out.push_str(piece);
        }
    }
    out
}

/// Cuts `text` to at most `limit` bytes without splitting a character.
pub fn truncate(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn budget(failures: i32) -> Budget {
        Budget { mode: RetryMode::Auto, failures, max_attempts: 3 }
    }

    #[test]
    fn numbers_of_the_system_are_left_out_of_texts() {
        let missing = std::io::Error::from_raw_os_error(2);
        assert_eq!(error_text(&format!("/a: {missing}; again")), "/a: No such file or directory; again");
        for kept in ["a (os error x)", "(os error 2)", " (os error )", "a (os error 2"] {
            assert_eq!(without_os_numbers(kept), kept);
        }
    }

    #[test]
    fn three_attempts_are_exactly_three_failing_runs() {
        assert!(matches!(judge(ErrorClass::Transfer, budget(0), 0.5), Verdict::RetryAfter(_)));
        assert!(matches!(judge(ErrorClass::Transfer, budget(1), 0.5), Verdict::RetryAfter(_)));
        assert_eq!(judge(ErrorClass::Transfer, budget(2), 0.5), Verdict::GiveUp);
    }

    #[test]
    fn input_errors_are_never_retried() {
        for class in [ErrorClass::InputMissing, ErrorClass::InputDenied, ErrorClass::InputInvalid] {
            assert_eq!(judge(class, budget(0), 0.5), Verdict::GiveUp);
        }
    }

    #[test]
    fn backoff_doubles_from_thirty_seconds() {
        let mut patient = budget(0);
        patient.max_attempts = 99;
        for (failures, seconds) in [(0, 30), (1, 60), (2, 120), (6, 1920), (50, 3600)] {
            patient.failures = failures;
            let expected = Verdict::RetryAfter(Duration::seconds(seconds));
            assert_eq!(judge(ErrorClass::Storage, patient, 0.5), expected);
        }
    }

    #[test]
    fn jitter_spreads_the_jobs_of_one_bad_moment() {
        let values: Vec<f64> = (1..=1000).map(|number| jitter_of(number, 1)).collect();
        assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
        for quarter in [0.0, 0.25, 0.5, 0.75] {
            let inside = values.iter().filter(|value| **value >= quarter && **value < quarter + 0.25).count();
            assert!((180..=320).contains(&inside), "{inside} from {quarter}");
        }
    }

    #[test]
    fn manual_mode_waits_for_a_person() {
        let manual = Budget { mode: RetryMode::Manual, ..budget(0) };
        assert_eq!(judge(ErrorClass::Transfer, manual, 0.5), Verdict::GiveUp);
    }

    #[test]
    fn a_busy_gpu_costs_nothing_however_often() {
        assert!(matches!(judge(ErrorClass::GpuBusy, budget(2), 0.5), Verdict::RetryAfter(_)));
    }

    #[test]
    fn zero_bytes_are_not_kept() {
        assert_eq!(error_text("frame \0 of \0"), "frame   of  ");
    }

    #[test]
    fn of_a_log_its_end_is_kept() {
        assert_eq!(log_text(" \n"), None);
        assert_eq!(log_text("one\ntwo\0\n").as_deref(), Some("one\ntwo "));
        let kept = log_text(&format!("{}end", "ü".repeat(LOG_LIMIT))).unwrap_or_default();
        assert!(kept.len() <= LOG_LIMIT && kept.ends_with("üend"));
    }

    proptest! {
        #[test]
        fn jitter_stays_within_a_quarter(jitter in 0.0f64..=1.0) {
            let Verdict::RetryAfter(span) = judge(ErrorClass::Transfer, budget(0), jitter) else {
                return Err(TestCaseError::fail("gave up"));
            };
            prop_assert!(span >= Duration::milliseconds(22_500) && span <= Duration::milliseconds(37_500));
        }

        #[test]
        fn truncation_keeps_valid_text(text in "\\PC{0,40}", limit in 0usize..60) {
            let cut = truncate(&text, limit);
            prop_assert!(cut.len() <= limit.max(text.len().min(limit)));
            prop_assert!(text.starts_with(cut));
        }
    }
}
