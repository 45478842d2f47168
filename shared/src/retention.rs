//! How long the originals of videos are kept.

use std::fmt;
use std::str::FromStr;

/// A century; more is `keep`.
const MOST_DAYS: u32 = 36_500;

/// Written as `keep`, `delete_after_ready`, or as a number of days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceRetention {
    #[default]
    Keep,
    /// The original is deleted as soon as its video is ready.
    DeleteAfterReady,
    /// This many days after its video became ready.
    Days(u32),
}

impl FromStr for SourceRetention {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "keep" => Ok(Self::Keep),
            "delete_after_ready" => Ok(Self::DeleteAfterReady),
            // Digits alone: `+5` and `007` would be other ways to write the same.
            _ => match text.parse() {
                Ok(days) if (1..=MOST_DAYS).contains(&days) && days.to_string() == text => {
                    Ok(Self::Days(days))
                }
                _ => Err(format!(
                    "`{text}` is not keep, delete_after_ready or a number of days from 1 to {MOST_DAYS}"
                )),
            },
        }
    }
}

impl fmt::Display for SourceRetention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keep => f.write_str("keep"),
            Self::DeleteAfterReady => f.write_str("delete_after_ready"),
            Self::Days(days) => write!(f, "{days}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_reads_as_it_is_written() {
        for text in ["keep", "delete_after_ready", "1", "36500"] {
            assert_eq!(text.parse::<SourceRetention>().map(|kept| kept.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "Keep", "0", "+1", "01", "-1", "36501", "1.0", "99999999999", "delete"] {
            assert!(text.parse::<SourceRetention>().is_err(), "{text}");
        }
    }
}
