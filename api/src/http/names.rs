//! What people call things: a job by its number, a video by its slug. Ids do as well.

use framefarm_shared::id::{JobId, VideoId};
use serde::Deserialize;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// As large as a number of JavaScript is exact; no farm gets there.
const MOST: i64 = (1 << 53) - 1;

/// A job by its id or its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum JobName {
    Id(JobId),
    Number(i64),
}

impl TryFrom<String> for JobName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if let Ok(number) = text.parse() {
            return Ok(Self::Number(number));
        }
        text.parse().map(Self::Id).map_err(|_| format!("`{text}` is not a job number or id"))
    }
}

impl PartialSchema for JobName {
    fn schema() -> RefOr<Schema> {
        let number =
            ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(MOST)).build();
        RefOr::T(Schema::OneOf(OneOfBuilder::new().item(JobId::schema()).item(number).build()))
    }
}

impl ToSchema for JobName {}

/// A video by its id or its slug.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(super) enum VideoName {
    Id(VideoId),
    Slug(String),
}

impl From<String> for VideoName {
    fn from(text: String) -> Self {
        text.parse().map_or(Self::Slug(text), Self::Id)
    }
}

impl PartialSchema for VideoName {
    fn schema() -> RefOr<Schema> {
        let slug = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[0-9a-z-]+$")).build();
        RefOr::T(Schema::OneOf(OneOfBuilder::new().item(VideoId::schema()).item(slug).build()))
    }
}

impl ToSchema for VideoName {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_slugs_and_ids_are_told_apart() {
        let id = "0197a3c2-0000-7000-8000-000000000001";
        assert_eq!(JobName::try_from("12".to_owned()), Ok(JobName::Number(12)));
        assert!(matches!(JobName::try_from(id.to_owned()), Ok(JobName::Id(_))));
        assert!(JobName::try_from("twelve".to_owned()).is_err());
        assert!(matches!(VideoName::from(id.to_owned()), VideoName::Id(_)));
        assert_eq!(VideoName::from("holiday-1".to_owned()), VideoName::Slug("holiday-1".to_owned()));
    }
}
