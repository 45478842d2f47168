//! Fields of log lines for people. A message or a field written with `%` may carry a file's name as it is.

use std::fmt;

use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};

use crate::untrusted_text::tame_line;

/// As usual, but tamed: every event stays one line, in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct TamedFields;

impl<'writer> FormatFields<'writer> for TamedFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut text = String::new();
        DefaultFields::new().format_fields(Writer::new(&mut text), fields)?;
        writer.write_str(&tame_line(&text))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_files_name_cannot_write_a_log_line_or_turn_one_around() {
        const NAME: &str = "a\u{202e}4pm.exe\u{2066}\nERROR forged\u{1b}[31m\r\u{200f}";
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt().fmt_fields(TamedFields).with_ansi(false).without_time();
        let log = log.with_writer(move || writer.clone()).finish();
        tracing::subscriber::with_default(log, || {
            let span = tracing::info_span!("upload", file = %NAME, later = tracing::field::Empty);
            let _inside = span.enter();
            span.record("later", tracing::field::display(NAME));
            tracing::info!(name = %NAME, size = 7, "read {NAME}");
            tracing::info!("Größe שלום");
        });
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 2, "{text:?}");
        assert!(
            !text.chars().any(|c| c != '\n' && tame_line(c.encode_utf8(&mut [0; 4])) != c.to_string()),
            "{text:?}"
        );
        assert_eq!(text.matches("a4pm.exe ERROR forged").count(), 6, "{text:?}");
        assert!(text.contains(" size=7") && text.ends_with("Größe שלום\n"), "{text:?}");
    }
}
