//! Closed sets that are stored and sent as short words.

/// An enum that is one lower-case word in JSON, in the database and in the OpenAPI document.
///
/// The words are written once, here, so that a row, a request and a diagram cannot disagree.
macro_rules! text_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "db", derive(sqlx::Type))]
        #[cfg_attr(feature = "db", sqlx(type_name = "text"))]
        pub enum $name {
            $($(#[$vmeta])* #[serde(rename = $text)] #[cfg_attr(feature = "db", sqlx(rename = $text))] $variant),+
        }

        impl $name {
            /// Every value, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
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
