//! Lists from other systems: files to import, one per row.

use framefarm_shared::queue::parse_priority;
use serde_json::Value;

pub use super::fetch_sources::fetch_sources;

use crate::error::{ApiError, Result};

/// Rows of one list.
pub const MOST_ROWS: usize = 10_000;

/// One row that can be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub line: u64,
    pub place: Place,
    pub title: Option<String>,
    pub collection: Option<String>,
    pub priority: Option<i32>,
}

/// Where its source is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Path(String),
    Url(String),
}

/// One row that cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub line: u64,
    pub reason: &'static str,
    pub detail: String,
}

pub type Parsed = std::result::Result<Row, Refused>;

/// The fields of a row as they are written; nothing where there is nothing.
#[derive(Default)]
struct Fields {
    path: Option<String>,
    url: Option<String>,
    title: Option<String>,
    collection: Option<String>,
    priority: Option<String>,
    status: Option<String>,
}

impl Fields {
    fn set(&mut self, name: &str, value: &str) {
        let field = match name {
            "path" => &mut self.path,
            "url" => &mut self.url,
            "title" => &mut self.title,
            "collection" => &mut self.collection,
            "priority" => &mut self.priority,
            "status" => &mut self.status,
            // Lists of others have columns of their own.
            _ => return,
        };
        let value = value.trim();
        *field = (!value.is_empty()).then(|| value.to_owned());
    }

    fn row(self, line: u64) -> Parsed {
        let refuse = |reason, detail: String| Err(Refused { line, reason, detail });
        let place = match (self.path, self.url) {
            (Some(path), None) => Place::Path(path),
            (None, Some(url)) => Place::Url(url),
            (None, None) => return refuse("no_source", "The row has neither a path nor a URL.".to_owned()),
            (Some(_), Some(_)) => {
                return refuse(
                    "two_sources",
                    "The row has both a path and a URL; keep one of them.".to_owned(),
                );
            }
        };
        if let Some(status) = self.status.as_deref().map(str::to_lowercase) {
            match status.as_str() {
                "pending" | "queued" | "waiting" | "new" |
                // Nobody here works on it; what failed there may work here.
                "running" | "processing" | "in_progress" | "failed" | "error" => {}
                "completed" | "complete" | "done" | "finished" | "success" | "cancelled" | "canceled" => {
                    return refuse(
                        "not_waiting",
                        format!("Its status is {status}; there is nothing to import."),
                    );
                }
                _ => {
                    return refuse(
                        "unknown_status",
                        format!("Unknown status {status:?}."),
                    );
                }
            }
        }
        let priority = match self.priority.as_deref().map(parse_priority).transpose() {
            Ok(priority) => priority,
            Err(detail) => return refuse("bad_priority", detail),
        };
        Ok(Row { line, place, title: self.title, collection: self.collection, priority })
    }
}

/// A file with a line of names. The separator is the one that this line has: a comma, a semicolon or a tab.
pub fn from_csv(bytes: &[u8]) -> Result<Vec<Parsed>> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let separator = [b',', b';', b'\t'].into_iter().find(|byte| head.contains(byte)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text);
    let bad =
        |error: csv::Error| ApiError::unprocessable("bad_list", format!("Cannot parse the list: {error}."));
    let names: Vec<String> =
        reader.headers().map_err(bad)?.iter().map(|name| name.trim().to_lowercase()).collect();
    if !names.iter().any(|name| name == "path" || name == "url") {
        let detail = "The first line must contain the column names, including `path` or `url`.";
        return Err(ApiError::unprocessable("bad_list", detail));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(bad)?;
        let line = record.position().map_or(0, |at| line_of(text, at));
        let mut fields = Fields::default();
        for (name, value) in names.iter().zip(&record) {
            fields.set(name, value);
        }
        rows.push(fields.row(line));
        check_length(rows.len())?;
    }
    Ok(rows)
}

