//! Lists come in pages; a cursor says where the next one begins.
//!
//! A cursor is the position of the last item, as hexadecimal digits of a fixed length: whatever has that form is a
//! place in the list, also after the item itself is gone.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::{ApiError, Result};

pub const MOST_ITEMS: u16 = 500;
pub const USUAL_ITEMS: u16 = 100;

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Send it as `cursor` to get the next page; null on the last page.
    #[schema(required)]
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// The page of rows that were asked for with [`rows_for`] this limit.
    pub(crate) fn cut<R>(
        mut rows: Vec<R>,
        limit: u16,
        cursor: impl Fn(&R) -> String,
        view: impl FnMut(R) -> T,
    ) -> Self {
        let more = rows.len() > usize::from(limit);
        rows.truncate(limit.into());
        let next_cursor = rows.last().filter(|_| more).map(cursor);
        Self { items: rows.into_iter().map(view).collect(), next_cursor }
    }

    pub(super) fn whole(items: Vec<T>) -> Self {
        Self { items, next_cursor: None }
    }
}

/// How many rows to read: one more tells whether there is a next page.
pub(crate) fn rows_for(limit: u16) -> i64 {
    i64::from(limit) + 1
}

pub(crate) fn number_cursor(number: i64) -> String {
    format!("{number:016x}")
}

pub(crate) fn parse_number(cursor: Option<&str>) -> Result<Option<i64>> {
    let Some(text) = cursor else { return Ok(None) };
    let bytes: [u8; 8] = bytes(text)?;
    Ok(Some(i64::from_be_bytes(bytes)))
}

pub(super) fn time_cursor(at: DateTime<Utc>, id: Uuid) -> String {
    format!("{:016x}{}", at.timestamp_micros(), id.simple())
}

pub(super) fn parse_time(cursor: Option<&str>) -> Result<Option<(DateTime<Utc>, Uuid)>> {
    /// The last microsecond of the year 9999; both databases can compare with it.
    const LAST: i64 = 253_402_300_799_999_999;
    let Some(text) = cursor else { return Ok(None) };
    let bytes: [u8; 24] = bytes(text)?;
    let (mut time, mut id) = ([0; 8], [0; 16]);
    time.copy_from_slice(&bytes[..8]);
    id.copy_from_slice(&bytes[8..]);
    let micros = i64::from_be_bytes(time).clamp(0, LAST);
    Ok(DateTime::from_timestamp_micros(micros).map(|at| (at, Uuid::from_bytes(id))))
}

fn bytes<const N: usize>(text: &str) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text.trim(), &mut bytes)
        .map_err(|_| ApiError::bad_request("bad_cursor", "`cursor` is not a cursor of this list."))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_as_they_went() {
        assert_eq!(parse_number(Some(&number_cursor(42))).unwrap(), Some(42));
        let (at, id) = (DateTime::from_timestamp_micros(1_234_567).unwrap(), Uuid::from_u128(7));
        assert_eq!(parse_time(Some(&time_cursor(at, id))).unwrap(), Some((at, id)));
    }

    #[test]
    fn a_strange_cursor_is_refused_and_a_far_one_is_a_place() {
        for text in ["", "xyz", "00000000000000000", "000000000000002g"] {
            assert_eq!(parse_number(Some(text)).unwrap_err().code, "bad_cursor");
        }
        assert!(parse_time(Some(&"f".repeat(48))).unwrap().is_some());
    }
}
