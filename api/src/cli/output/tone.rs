//! What a state means, as a colour. Only on a terminal, and never with `NO_COLOR`.

use comfy_table::Color;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Good,
    Busy,
    Warning,
    Bad,
    Faint,
}

impl Tone {
    /// Of a state of a video, job, quality, worker or GPU.
    pub(crate) fn of(state: &str) -> Self {
        match state {
            "ready" | "completed" | "idle" | "ok" | "delivered" => Self::Good,
            "running" | "processing" | "busy" | "claimed" | "in_progress" | "active" => Self::Busy,
            "expired" | "retrying" | "draining" | "yielding" | "degraded" | "paused" => Self::Warning,
            "failed" | "offline" | "quarantined" | "lost" | "unusable" | "firing" => Self::Bad,
            "cancelled" | "disabled" | "skipped" => Self::Faint,
            _ => Self::Plain,
        }
    }

    pub(super) fn colour(self) -> Option<Color> {
        match self {
            Self::Plain => None,
            Self::Good => Some(Color::Green),
            Self::Busy => Some(Color::Blue),
            Self::Warning => Some(Color::Yellow),
            Self::Bad => Some(Color::Red),
            Self::Faint => Some(Color::DarkGrey),
        }
    }
}

/// Text outside of a table.
pub(crate) fn toned(text: &str, tone: Tone) -> String {
    let styled = console::style(text);
    match tone {
        Tone::Plain => styled,
        Tone::Good => styled.green(),
        Tone::Busy => styled.blue(),
        Tone::Warning => styled.yellow(),
        Tone::Bad => styled.red(),
        Tone::Faint => styled.dim(),
    }
    .to_string()
}