/// The reader takes empty lines for the beginning of what comes after them.
fn line_of(text: &[u8], at: &csv::Position) -> u64 {
    let begun = usize::try_from(at.byte()).ok().and_then(|byte| text.get(byte..)).unwrap_or_default();
    let empty = begun.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).filter(|byte| **byte == b'\n');
    at.line() + empty.count() as u64
}

/// An array of objects.
pub fn from_json(items: Vec<Value>) -> Result<Vec<Parsed>> {
    check_length(items.len())?;
    let row = |(line, item): (u64, Value)| {
        let Value::Object(object) = item else {
            let detail = "The row is not a JSON object.".to_owned();
            return Err(Refused { line, reason: "bad_row", detail });
        };
        let mut fields = Fields::default();
        for (name, value) in object {
            match value {
                Value::Null => {}
                Value::String(text) => fields.set(&name, &text),
                Value::Number(number) => fields.set(&name, &number.to_string()),
                Value::Bool(_) | Value::Array(_) | Value::Object(_) => fields.set(&name, &value.to_string()),
            }
        }
        fields.row(line)
    };
    Ok((1..).zip(items).map(row).collect())
}

fn check_length(rows: usize) -> Result<()> {
    if rows <= MOST_ROWS {
        return Ok(());
    }
    let detail = format!("A list may have at most {MOST_ROWS} rows; send the rest in another request.");
    Err(ApiError::unprocessable("too_many_rows", detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reasons(rows: &[Parsed]) -> Vec<(u64, &str)> {
        rows.iter()
            .filter_map(|row| row.as_ref().err().map(|refused| (refused.line, refused.reason)))
            .collect()
    }

    #[test]
    fn a_csv_list_is_read_whatever_its_separator_and_its_other_columns() {
        for (name, separator) in [("comma", ","), ("semicolon", ";"), ("tab", "\t")] {
            let text = "\u{feff}Path,id,Title,PRIORITY,status\n/in/a.mp4,7,\"A \"\"video\"\"\",high,pending\n\n/in/b.mp4,8,,,\n";
            let rows = from_csv(text.replace(',', separator).as_bytes()).unwrap();
            let first = rows[0].as_ref().unwrap();
            assert_eq!((first.line, &first.place), (2, &Place::Path("/in/a.mp4".to_owned())), "{name}");
            assert_eq!((first.title.as_deref(), first.priority), (Some("A \"video\""), Some(100)), "{name}");
            let second = rows[1].as_ref().unwrap();
            assert_eq!((second.line, &second.title, second.priority), (4, &None, None), "{name}");
        }
    }

    #[test]
    fn a_row_that_cannot_be_taken_says_why_and_where_it_stands() {
        let text = "path,url,status,priority\n,,,\n/a,http://b/c,,\n/a,,done,\n/a,,asleep,\n/a,,running,urgent\n/a,,failed,7\n";
        let rows = from_csv(text.as_bytes()).unwrap();
        let expected = [
            (2, "no_source"),
            (3, "two_sources"),
            (4, "not_waiting"),
            (5, "unknown_status"),
            (6, "bad_priority"),
        ];
        assert_eq!(reasons(&rows), expected);
        assert_eq!(rows[5].as_ref().unwrap().priority, Some(7));
        let rows = from_json(vec![
            json!({ "url": "http://b/c", "priority": -5 }),
            json!(7),
            json!({ "path": ["x"] }),
        ]);
        let rows = rows.unwrap();
        assert_eq!(rows[0].as_ref().unwrap().priority, Some(-5));
        assert_eq!(reasons(&rows), [(2, "bad_row")]);
    }

    #[test]
    fn a_list_without_a_column_for_sources_or_with_too_many_rows_is_refused() {
        assert_eq!(from_csv(b"title,status\nx,pending\n").unwrap_err().code, "bad_list");
        assert_eq!(from_csv(b"").unwrap_err().code, "bad_list");
        assert_eq!(from_csv(b"path\n\xff\xfe\n").unwrap_err().code, "bad_list");
        let many = format!("path\n{}", "/a\n".repeat(MOST_ROWS + 1));
        assert_eq!(from_csv(many.as_bytes()).unwrap_err().code, "too_many_rows");
    }
}
