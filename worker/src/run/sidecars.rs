//! Images and subtitles, delivered when the segments are.

use framefarm_shared::extra_file::ImageName;

use super::error::AttemptError;
use super::job::Attempt;
use crate::client::{Backoff, CallError, retry};
use crate::encoder::protocol::{image_path, subtitle_path};

/// One file beside the qualities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sidecar {
    Image(ImageName),
    Subtitle(u32),
}

/// A video plays without them: what the farm refuses is left out with a warning.
pub(super) async fn deliver(attempt: &Attempt<'_>, sidecars: &[Sidecar]) -> Result<(), AttemptError> {
    let (client, hold, output) = (&attempt.supervisor.client, &attempt.hold, attempt.directory.output());
    for sidecar in sidecars {
        let sent = match sidecar {
            Sidecar::Image(name) => {
                let (name, path) = (name.to_string(), image_path(&output, &name.to_string()));
                let put = retry(Backoff::default(), || client.put_image(hold.job(), &name, &path));
                hold.unless_lost(put).await
            }
            Sidecar::Subtitle(track) => {
                let path = subtitle_path(&output, *track);
                let put = retry(Backoff::default(), || client.put_subtitle(hold.job(), *track, &path));
                hold.unless_lost(put).await
            }
        };
        match sent {
            Ok(sent) => hold.renewed(sent.sent_at, sent.reply.lease_seconds),
            Err(CallError::Refused { code, detail }) => {
                tracing::warn!(
                    ?sidecar,
                    code,
                    detail,
                    "the farm rejected an image or a subtitle track; continuing without it"
                );
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
