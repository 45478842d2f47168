//! The bytes of a part arrive: into a directory of their own, hashed on the way, then verified and counted.

use std::fmt::Display;
use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use framefarm_shared::wire::worker_api::PartReply;
use futures::Stream;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt as _;

use super::deliver::{self, Delivery};
use crate::app::App;
use crate::error::{ApiError, Result};
use crate::uploads::incoming;

/// Takes a part from its first byte to its place in the generation. A worker that does not hold the job is refused
/// before its body is read. `announced` is how long the body is said to be.
pub async fn take<S, E>(
    app: &App,
    delivery: &Delivery,
    sha256: [u8; 32],
    announced: Option<u64>,
    mut body: S,
) -> Result<PartReply>
where
    S: Stream<Item = std::result::Result<Bytes, E>> + Unpin,
    E: Display,
{
    let began = Instant::now();
    let expected = deliver::expect(app, delivery).await?;
    let most = announced.unwrap_or(u64::MAX).min(app.settings.max_part_bytes);
    let _room = app.staging.room(delivery.worker, most).await?;
    let dir = tempfile::TempDir::new_in(app.scratch())?;
    let archive = dir.path().join("part.tar.gz");
    if save(&archive, &mut body, most, too_large).await? != sha256 {
        let detail = "The bytes do not match Repr-Digest; send the part again.";
        return Err(ApiError::bad_request("digest_mismatch", detail));
    }
    let unpacked = dir.path().join("unpacked");
    tokio::fs::create_dir(&unpacked).await?;
    let part = deliver::verify(app, archive, &unpacked, &expected).await?;
    let reply = deliver::accept(app, delivery, &expected, &part).await?;
    app.metrics.deliveries.delivered(part.segments.len(), began.elapsed());
    Ok(reply)
}

pub fn too_large(most: u64) -> ApiError {
    let detail =
        format!("The part exceeds the limit of {most} bytes (max_part_bytes); send fewer segments per part.");
    ApiError::too_large("part_too_large", detail)
}

/// Writes a body to a new file; gives back its digest.
pub(super) async fn save<S, E>(
    path: &Path,
    body: &mut S,
    most: u64,
    too_large: fn(u64) -> ApiError,
) -> Result<[u8; 32]>
where
    S: Stream<Item = std::result::Result<Bytes, E>> + Unpin,
    E: Display,
{
    let mut file = tokio::io::BufWriter::with_capacity(512 * 1024, tokio::fs::File::create(path).await?);
    let mut hash = Sha256::new();
    let mut size = 0;
    while let Some(bytes) = incoming::next(body).await? {
        size += bytes.len() as u64;
        if size > most {
            return Err(too_large(most));
        }
        hash.update(&bytes);
        file.write_all(&bytes).await?;
    }
    file.flush().await?;
    Ok(hash.finalize().into())
}
