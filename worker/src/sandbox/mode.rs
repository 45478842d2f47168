//! `FRAMEFARM_SANDBOX`: what a missing layer means.

use std::env;

use super::{Raised, Refused};

pub const MODE_VARIABLE: &str = "FRAMEFARM_SANDBOX";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A missing layer ends the child.
    Required,
    /// A missing layer is reported, and the others are enforced.
    #[default]
    BestEffort,
    /// No layers, to find out whether one of them is the problem.
    Off,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::BestEffort => "best-effort",
            Self::Off => "off",
        }
    }

    /// Any other word is refused: a typo must not turn the sandbox off.
    pub fn from_env() -> Result<Self, Refused> {
        env::var_os(MODE_VARIABLE)
            .map_or_else(|| Ok(Self::default()), |word| Self::parse(&word.to_string_lossy()))
    }

    fn parse(word: &str) -> Result<Self, Refused> {
        match word {
            "required" => Ok(Self::Required),
            "best-effort" | "" => Ok(Self::BestEffort),
            "off" => Ok(Self::Off),
            _ => Err(Refused::UnknownMode(word.to_owned())),
        }
    }

    pub(super) fn judge(self, raised: Raised) -> Result<Raised, Refused> {
        if self == Self::Required && !raised.is_complete() {
            return Err(Refused::Missing(raised));
        }
        Ok(raised)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cause, Layer, MissingLayer, State};
    use super::*;

    fn without_files() -> Raised {
        let missing = State::Missing(MissingLayer::new(Cause::Forbidden, "this kernel has none"));
        Raised([(Layer::Limits, State::Up), (Layer::Files, missing)].into())
    }

    #[test]
    fn a_missing_layer_ends_the_child_only_where_all_are_required() {
        assert!(Mode::BestEffort.judge(without_files()).is_ok());
        let refused = Mode::Required.judge(without_files()).unwrap_err().to_string();
        assert!(
            refused.contains("layers are missing: filesystem (this kernel has none). What to do: "),
            "{refused}"
        );
        assert!(refused.contains("landlock_restrict_self") && refused.contains("best-effort"), "{refused}");
        assert!(Mode::Required.judge(Raised([(Layer::Limits, State::Up)].into())).is_ok());
    }

    #[test]
    fn a_typo_does_not_turn_the_sandbox_off() {
        assert!(Mode::parse("none").unwrap_err().to_string().contains("required, best-effort, off"));
        assert_eq!(Mode::parse("").unwrap(), Mode::BestEffort);
    }
}
