//! Typed identifiers: UUIDv7, so that they sort by the time they were made.

use uuid::{NoContext, Timestamp, Uuid};

use crate::clock::Clock;

macro_rules! id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "db", derive(sqlx_macros::Type), sqlx(transparent))]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        pub struct $name(pub Uuid);

        impl $name {
            pub fn new(clock: &Clock) -> Self {
                Self(uuid_at(clock))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

id!(/// An uploaded video.
    VideoId);
id!(/// A unit of leased work on a video.
    JobId);
id!(/// A registered worker.
    WorkerId);
id!(/// One start of a worker process; a new one proves that the old process is gone.
    BootId);
id!(/// A tus upload in progress.
    UploadId);
id!(/// An import of a file.
    IntakeId);
id!(/// An API token.
    TokenId);
id!(/// A named group of videos.
    CollectionId);
id!(/// An alert endpoint.
    EndpointId);
id!(/// One message to one endpoint.
    DeliveryId);

fn uuid_at(clock: &Clock) -> Uuid {
    let now = clock.now();
    let seconds = u64::try_from(now.timestamp()).unwrap_or(0);
    Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, now.timestamp_subsec_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_the_time_they_were_made() {
        let clock = Clock::manual(chrono::DateTime::UNIX_EPOCH + chrono::Duration::days(20_000));
        let first = JobId::new(&clock);
        clock.advance(chrono::Duration::milliseconds(1));
        assert!(first < JobId::new(&clock));
    }
}
