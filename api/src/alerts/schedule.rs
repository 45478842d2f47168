//! What follows from how a try ended.

use chrono::{DateTime, Duration, Utc};
use framefarm_shared::alert::EndpointKind;

/// Between tries, in seconds: the standard's shape, scaled to what an alert is still worth after a day.
const WAITS: [i64; 8] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400];
/// Tries of what the receiver refuses: a mistake of ours or of its address, which may be mended meanwhile.
const TRIES_IF_REFUSED: i32 = 3;
/// Whatever happened, later than this nobody wants to hear of it.
pub const GIVE_UP_AFTER: Duration = Duration::hours(24);

/// Failures in a row that pause an endpoint.
const FAILURES: i32 = 5;
const FIRST_PAUSE: i64 = 30;
const LONGEST_PAUSE: i64 = 600;
/// What a receiver may ask for.
const LONGEST_WAIT: i64 = 3_600;
/// Discord's body has told milliseconds where it means seconds.
const LONGEST_WAIT_OF_DISCORD: i64 = 600;

/// How a try ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Delivered {
        code: u16,
    },
    /// It answered, and not well.
    Answered {
        code: u16,
        wait: Option<Duration>,
        words: String,
    },
    /// The SSRF guard refused it, or there is no connection, or no answer in time.
    Unanswered {
        words: String,
    },
}

impl Outcome {
    /// As it is counted.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Delivered { .. } => "delivered",
            Self::Answered { .. } => "refused",
            Self::Unanswered { .. } => "unanswered",
        }
    }
}

/// What becomes of the delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Delivered,
    TryAgain(Duration),
    GiveUp,
    /// The receiver is gone for good: so is the endpoint.
    Disable,
}

/// `tries` includes the one that just ended. `jitter` around 1 keeps many from coming back at once.
pub fn next(outcome: &Outcome, tries: i32, jitter: f64) -> Next {
    let planned = usize::try_from(tries - 1).ok().and_then(|index| WAITS.get(index)).copied();
    let later = |wait: Option<Duration>| match planned {
        Some(seconds) => Next::TryAgain(wait.unwrap_or_default().max(spread(seconds, jitter))),
        None => Next::GiveUp,
    };
    match outcome {
        Outcome::Delivered { .. } => Next::Delivered,
        Outcome::Answered { code: 410, .. } => Next::Disable,
        Outcome::Answered { code, wait, .. } if is_passing(*code) => later(*wait),
        Outcome::Answered { .. } if tries >= TRIES_IF_REFUSED => Next::GiveUp,
        Outcome::Answered { .. } | Outcome::Unanswered { .. } => later(None),
    }
}

/// Too early, too often, too slow, or a fault of the receiver: all of it may pass.
fn is_passing(code: u16) -> bool {
    matches!(code, 408 | 425 | 429 | 500..)
}

/// How long the whole endpoint is left alone: as long as it asks for, or longer with each failure in a row.
pub fn pause(outcome: &Outcome, failures: i32, jitter: f64) -> Option<Duration> {
    let asked = match outcome {
        Outcome::Answered { wait, .. } => *wait,
        _ => None,
    };
    let over = u32::try_from(failures - FAILURES).ok();
    let own = over.map(|over| {
        let seconds = FIRST_PAUSE.saturating_mul(2_i64.saturating_pow(over.min(10))).min(LONGEST_PAUSE);
        spread(seconds, jitter)
    });
    asked.max(own)
}

/// Whether a failure speaks against the receiver as a whole, and not against this message alone.
pub fn counts_against_endpoint(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Delivered { .. } => false,
        Outcome::Answered { code, .. } => *code != 429,
        Outcome::Unanswered { .. } => true,
    }
}

fn spread(seconds: i64, jitter: f64) -> Duration {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "at most some hours")]
    Duration::milliseconds((seconds as f64 * 1_000.0 * jitter).round() as i64)
}

/// `Retry-After` as seconds or as a date, within bounds; what cannot be read is not there.
pub fn retry_after(header: Option<&str>, now: DateTime<Utc>) -> Option<Duration> {
    let text = header?.trim();
    let seconds = match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => seconds,
        Ok(_) => return None,
        Err(_) => {
            let date = DateTime::<Utc>::from(httpdate::parse_http_date(text).ok()?);
            #[expect(clippy::cast_precision_loss, reason = "clamped to an hour below")]
            {
                (date - now).num_seconds() as f64
            }
        }
    };
    Some(clamped(seconds, LONGEST_WAIT))
}

