//! Text from elsewhere, made safe to print: an encoder's words may quote a hostile file, and a title may be one.

use std::borrow::Cow;

/// Without what would move the cursor, ring the bell or turn the direction of what follows. Line breaks stay.
pub fn tame(text: &str) -> Cow<'_, str> {
    without(text, |c| (c.is_control() && c != '\n') || is_separator(c))
}

/// The same on one line: a line break would let a file's name write a log line of its own.
pub fn tame_line(text: &str) -> Cow<'_, str> {
    without(text, |c| c.is_control() || is_separator(c))
}

fn without(text: &str, is_space: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| is_space(c) || turns_direction(c)) {
        return Cow::Borrowed(text);
    }
    let kept = text.chars().filter(|c| !turns_direction(*c));
    Cow::Owned(kept.map(|c| if is_space(c) { ' ' } else { c }).collect())
}

fn is_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// Marks, embeddings, overrides and isolates of bidirectional text (Unicode Standard Annex 9).
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_cannot_steer_a_terminal() {
        assert_eq!(tame("a\x1b[31mb\rc\u{9b}2J\nd"), "a [31mb c 2J\nd");
        assert_eq!(tame("Größe שלום"), "Größe שלום");
        assert_eq!(tame_line("a\x1b[31mb\rc\u{9b}2J\nd"), "a [31mb c 2J d");
    }

    #[test]
    fn text_of_others_cannot_turn_the_direction_of_what_follows() {
        assert_eq!(tame("a\u{202e}4pm.exe\u{202c}b"), "a4pm.exeb");
        assert_eq!(tame("\u{2067}a\u{2069}\u{200f}\u{61c}\u{2028}b"), "a b");
        assert_eq!(tame_line("\u{2067}a\u{2069}\u{200f}\u{61c}\u{2028}b"), "a b");
    }
}
