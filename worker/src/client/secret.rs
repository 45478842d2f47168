//! A key that no log line shows.

use std::fmt;

use anyhow::Context as _;
use reqwest::header::HeaderValue;

/// A key or password. `Debug` prints `***`.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    pub(super) fn header(&self, prefix: &str) -> anyhow::Result<HeaderValue> {
        let text = format!("{prefix}{}", self.0);
        let mut value = HeaderValue::try_from(text)
            .context("the secret contains characters that are not allowed in an HTTP header")?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
