//! Whether there is room for an upload.

use crate::app::App;
use crate::db::uploads;
use crate::error::{ApiError, Result};
use crate::storage::Space;

pub fn check_size(app: &App, length: u64) -> Result<()> {
    if length > app.settings.max_upload_bytes { Err(too_large(app)) } else { Ok(()) }
}

pub(super) fn too_large(app: &App) -> ApiError {
    let most = in_words(app.settings.max_upload_bytes);
    let detail = format!(
        "The file is too large: this server accepts files of up to {most}. An administrator can raise the \
         limit (setting max_upload_bytes)."
    );
    ApiError::too_large("upload_too_large", detail)
}

/// Refuses what would not fit beside the reserve and the reservations of open uploads.
pub async fn check_free(app: &App, more: u64) -> Result<()> {
    // An object store is never full; what it costs is between its owner and the bill.
    let Some(Space { free, .. }) = app.storage.space()? else { return Ok(()) };
    let promised = uploads::outstanding_bytes(&app.db, app.clock.now()).await?.max(0).unsigned_abs();
    let reserve = app.settings.disk_reserve_bytes;
    if more.saturating_add(promised).saturating_add(reserve) <= free {
        return Ok(());
    }
    let detail = format!(
        "The server has no disk space for {}. It has {} free, of which {} are reserved for uploads in \
         progress and {} are always kept free (setting disk_reserve_bytes). Free up space, or wait for those \
         uploads.",
        in_words(more),
        in_words(free),
        in_words(promised),
        in_words(reserve),
    );
    Err(ApiError::disk_full(detail))
}

/// Refuses to go on filling this machine's own disk into the reserve.
pub fn check_scratch(app: &App) -> Result<()> {
    let (free, reserve) = (Space::of(&app.scratch())?.free, app.settings.disk_reserve_bytes);
    if free >= reserve {
        return Ok(());
    }
    let detail = format!(
        "The server has {} of disk space free, less than the {} that are always kept free (setting \
         disk_reserve_bytes). Free up space.",
        in_words(free),
        in_words(reserve),
    );
    Err(ApiError::disk_full(detail))
}

/// Refuses what a worker delivers while less than half of the reserve is left: a database that cannot write stops the
/// whole farm. Workers wait and try again.
pub fn check_room_for_delivery(app: &App) -> Result<()> {
    let least = app.settings.disk_reserve_bytes / 2;
    let free = app.storage.space()?.map_or(u64::MAX, |space| space.free).min(Space::of(&app.scratch())?.free);
    if free >= least {
        return Ok(());
    }
    let detail = format!(
        "The server has {} of disk space free; deliveries wait until {} are free (half of the setting \
         disk_reserve_bytes). Free up space.",
        in_words(free),
        in_words(least),
    );
    Err(ApiError::disk_full(detail).retry_after(30))
}

/// `1_500_000` → `1.5 MB`; powers of ten, as the page has them.
pub(super) fn in_words(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    // Tenths of the next smaller unit; integers, so that no size is rounded up to more than there is.
    let (mut tenths, mut unit) = (bytes / 100, 0);
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths /= 1000;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn sizes_read_as_people_say_them() {
        assert_eq!(in_words(999), "999 bytes");
        assert_eq!(in_words(1_599), "1.5 kB");
        assert_eq!(in_words(268_435_456), "268.4 MB");
        assert_eq!(in_words(999_999_999), "999.9 MB");
        assert_eq!(in_words(u64::MAX), "18.4 EB");
    }
}
