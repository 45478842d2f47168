//! Whose an upload is, and how much one may have begun.

use framefarm_shared::id::UploadId;

use super::space::in_words;
use crate::app::App;
use crate::db::{Tx, uploads};
use crate::error::{ApiError, Result};

/// Who uploads.
#[derive(Clone, Debug)]
pub struct Owner {
    /// Stable, unlike the name of a token.
    pub id: String,
    /// May go on with everybody's uploads and drop them.
    pub is_admin: bool,
}

/// An upload is continued and dropped by who began it, or by an admin. Of one that an earlier version began nobody knows
/// whose it is.
pub async fn check_owner(app: &App, id: UploadId, owner: &Owner) -> Result<()> {
    let row = uploads::get(&app.db, id).await?;
    let whose = row.and_then(|row| row.owner);
    if owner.is_admin || whose.is_none_or(|whose| whose == owner.id) {
        return Ok(());
    }
    let detail = "This is another user's upload; only its owner or an admin can continue or delete it.";
    Err(ApiError::forbidden("not_your_upload", detail))
}

/// Refuses one more upload of this length to somebody who has begun too much.
pub(super) async fn check_limits(app: &App, tx: &mut Tx, owner: &Owner, length: u64) -> Result<()> {
    let limits = &app.settings.upload_limits;
    let (open, reserved) = uploads::open_of(tx, &owner.id, app.clock.now()).await?;
    if open >= i64::from(limits.max_open_uploads) {
        let detail = format!(
            "You have {open} unfinished uploads, the maximum of this server (setting max_open_uploads). \
             Finish or delete some of them."
        );
        return Err(ApiError::too_many("too_many_uploads", detail));
    }
    let reserved = reserved.max(0).unsigned_abs();
    if reserved.saturating_add(length) > limits.max_reserved_upload_bytes {
        let detail = format!(
            "Your unfinished uploads still reserve {}; with this one they would exceed the {} that this \
             server allows per user (setting max_reserved_upload_bytes). Finish or delete some of them.",
            in_words(reserved),
            in_words(limits.max_reserved_upload_bytes),
        );
        return Err(ApiError::too_many("too_much_reserved", detail));
    }
    Ok(())
}
