//! Lists that come in pages, read as far as somebody wants to see.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{CallError, Farm};

/// The most that the API gives at once.
const MOST: usize = 500;

/// A page as the API gives it, or several of them as one.
#[derive(Serialize, Deserialize)]
pub(crate) struct Page<T = Box<RawValue>> {
    pub(crate) items: Vec<T>,
    pub(crate) next_cursor: Option<String>,
}

impl Page {
    /// What is shown of each item.
    pub(crate) fn read<T: for<'a> Deserialize<'a>>(&self) -> Result<Vec<T>, CallError> {
        let items: Result<_, serde_json::Error> =
            self.items.iter().map(|raw| serde_json::from_str(raw.get())).collect();
        items.map_err(|error| CallError::Strange(error.to_string()))
    }
}

/// The first `limit` items of a list.
pub(crate) async fn list(
    farm: &Farm,
    path: &str,
    asked: &[(&str, Option<String>)],
    limit: usize,
) -> Result<Page, CallError> {
    let mut all = Page { items: Vec::new(), next_cursor: None };
    loop {
        let wanted = (limit - all.items.len()).min(MOST);
        let mut asked = asked.to_vec();
        asked.extend([("limit", Some(wanted.to_string())), ("cursor", all.next_cursor.take())]);
        let page: Page = farm.get(&farm.asking(path, &asked)).await?.read()?;
        all.items.extend(page.items);
        all.next_cursor = page.next_cursor;
        if all.next_cursor.is_none() || all.items.len() >= limit {
            return Ok(all);
        }
    }
}
