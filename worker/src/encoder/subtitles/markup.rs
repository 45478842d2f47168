//! The text of a cue: italic, bold and underlined text stay so, everything else is text.

/// What WebVTT can say of a character, as ffmpeg's decoders tell it in the words of `SubStation` Alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Style {
    italic: bool,
    bold: bool,
    underline: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Italic,
    Bold,
    Underline,
}

impl Tag {
    const ALL: [Self; 3] = [Self::Bold, Self::Italic, Self::Underline];

    fn name(self) -> char {
        match self {
            Self::Italic => 'i',
            Self::Bold => 'b',
            Self::Underline => 'u',
        }
    }

    fn is_in(self, style: Style) -> bool {
        match self {
            Self::Italic => style.italic,
            Self::Bold => style.bold,
            Self::Underline => style.underline,
        }
    }
}

type Styled = Vec<(char, Style)>;

/// Text without markup.
pub(super) fn of_plain(text: &str) -> String {
    written(&text.chars().map(|c| (c, Style::default())).collect())
}

/// The last of the nine fields of an event, its `{\commands}` obeyed as far as WebVTT knows them.
pub(super) fn of_ass(event: &str) -> String {
    let mut rest = event.splitn(9, ',').nth(8).unwrap_or(event).chars();
    let mut text = Styled::new();
    let mut style = Style::default();
    let mut draws = false;
    while let Some(c) = rest.next() {
        let shown = match c {
            '{' => {
                let (commands, after) = rest.as_str().split_once('}').unwrap_or((rest.as_str(), ""));
                for command in commands.split('\\').skip(1) {
                    obey(command.trim(), &mut style, &mut draws);
                }
                rest = after.chars();
                continue;
            }
            '\\' => escape(&mut rest),
            c => c,
        };
        if !draws {
            text.push((shown, style));
        }
    }
    written(&text)
}

/// What follows a backslash outside of braces.
fn escape(rest: &mut std::str::Chars<'_>) -> char {
    let shown = match rest.clone().next() {
        Some('N' | 'n') => '\n',
        Some('h') => ' ',
        Some(c @ ('{' | '}' | '\\')) => c,
        _ => return '\\',
    };
    rest.next();
    shown
}

fn obey(command: &str, style: &mut Style, draws: &mut bool) {
    let number = |name: char| {
        let digits = command.strip_prefix(name)?;
        if digits.is_empty() { Some(0) } else { digits.parse::<u32>().ok() }
    };
    if let Some(italic) = number('i') {
        style.italic = italic > 0;
    } else if let Some(weight) = number('b') {
        // 1 is bold, and so is a weight as fonts have it; 400 is a normal one.
        style.bold = weight == 1 || weight >= 600;
    } else if let Some(underline) = number('u') {
        style.underline = underline > 0;
    } else if let Some(scale) = number('p') {
        *draws = scale > 0;
    } else if command.starts_with('r') {
        *style = Style::default();
    }
}

/// A cue ends at an empty line, and `-->` would begin another.
fn written(text: &Styled) -> String {
    let mut out = String::new();
    let mut open: Vec<Tag> = Vec::new();
    for line in text.split(|(c, _)| matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')) {
        let used = line.iter().rposition(|(c, _)| !c.is_whitespace()).map_or(0, |last| last + 1);
        if used == 0 {
            continue;
        }
        if !out.is_empty() {
            close(&mut out, &mut open, line[0].1);
            out.push('\n');
        }
        for (c, style) in &line[..used] {
            turn(&mut out, &mut open, *style);
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                c if c.is_control() && *c != '\t' => {}
                c => out.push(*c),
            }
        }
    }
    turn(&mut out, &mut open, Style::default());
    out
}

/// Closes and opens tags until exactly those of the style are open, one inside the other.
fn turn(out: &mut String, open: &mut Vec<Tag>, style: Style) {
    close(out, open, style);
    for tag in Tag::ALL {
        if tag.is_in(style) && !open.contains(&tag) {
            out.extend(['<', tag.name(), '>']);
            open.push(tag);
        }
    }
}

fn close(out: &mut String, open: &mut Vec<Tag>, style: Style) {
    let kept = open.iter().position(|tag| !tag.is_in(style)).unwrap_or(open.len());
    for tag in open.drain(kept..).rev() {
        out.extend(['<', '/', tag.name(), '>']);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ass(text: &str) -> String {
        of_ass(&format!("0,0,Default,,0,0,0,,{text}"))
    }

    #[test]
    fn italics_stay_and_signs_are_escaped() {
        assert_eq!(ass("{\\i1}Tom & Jerry{\\i0}\\N<-->, again"), "<i>Tom &amp; Jerry</i>\n&lt;--&gt;, again");
    }

    #[test]
    fn tags_that_cross_are_nested() {
        assert_eq!(ass("{\\i1}a{\\b1}b{\\i0}c{\\b0}d"), "<i>a<b>b</b></i><b>c</b>d");
        assert_eq!(ass("{\\u1\\b700}a{\\b400}b{\\r}c"), "<b><u>a</u></b><u>b</u>c");
    }

    #[test]
    fn a_tag_that_is_never_closed_ends_with_its_cue() {
        assert_eq!(ass("a {\\i1}b\\N\\Nc"), "a <i>b\nc</i>");
        assert_eq!(ass("a{\\i1}{\\i0}{\\i1}"), "a");
    }

    #[test]
    fn other_commands_and_drawings_are_not_shown() {
        assert_eq!(ass("{\\an8\\bord2\\blur1\\iclip(1,2,3,4)\\fs20\\c&HFFFFFF&}a{a comment}b"), "ab");
        assert_eq!(ass("{\\p1}m 0 0 l 100 0{\\p0}sign"), "sign");
    }

    #[test]
    fn escaped_braces_and_backslashes_are_shown() {
        assert_eq!(ass("\\{i\\} C:\\\\Nnew\\hx"), "{i} C:\\Nnew x");
        assert_eq!(ass("{never closed"), "");
    }

    #[test]
    fn empty_lines_and_control_characters_are_left_out() {
        assert_eq!(of_plain("a \r\n \r\n\u{1b}[31mb <i>\n"), "a\n[31mb &lt;i&gt;");
    }

    proptest! {
        #[test]
        fn whatever_the_text_tags_are_nested_and_a_cue_has_no_empty_line(
            pieces in proptest::collection::vec(
                prop_oneof![
                    Just("{\\i1}"), Just("{\\i0}"), Just("{\\b1}"), Just("{\\b0}"), Just("{\\u1}"), Just("{\\u0}"),
                    Just("{\\r}"), Just("\\N"), Just("a"), Just(" "), Just("-->"), Just("<b>"), Just("{"), Just("&"),
                ],
                0..40,
            ),
        ) {
            let cue = ass(&pieces.concat());
            prop_assert!(!cue.contains("-->") && !cue.split('\n').any(str::is_empty) || cue.is_empty());
            let mut open = Vec::new();
            for tag in cue.split('<').skip(1) {
                let (tag, _) = tag.split_once('>').unwrap();
                if let Some(name) = tag.strip_prefix('/') {
                    prop_assert_eq!(open.pop(), Some(name));
                } else {
                    prop_assert!(["i", "b", "u"].contains(&tag) && !open.contains(&tag));
                    open.push(tag);
                }
            }
            prop_assert!(open.is_empty());
        }
    }
}
