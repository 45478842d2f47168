//! The setting `public_url`.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

/// Scheme, host and port as browsers write them in `Origin`, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublicUrl(Option<String>);

impl PublicUrl {
    pub fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self(None));
        }
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(url) = url else { return Err("use a URL like https://farm.example.org".to_owned()) };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a public URL must not contain a user name or password".to_owned());
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err("Framefarm needs a host of its own: remove what follows the host and port".to_owned());
        }
        Ok(Self(Some(url.origin().ascii_serialization())))
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_as_browsers_write_it() {
        for (text, kept) in [
            ("https://Farm.example.org/", "https://farm.example.org"),
            (" https://farm.example.org:443 ", "https://farm.example.org"),
            ("http://192.0.2.1:8080", "http://192.0.2.1:8080"),
            ("http://[::1]:80/", "http://[::1]"),
            ("https://fünf.example", "https://xn--fnf-hoa.example"),
            ("", ""),
        ] {
            assert_eq!(text.parse::<PublicUrl>().unwrap().to_string(), kept);
        }
    }

    #[test]
    fn what_is_no_such_address_is_refused() {
        for text in [
            "farm.example.org",
            "ftp://farm.example.org",
            "https://",
            "https://me:secret@farm.example.org",
            "https://farm.example.org/below",
            "https://farm.example.org/?x",
            "https://farm.example.org/#x",
        ] {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
    }
}
