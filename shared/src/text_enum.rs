//! Closed sets that are stored and sent as short words.

/// An enum that is one lower-case word in JSON, in the database and in the OpenAPI document.
///
/// The words are written once, here, so that a row, a request and a diagram cannot disagree.
macro_rules! text_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$vmeta])* #[serde(rename = $text)] $variant),+
        }

        impl $name {
            /// Every value, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        #[cfg(feature = "db")]
        impl<D: sqlx::Database> sqlx::Type<D> for $name
        where
            str: sqlx::Type<D>,
        {
            fn type_info() -> D::TypeInfo {
                <str as sqlx::Type<D>>::type_info()
            }

            fn compatible(found: &D::TypeInfo) -> bool {
                <str as sqlx::Type<D>>::compatible(found)
            }
        }

        #[cfg(feature = "db")]
        impl<'q, D: sqlx::Database> sqlx::Encode<'q, D> for $name
        where
            &'q str: sqlx::Encode<'q, D>,
        {
            fn encode_by_ref(
                &self,
                buffer: &mut D::ArgumentBuffer,
            ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                <&'q str as sqlx::Encode<'q, D>>::encode(self.as_str(), buffer)
            }
        }

        #[cfg(feature = "db")]
        impl<'r, D: sqlx::Database> sqlx::Decode<'r, D> for $name
        where
            &'r str: sqlx::Decode<'r, D>,
        {
            fn decode(value: D::ValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                Ok(<&'r str as sqlx::Decode<'r, D>>::decode(value)?.parse()?)
            }
        }

        // utoipa's derive does not see a rename that comes out of a macro.
        #[cfg(feature = "openapi")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::Type::String)
                    .enum_values(Some([$($text),+]))
                    .into()
            }
        }

        #[cfg(feature = "openapi")]
        impl utoipa::ToSchema for $name {}

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    format!("`{text}` is not one of {}", known.join(", "))
                })
            }
        }
    };
}

pub(crate) use text_enum;
