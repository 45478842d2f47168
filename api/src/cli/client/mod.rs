//! The farm as a command sees it: its HTTP API, and nothing else.

mod connection;
mod error;
mod events;
mod names;
mod pages;
mod patience;

pub(crate) use connection::{Common, Connection};
pub(crate) use error::{CallError, answer};
pub(crate) use events::{Events, Heard, Message};
pub(crate) use names::{job, job_ids, video, worker};
pub(crate) use pages::list;
pub(crate) use patience::Patience;

use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Url};
use serde::de::DeserializeOwned;

use crate::auth::Scope;

/// A large file is hashed before its last byte is answered.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

pub(crate) struct Farm {
    http: Client,
    api: Url,
    /// What the command needs of its token.
    needs: Scope,
}

impl Farm {
    pub(crate) fn new(api: Url, token: &str, needs: Scope) -> anyhow::Result<Self> {
        let mut bearer = HeaderValue::try_from(format!("Bearer {token}"))
            .context("the token contains characters that are not allowed in an HTTP header")?;
        bearer.set_sensitive(true);
        let headers = HeaderMap::from_iter([(AUTHORIZATION, bearer)]);
        let http = Client::builder()
            .default_headers(headers)
            .connect_timeout(Duration::from_secs(10))
            .read_timeout(ANSWER_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { http, api, needs })
    }

    pub(crate) fn address(&self) -> &str {
        self.api.as_str().trim_end_matches('/')
    }

    /// An address of the farm, which may live below a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address())
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, self.url(path))
    }

    /// A path with what is asked for behind it; what is absent is left out.
    pub(crate) fn asking(&self, path: &str, asked: &[(&str, Option<String>)]) -> String {
        let mut url = self.api.clone();
        url.set_query(None);
        url.query_pairs_mut()
            .extend_pairs(asked.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))));
        match url.query() {
            Some(query) if !query.is_empty() => format!("{path}?{query}"),
            _ => path.to_owned(),
        }
    }

    /// A path with a name behind it.
    pub(crate) fn below(&self, path: &str, name: &str) -> String {
        let mut url = self.api.clone();
        url.set_path("");
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.push(name);
        }
        format!("{path}{}", url.path())
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Answer, CallError> {
        self.call(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str) -> Result<Answer, CallError> {
        self.call(self.request(Method::POST, path)).await
    }

    pub(crate) async fn post_json(&self, path: &str, body: &serde_json::Value) -> Result<Answer, CallError> {
        self.call(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn call(&self, request: RequestBuilder) -> Result<Answer, CallError> {
        let response = answer(request, self.needs).await?;
        let url = response.url().to_string();
        response.bytes().await.map(Answer).map_err(|error| CallError::unreachable(&url, &error))
    }

    pub(crate) fn needs(&self) -> Scope {
        self.needs
    }
}

/// What the farm said, as it said it.
pub(crate) struct Answer(pub(super) Bytes);

impl Answer {
    /// What is shown of it.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, CallError> {
        serde_json::from_slice(&self.0).map_err(|error| CallError::Strange(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_encoded() {
        let farm = Farm::new(Url::parse("http://h/below/").unwrap(), "t", Scope::Read).unwrap();
        let asked = [("search", Some("a&b ö".to_owned())), ("status", None), ("limit", Some("5".to_owned()))];
        assert_eq!(farm.asking("/api/videos", &asked), "/api/videos?search=a%26b+%C3%B6&limit=5");
        assert_eq!(farm.asking("/api/videos", &[("status", None)]), "/api/videos");
        assert_eq!(farm.below("/api/videos", "a b/c?"), "/api/videos/a%20b%2Fc%3F");
        assert_eq!(farm.url("/api/videos"), "http://h/below/api/videos");
    }
}
