//! ffmpeg's own words, fit for a sentence of ours.

/// Without the addresses in front of its lines, and on one line.
pub(crate) fn cleaned(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once("] ") {
        Some((address, words)) if address.starts_with('[') => words.trim(),
        _ => line.trim(),
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}
