//! What an object store does that a disk does not: uploads in parts, and links that it signs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use bytes::Bytes;
use framefarm_shared::object_key::ObjectKey;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path as StorePath;
use object_store::signer::{SignedUrlOptions, Signer};
use object_store::{
    Attribute, Attributes, ObjectStore, ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions,
    WriteMultipart,
};
use reqwest::Url;
use tokio::io::AsyncReadExt as _;

use super::{Error, Result};

/// Files from this size on are sent in parts of half of it.
const IN_PARTS: u64 = 16 * 1024 * 1024;
/// Long enough for clocks that differ and one request to begin.
const LINK_LIFE: Duration = Duration::from_mins(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(all(feature = "azure", feature = "gcs")),
    expect(dead_code, reason = "built without all of them")
)]
pub(super) enum Kind {
    S3,
    Gcs,
    Azure,
}

pub struct Remote {
    kind: Kind,
    prefix: StorePath,
    parts: Arc<dyn MultipartStore>,
    signer: Arc<dyn Signer>,
    http: reqwest::Client,
    media_max_age: Duration,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({})", self.kind, self.prefix)
    }
}

/// A part that the store has, under the number it was sent with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPart {
    pub number: u32,
    /// What the store calls it.
    pub tag: String,
}

impl Remote {
    pub(super) fn new(
        kind: Kind,
        prefix: StorePath,
        parts: Arc<dyn MultipartStore>,
        signer: Arc<dyn Signer>,
        media_max_age: Duration,
    ) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().timeout(Duration::from_mins(2)).build()?;
        Ok(Self { kind, prefix, parts, signer, http, media_max_age })
    }

    pub(super) fn kind(&self) -> &'static str {
        match self.kind {
            Kind::S3 => "s3",
            Kind::Gcs => "gcs",
            Kind::Azure => "azure",
        }
    }

    /// Where credentials and address come from, for messages.
    pub(super) fn variables(&self) -> &'static str {
        match self.kind {
            Kind::S3 => {
                "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL, AWS_ALLOW_HTTP=true for http"
            }
            Kind::Gcs => "GOOGLE_SERVICE_ACCOUNT or GOOGLE_APPLICATION_CREDENTIALS",
            Kind::Azure => "AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ACCOUNT_KEY",
        }
    }

    pub(super) fn at(&self, path: &str) -> StorePath {
        if self.prefix.as_ref().is_empty() { path.into() } else { format!("{}/{path}", self.prefix).into() }
    }

    fn of(&self, key: &ObjectKey) -> StorePath {
        self.at(&key.path())
    }

    pub(super) async fn put(&self, store: &dyn ObjectStore, key: &ObjectKey, bytes: Bytes) -> Result<()> {
        let path = self.of(key);
        let attributes = self.attributes(key);
        if key.is_named_by_content() {
            let options =
                PutOptions { mode: PutMode::Create, attributes: attributes.clone(), ..PutOptions::default() };
            match store.put_opts(&path, bytes.clone().into(), options).await {
                Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => return Ok(()),
                // Not every store can; then the same bytes are written over themselves.
                Err(
                    object_store::Error::NotImplemented { .. } | object_store::Error::NotSupported { .. },
                ) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let options = PutOptions { attributes, ..PutOptions::default() };
        store.put_opts(&path, bytes.into(), options).await?;
        Ok(())
    }

    /// Sends a file of this machine.
    pub(super) async fn send(&self, store: &dyn ObjectStore, file: &Path, key: &ObjectKey) -> Result<()> {
        let mut file = tokio::fs::File::open(file).await?;
        let size = file.metadata().await?.len();
        if size < IN_PARTS {
            let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
            file.read_to_end(&mut bytes).await?;
            return self.put(store, key, bytes.into()).await;
        }
        // Parts cannot be completed on the condition that nothing is there.
        if key.is_named_by_content() && store.head(&self.of(key)).await.is_ok() {
            return Ok(());
        }
        let options =
            PutMultipartOptions { attributes: self.attributes(key), ..PutMultipartOptions::default() };
        let upload = store.put_multipart_opts(&self.of(key), options).await?;
        let mut parts =
            WriteMultipart::new_with_chunk_size(upload, usize::try_from(IN_PARTS / 2).unwrap_or(1));
        let sent = async {
            loop {
                let mut bytes = bytes::BytesMut::with_capacity(1024 * 1024);
                if file.read_buf(&mut bytes).await? == 0 {
                    return Ok(());
                }
                parts.wait_for_capacity(2).await?;
                parts.put(bytes.freeze());
            }
        };
        match sent.await {
            Ok(()) => parts.finish().await.map(drop).map_err(Error::from),
            Err(error) => {
                let _ = parts.abort().await;
                Err(error)
            }
        }
    }

    /// Begins an object that will be whole when its parts are completed.
    pub async fn begin(&self, key: &ObjectKey) -> Result<String> {
        let path = self.of(key);
        if self.kind == Kind::Azure {
            // It takes a blob's properties with its list of blocks, and this crate sends none with that.
            return Ok(self.parts.create_multipart(&path).await?);
        }
        let options =
            PutMultipartOptions { attributes: self.attributes(key), ..PutMultipartOptions::default() };
        Ok(self.parts.create_multipart_opts(&path, options).await?)
    }

    pub async fn put_part(
        &self,
        key: &ObjectKey,
        multipart: &str,
        number: u32,
        bytes: Bytes,
    ) -> Result<StoredPart> {
        let (path, index) = (self.of(key), number as usize);
        let sent = self.parts.put_part(&path, &multipart.to_owned(), index, bytes.into()).await;
        let part = sent.map_err(|error| told_missing(error, &path))?;
        Ok(StoredPart { number, tag: part.content_id })
    }

    /// Makes the object out of its parts, which come in the order of their numbers. Numbers may be missing.
    pub async fn complete(&self, key: &ObjectKey, multipart: &str, parts: &[StoredPart]) -> Result<()> {
        let gapless = parts.iter().zip(0..).all(|(part, number)| part.number == number);
        if !gapless && self.kind != Kind::Azure {
            return self.complete_with_gaps(key, multipart, parts).await;
        }
        let ids = parts.iter().map(|part| PartId { content_id: part.tag.clone() }).collect();
        let path = self.of(key);
        let completed = self.parts.complete_multipart(&path, &multipart.to_owned(), ids).await;
        completed.map_err(|error| told_missing(error, &path))?;
        Ok(())
    }

    /// `object_store` counts the parts itself and so cannot leave a number out; the request can.
    async fn complete_with_gaps(&self, key: &ObjectKey, multipart: &str, parts: &[StoredPart]) -> Result<()> {
        let path = self.of(key);
        let options = SignedUrlOptions::new().with_query([("uploadId", multipart)]);
        let url = self.signer.signed_url_opts(Method::POST, &path, LINK_LIFE, &options).await?;
        let answer = self.http.post(url).body(completion(parts)).send().await.map_err(unanswered)?;
        let status = answer.status();
        let text = answer.text().await.map_err(unanswered)?;
        // The store may begin to answer before it knows: an error can come after a 200.
        if status.is_success() && !text.contains("<Error>") {
            return Ok(());
        }
        let source = format!("completing the multipart upload failed: {status}: {text}").into();
        Err(told_missing(object_store::Error::Generic { store: "S3", source }, &path).into())
    }

    /// Drops parts that will not become an object; nothing to drop is fine.
    pub async fn abort(&self, key: &ObjectKey, multipart: &str) -> Result<()> {
        let path = self.of(key);
        let aborted = self.parts.abort_multipart(&path, &multipart.to_owned()).await;
        match aborted.map_err(|error| told_missing(error, &path)) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn attributes(&self, key: &ObjectKey) -> Attributes {
        Attributes::from_iter([
            (Attribute::ContentType, key.content_type().to_owned()),
            (Attribute::CacheControl, key.cache_control(self.media_max_age).into_owned()),
        ])
    }

    /// A link by which anybody can read the object for a few minutes.
    pub async fn link_to(&self, key: &ObjectKey) -> Result<Url> {
        Ok(self.signer.signed_url(Method::GET, &self.of(key), LINK_LIFE).await?)
    }
}

/// `object_store` keeps the name of this error only in its text.
fn told_missing(error: object_store::Error, path: &StorePath) -> object_store::Error {
    if !format!("{error:?}").contains("NoSuchUpload") {
        return error;
    }
    object_store::Error::NotFound { path: path.to_string(), source: error.into() }
}

fn completion(parts: &[StoredPart]) -> String {
    let mut text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">".to_owned();
    for part in parts {
        let tag = part.tag.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let number = (part.number + 1).to_string();
        text.extend(["<Part><PartNumber>", &number, "</PartNumber><ETag>", &tag, "</ETag></Part>"]);
    }
    text + "</CompleteMultipartUpload>"
}

fn unanswered(error: reqwest::Error) -> Error {
    // Its address carries a signature.
    let source = Box::new(error.without_url());
    object_store::Error::Generic { store: "S3", source }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_not_there_any_more_are_told_from_a_store_that_is_away() {
        let told = |text: &str| {
            let source = text.to_owned().into();
            told_missing(object_store::Error::Generic { store: "S3", source }, &"a/b".into())
        };
        assert!(matches!(
            told("<Error><Code>NoSuchUpload</Code></Error>"),
            object_store::Error::NotFound { .. }
        ));
        assert!(matches!(told("connection refused"), object_store::Error::Generic { .. }));
    }

    #[test]
    fn a_completion_names_each_part_by_its_own_number() {
        let part = |number, tag: &str| StoredPart { number, tag: tag.to_owned() };
        let text = completion(&[part(0, "\"a\""), part(3, "<&>")]);
        assert!(text.contains("<Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>"), "{text}");
        assert!(text.contains("<Part><PartNumber>4</PartNumber><ETag>&lt;&amp;&gt;</ETag></Part>"), "{text}");
    }
}
