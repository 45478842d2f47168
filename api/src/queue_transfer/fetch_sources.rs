//! The sources of a list go the way of everything that the farm fetches by itself.

use super::list::{Parsed, Place, Row};
use super::report::{Imported, Outcome};
use crate::app::App;
use crate::db::uploads::UploadRequest;
use crate::error::Result;
use crate::intake::queue::{self, Origin, Taken, Wanted};

/// Of a dry run only the form of the rows is told: no folder is looked into, and no server is asked.
pub async fn fetch_sources(app: &App, rows: Vec<Parsed>, actor: &str, dry_run: bool) -> Result<Imported> {
    let mut done = Imported::new(dry_run);
    let (mut lines, mut wanted) = (Vec::new(), Vec::new());
    for row in rows {
        match row {
            Err(refused) => done.left(refused.line, None, Outcome::Refused, refused.reason, refused.detail),
            Ok(row) if dry_run => done.took(row.line, None),
            Ok(row) => {
                lines.push(row.line);
                wanted.push(Ok(request(row)));
            }
        }
    }
    for (line, taken) in lines.into_iter().zip(queue::add(app, wanted, actor).await?) {
        match taken {
            Taken::Accepted(id) => done.took(line, Some(id)),
            Taken::Duplicate(_) => {
                let detail = "The same file is already being imported.";
                done.left(line, None, Outcome::Duplicate, "same_source", detail);
            }
            Taken::Refused(error) => done.left(line, None, Outcome::Refused, error.code, error.detail),
        }
    }
    Ok(done.finished())
}

fn request(row: Row) -> Wanted {
    let from = match row.place {
        Place::Path(path) => Origin::Path(path),
        Place::Url(url) => Origin::Url(url),
    };
    let request = UploadRequest {
        title: row.title,
        collection: row.collection,
        priority: row.priority.unwrap_or(0),
        priority_named: row.priority.is_some(),
        ..UploadRequest::default()
    };
    Wanted { from, request }
}
