//! The URL of the collector.

use reqwest::Url;

/// The URL of an OTLP/HTTP endpoint, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtlpEndpoint(Option<Url>);

impl OtlpEndpoint {
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Where spans are posted.
    #[cfg(feature = "otlp")]
    pub(crate) fn url(&self) -> Option<Url> {
        let mut url = self.0.clone()?;
        let base = url.path().trim_end_matches('/');
        let path = if base.ends_with("/v1/traces") { base.to_owned() } else { format!("{base}/v1/traces") };
        url.set_path(&path);
        Some(url)
    }
}

impl std::fmt::Display for OtlpEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.as_ref().map_or(Ok(()), |url| url.fmt(f))
    }
}

impl std::str::FromStr for OtlpEndpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let wrong =
            || "use a URL like http://collector:4318, without user name, password or query".to_owned();
        let url = Url::parse(text).map_err(|error| format!("{error}; {}", wrong()))?;
        let plain = url.query().is_none() && url.fragment().is_none();
        let nameless = url.username().is_empty() && url.password().is_none();
        let fits = matches!(url.scheme(), "http" | "https") && url.has_host() && plain && nameless;
        fits.then_some(Self(Some(url))).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted_to(text: &str) -> String {
        text.parse::<OtlpEndpoint>().unwrap().url().unwrap().to_string()
    }

    #[test]
    fn the_standard_path_is_added_unless_it_is_there() {
        for text in ["http://collector:4318", "http://collector:4318/", "http://collector:4318/v1/traces"] {
            assert_eq!(posted_to(text), "http://collector:4318/v1/traces");
        }
        assert_eq!(posted_to("https://example.org/otlp/"), "https://example.org/otlp/v1/traces");
    }

    #[test]
    fn nothing_is_nowhere_and_what_is_no_address_is_refused_with_an_example() {
        assert!(!"".parse::<OtlpEndpoint>().unwrap().is_some());
        for text in
            ["collector", "collector:4318", "ftp://collector", "http://u:p@collector", "http://c/?a=b"]
        {
            let refused = text.parse::<OtlpEndpoint>().unwrap_err();
            assert!(refused.contains("http://collector:4318"), "{text}: {refused}");
        }
    }
}
