//! Times, sizes and shares as people say them. The page says them the same way (api/web/src/format).

use chrono::{DateTime, Utc};
use framefarm_shared::clock::wall_clock;

use crate::estimate::Eta;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3_600.0;
const DAY: f64 = 86_400.0;

/// A stretch of time: "20 s", "4 min", "1 h 20 min", "3 days".
pub(crate) fn span(seconds: f64) -> String {
    let seconds = seconds.max(0.0);
    if seconds < MINUTE - 0.5 {
        return format!("{seconds:.0} s");
    }
    if seconds < HOUR - 30.0 {
        return format!("{:.0} min", seconds / MINUTE);
    }
    if seconds < DAY - 30.0 {
        let minutes = (seconds / MINUTE).round();
        let (hours, rest) = ((minutes / 60.0).floor(), minutes % 60.0);
        return if rest == 0.0 { format!("{hours} h") } else { format!("{hours} h {rest} min") };
    }
    match (seconds / DAY).round() {
        1.0 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}

/// The time from one moment to another.
pub(crate) fn elapsed(from: DateTime<Utc>, to: DateTime<Utc>) -> String {
    span((to - from).as_seconds_f64())
}

/// How long something lasts already.
pub(crate) fn since(from: DateTime<Utc>) -> String {
    elapsed(from, wall_clock())
}

/// How long it takes until then.
pub(crate) fn until(then: DateTime<Utc>) -> String {
    elapsed(wall_clock(), then)
}

/// "4 min ago", "in 20 s", "just now".
pub(crate) fn ago(at: DateTime<Utc>) -> String {
    ago_from(at, wall_clock())
}

fn ago_from(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let seconds = (now - at).as_seconds_f64();
    if seconds.abs() < 5.0 {
        "just now".to_owned()
    } else if seconds < 0.0 {
        format!("in {}", span(-seconds))
    } else {
        format!("{} ago", span(seconds))
    }
}

/// The time of day, in UTC.
pub(crate) fn time(at: DateTime<Utc>) -> String {
    at.format("%H:%M:%S").to_string()
}

/// The length of a video: "0:07", "4:05", "1:02:03".
pub(crate) fn clock(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seconds of a video, never below 0"
    )]
    let whole = seconds.max(0.0) as u64;
    let (hours, minutes, rest) = (whole / 3600, whole % 3600 / 60, whole % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{rest:02}") } else { format!("{minutes}:{rest:02}") }
}

/// 1400000 → "1.4 MB".
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let mut value = bytes as f64;
    let mut unit = 0;
    while unit + 1 < UNITS.len() && value >= 999.5 {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && value < 9.95 && (value * 10.0).round() % 10.0 != 0.0);
    format!("{value:.digits$} {}", UNITS[unit])
}

/// 25, 29.97, 23.976: at most three digits after the point.
pub(crate) fn frame_rate(rate: f64) -> String {
    let text = format!("{rate:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Only what is done is at 100%.
pub(crate) fn percent(percent: f64) -> String {
    format!("{:.0}%", percent.clamp(0.0, 100.0).floor())
}

/// "1 job", "2 jobs".
pub(crate) fn count(number: i64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

struct Unit {
    from: f64,
    size: f64,
    name: &'static str,
    step: f64,
}

const UNITS: [Unit; 6] = [
    Unit { from: 2.0 * DAY, size: DAY, name: "days", step: 1.0 },
    Unit { from: 5.0 * HOUR, size: HOUR, name: "h", step: 1.0 },
    Unit { from: 90.0 * MINUTE, size: HOUR, name: "h", step: 0.5 },
    Unit { from: 10.0 * MINUTE, size: MINUTE, name: "min", step: 5.0 },
    Unit { from: 90.0, size: MINUTE, name: "min", step: 1.0 },
    Unit { from: 0.0, size: 1.0, name: "s", step: 10.0 },
];

/// "4–6 min", "about 20 s": a range in steps that fit its size, never a false precision.
pub(crate) fn eta(eta: &Eta) -> String {
    let passed = (wall_clock() - eta.at).as_seconds_f64().max(0.0);
    range(eta.low_seconds - passed, eta.high_seconds - passed)
}

fn range(low: f64, high: f64) -> String {
    let (low, high) = (low.min(high).max(0.0), low.max(high).max(0.0));
    if high < 10.0 {
        return "a few seconds".to_owned();
    }
    let [.., smallest] = &UNITS;
    let Unit { size, name, step, .. } = UNITS.iter().find(|unit| high >= unit.from).unwrap_or(smallest);
    let in_units = |seconds: f64| (seconds / size / step).round() * step;
    let (from, to) = (in_units(low), in_units(high).max(*step));
    // Both are multiples of the step.
    if (from - to).abs() < step / 2.0 {
        format!("about {to} {name}")
    } else if from < step / 2.0 {
        format!("up to {to} {name}")
    } else {
        format!("{from}–{to} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Duration;

    #[test]
    fn spans_are_short() {
        let cases = [
            (0.0, "0 s"),
            (20.2, "20 s"),
            (59.7, "1 min"),
            (240.0, "4 min"),
            (3_590.0, "1 h"),
            (4_800.0, "1 h 20 min"),
            (86_400.0, "1 day"),
            (260_000.0, "3 days"),
        ];
        for (seconds, words) in cases {
            assert_eq!(span(seconds), words);
        }
        assert_eq!(
            (clock(7.9), clock(245.0), clock(3723.0)),
            ("0:07".into(), "4:05".into(), "1:02:03".into())
        );
    }

    #[test]
    fn times_are_told_from_now() {
        let now = DateTime::UNIX_EPOCH;
        assert_eq!(ago_from(now - Duration::seconds(2), now), "just now");
        assert_eq!(ago_from(now - Duration::minutes(4), now), "4 min ago");
        assert_eq!(ago_from(now + Duration::seconds(20), now), "in 20 s");
    }

    #[test]
    fn sizes_have_two_digits() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1 kB"),
            (1449, "1.4 kB"),
            (9_960, "10 kB"),
            (999_600, "1 MB"),
            (1_400_000_000, "1.4 GB"),
            (52_000_000_000_000, "52 TB"),
        ];
        for (size, words) in cases {
            assert_eq!(bytes(size), words);
        }
    }

    #[test]
    fn frame_rates_have_no_digits_too_many() {
        let cases =
            [(25.0, "25"), (30_000.0 / 1001.0, "29.97"), (24_000.0 / 1001.0, "23.976"), (100.0, "100")];
        for (rate, words) in cases {
            assert_eq!(frame_rate(rate), words);
        }
    }

    #[test]
    fn estimates_are_honest_ranges() {
        let cases = [
            (0.0, 4.0, "a few seconds"),
            (18.0, 22.0, "about 20 s"),
            (20.0, 42.0, "20–40 s"),
            (240.0, 360.0, "4–6 min"),
            (10.0, 400.0, "up to 7 min"),
            (700.0, 1_500.0, "10–25 min"),
            (5_400.0, 9_000.0, "1.5–2.5 h"),
            (200_000.0, 300_000.0, "2–3 days"),
        ];
        for (low, high, words) in cases {
            assert_eq!(range(low, high), words);
        }
        assert_eq!(
            (percent(99.9), percent(100.0), percent(-1.0)),
            ("99%".into(), "100%".into(), "0%".into())
        );
        assert_eq!((count(1, "job"), count(0, "job")), ("1 job".into(), "0 jobs".into()));
    }
}