/// What Discord tells in the body of a 429.
pub fn retry_after_of_discord(kind: EndpointKind, body: &[u8]) -> Option<Duration> {
    if kind != EndpointKind::Discord {
        return None;
    }
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    Some(clamped(body.get("retry_after")?.as_f64()?, LONGEST_WAIT_OF_DISCORD))
}

fn clamped(seconds: f64, most: i64) -> Duration {
    #[expect(clippy::cast_possible_truncation, reason = "a float too large becomes the largest number")]
    Duration::milliseconds(((seconds * 1_000.0).ceil() as i64).clamp(1_000, most * 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(code: u16) -> Outcome {
        Outcome::Answered { code, wait: None, words: String::new() }
    }

    #[test]
    fn what_may_pass_is_tried_nine_times_within_eight_hours() {
        for outcome in
            [answered(500), answered(503), answered(429), Outcome::Unanswered { words: String::new() }]
        {
            let waits: Vec<Next> = (1..=9).map(|tries| next(&outcome, tries, 1.0)).collect();
            let mut all = Duration::zero();
            for wait in &waits[..8] {
                let Next::TryAgain(wait) = wait else { panic!("{waits:?}") };
                all += *wait;
            }
            assert_eq!((all.num_seconds(), waits[8]), (27_755, Next::GiveUp));
        }
    }

    #[test]
    fn a_refusal_and_a_redirect_are_tried_three_times() {
        for code in [301, 302, 307, 400, 401, 403, 404, 405, 413, 422] {
            assert_eq!(next(&answered(code), 1, 1.0), Next::TryAgain(Duration::seconds(5)), "{code}");
            assert!(matches!(next(&answered(code), 2, 1.0), Next::TryAgain(_)), "{code}");
            assert_eq!(next(&answered(code), 3, 1.0), Next::GiveUp, "{code}");
        }
        assert_eq!(next(&answered(410), 1, 1.0), Next::Disable);
        assert_eq!(next(&Outcome::Delivered { code: 204 }, 1, 1.0), Next::Delivered);
    }

    #[test]
    fn a_receiver_may_ask_for_time_within_bounds() {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let date = httpdate::fmt_http_date((now + Duration::seconds(90)).into());
        for (header, seconds) in [
            ("7", Some(7)),
            ("0", Some(1)),
            ("-5", Some(1)),
            ("1e12", Some(3_600)),
            ("NaN", None),
            ("soon", None),
            (date.as_str(), Some(90)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(1)),
        ] {
            assert_eq!(retry_after(Some(header), now), seconds.map(Duration::seconds), "{header}");
        }
        let told = |body: &str| retry_after_of_discord(EndpointKind::Discord, body.as_bytes());
        assert_eq!(told(r#"{"retry_after": 1.337}"#), Some(Duration::milliseconds(1_337)));
        assert_eq!(told(r#"{"retry_after": 64993}"#), Some(Duration::seconds(600)));
        assert_eq!(told(r#"{"retry_after": "x"}"#), None);
        assert_eq!(retry_after_of_discord(EndpointKind::Generic, br#"{"retry_after": 2}"#), None);
        let asked = Outcome::Answered { code: 429, wait: Some(Duration::seconds(60)), words: String::new() };
        assert_eq!(next(&asked, 1, 1.0), Next::TryAgain(Duration::seconds(60)));
        assert_eq!(pause(&asked, 1, 1.0), Some(Duration::seconds(60)));
    }

    #[test]
    fn an_endpoint_that_fails_five_times_in_a_row_is_paused_for_longer_each_time() {
        let outcome = answered(500);
        let pauses: Vec<Option<i64>> =
            (1..=11).map(|failures| pause(&outcome, failures, 1.0).map(|wait| wait.num_seconds())).collect();
        assert_eq!(pauses[..4], [None; 4]);
        assert_eq!(pauses[4..], [Some(30), Some(60), Some(120), Some(240), Some(480), Some(600), Some(600)]);
    }
}
