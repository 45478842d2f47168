//! axum's extractors, with our problem documents for their rejections.

use std::ops::RangeInclusive;

use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use framefarm_shared::queue::PriorityName;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use utoipa::openapi::schema::{Object, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::error::{ApiError, Result};
use crate::responses::page::{MOST_ITEMS, USUAL_ITEMS};

/// A JSON object as the body. serde would also take an array with the fields in order; nobody means that.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let axum::Json(raw) = axum::Json::<Box<RawValue>>::from_request(request, state).await?;
        if !raw.get().starts_with('{') {
            return Err(ApiError::unprocessable("bad_field", "The body must be a JSON object."));
        }
        let axum::Json(value) = axum::Json::from_bytes(raw.get().as_bytes())?;
        Ok(Self(value))
    }
}

impl<T: serde::Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(ApiError))]
pub struct Path<T>(pub T);

#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(ApiError))]
pub struct Query<T>(pub T);

macro_rules! problems {
    ($($rejection:ty => $code:literal),+ $(,)?) => {$(
        impl From<$rejection> for ApiError {
            fn from(rejection: $rejection) -> Self {
                Self::new(rejection.status(), $code, rejection.body_text())
            }
        }
    )+};
}

problems! {
    axum::extract::rejection::PathRejection => "bad_path",
    axum::extract::rejection::QueryRejection => "bad_query",
    axum::extract::multipart::MultipartRejection => "bad_form",
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        let code = match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => "too_large",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "not_json",
            StatusCode::UNPROCESSABLE_ENTITY => "bad_field",
            _ => "bad_json",
        };
        Self::new(rejection.status(), code, rejection.body_text())
    }
}

/// The page size of a list.
pub(super) fn limit(given: Option<u16>) -> Result<u16> {
    let limit = given.unwrap_or(USUAL_ITEMS);
    if (1..=MOST_ITEMS).contains(&limit) {
        return Ok(limit);
    }
    Err(ApiError::bad_request("bad_limit", format!("`limit` must be from 1 to {MOST_ITEMS}.")))
}

/// For a field of a change, where null means something: absent is `None`, null is `Some(None)`.
#[expect(clippy::option_option, reason = "absent, null and a value are three things")]
pub(super) fn present<'de, T, D>(deserializer: D) -> std::result::Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// A whole number, however it is written: `5` and `5.0` are the same in JSON.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Whole(pub(super) i32);

impl TryFrom<f64> for Whole {
    type Error = String;

    fn try_from(number: f64) -> std::result::Result<Self, String> {
        #[expect(clippy::cast_possible_truncation, reason = "compared with what it came from")]
        let whole = number as i32;
        #[expect(clippy::float_cmp, reason = "every i32 is exact as f64")]
        let exact = f64::from(whole) == number;
        if exact { Ok(Self(whole)) } else { Err(format!("{number} is not a 32-bit integer")) }
    }
}

/// A priority by name or by number.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Priority {
    Name(PriorityName),
    Number(Whole),
}

const PRIORITIES: RangeInclusive<i32> = -1000..=1000;

impl Priority {
    pub(super) fn value(self) -> Result<i32> {
        match self {
            Self::Name(name) => Ok(name.value()),
            Self::Number(Whole(number)) if PRIORITIES.contains(&number) => Ok(number),
            Self::Number(_) => {
                let detail = "`priority` must be high, normal, low or a number from -1000 to 1000.";
                Err(ApiError::bad_request("bad_priority", detail))
            }
        }
    }
}

impl PartialSchema for Priority {
    fn schema() -> RefOr<Schema> {
        let number: Object = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(*PRIORITIES.start()))
            .maximum(Some(*PRIORITIES.end()))
            .build();
        RefOr::T(Schema::OneOf(OneOfBuilder::new().item(PriorityName::schema()).item(number).build()))
    }
}

impl ToSchema for Priority {}
