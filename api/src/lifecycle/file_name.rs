//! Names of files, as they are kept and shown. What a file is called is no reason to refuse it.

use framefarm_shared::untrusted_text::turns_direction;

/// As many characters as a name may have.
pub const LONGEST: usize = 1000;

/// On one line: control characters and line separators become spaces, and what would turn the direction of the text behind it
/// is left out. May be empty.
pub fn clean_file_name(name: &str) -> String {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let words = name.split(is_break).filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>().join(" ");
    let name: String = words.chars().filter(|c| !turns_direction(*c)).take(LONGEST).collect();
    name.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line() {
        let cases = [
            ("a\nb.mp4", "a b.mp4"),
            ("\u{1b}[31m\0\u{85}red.mp4\n", "[31m red.mp4"),
            ("two  spaces.mp4", "two  spaces.mp4"),
            ("\n\t", ""),
            ("holiday\u{202e}4pm.exe\u{2069}", "holiday4pm.exe"),
            ("Größe 日本.mov", "Größe 日本.mov"),
        ];
        for (given, kept) in cases {
            assert_eq!(clean_file_name(given), kept);
        }
        assert_eq!(clean_file_name(&"é".repeat(2000)).chars().count(), LONGEST);
    }
}
