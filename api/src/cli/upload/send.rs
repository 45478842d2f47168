//! One file by tus, in chunks; what breaks is taken up where the farm says it broke.

use std::path::Path;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use percent_encoding::percent_decode_str;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, RequestBuilder, Url};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, SeekFrom};

use crate::cli::client::{CallError, Farm, Patience, answer};
use crate::cli::output::tame;

const CHUNK: u64 = 8 * 1024 * 1024;

/// What the farm made of a file.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) video: String,
    /// The title of the video that was here already, if one was.
    pub(super) already: Option<String>,
}

pub(super) async fn send(
    farm: &Farm,
    path: &Path,
    wishes: &[(&str, Option<&str>)],
    bars: &MultiProgress,
) -> anyhow::Result<Sent> {
    let mut file = File::open(path).await?;
    let length = file.metadata().await?.len();
    let bar = bars.add(bar(path, length)?);
    let upload = create(farm, path, wishes, length).await?;
    let (mut offset, mut patience) = (0, Patience::default());
    let sent = loop {
        match send_chunk(farm, &upload, &mut file, offset).await? {
            Ok(headers) => {
                patience.renew();
                if let Some(sent) = sent(&headers) {
                    break sent;
                }
                offset = offset_of(&headers).context("the server did not report the upload offset")?;
            }
            Err(error) => {
                patience.pause(error).await?;
                match state(farm, &upload).await {
                    Ok(headers) => {
                        if let Some(sent) = sent(&headers) {
                            break sent;
                        }
                        offset = offset_of(&headers).unwrap_or(offset);
                    }
                    Err(error) if error.may_pass() => {}
                    Err(refused) => return Err(refused.into()),
                }
            }
        }
        bar.set_position(offset);
    };
    bar.finish_and_clear();
    Ok(sent)
}

fn bar(path: &Path, length: u64) -> anyhow::Result<ProgressBar> {
    let style = "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = tame(&name).replace('\n', " ");
    Ok(ProgressBar::new(length).with_style(ProgressStyle::with_template(style)?).with_message(name))
}

fn tus(request: RequestBuilder) -> RequestBuilder {
    request.header("tus-resumable", "1.0.0")
}

/// Where the upload is, as a path below the farm's address.
async fn create(
    farm: &Farm,
    path: &Path,
    wishes: &[(&str, Option<&str>)],
    length: u64,
) -> anyhow::Result<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut metadata = format!("filename {}", STANDARD.encode(name.as_bytes()));
    for (name, wish) in wishes.iter().filter_map(|(name, wish)| Some((name, (*wish)?))) {
        metadata = format!("{metadata},{name} {}", STANDARD.encode(wish));
    }
    let mut patience = Patience::default();
    loop {
        let request = tus(farm.request(Method::POST, "/api/uploads"))
            .header("upload-length", length)
            .header("upload-metadata", &metadata);
        match answer(request, farm.needs()).await {
            Ok(response) => {
                return location(response.headers()).context("the server did not return an upload URL");
            }
            Err(error) => patience.pause(error).await?,
        }
    }
}

/// A location may be a path or a whole address.
fn location(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(LOCATION)?.to_str().ok()?;
    let path = Url::parse(text).map_or_else(|_| text.to_owned(), |url| url.path().to_owned());
    path.find("/api/uploads/").map(|at| path[at..].to_owned())
}

/// The outer error is ours, the inner one the farm's or the network's.
async fn send_chunk(
    farm: &Farm,
    upload: &str,
    file: &mut File,
    offset: u64,
) -> anyhow::Result<Result<HeaderMap, CallError>> {
    file.seek(SeekFrom::Start(offset)).await?;
    let mut chunk = Vec::new();
    file.take(CHUNK).read_to_end(&mut chunk).await?;
    let request = tus(farm.request(Method::PATCH, upload))
        .header("upload-offset", offset)
        .header(CONTENT_TYPE, "application/offset+octet-stream")
        .body(chunk);
    Ok(answer(request, farm.needs()).await.map(|response| response.headers().clone()))
}

async fn state(farm: &Farm, upload: &str) -> Result<HeaderMap, CallError> {
    let response = answer(tus(farm.request(Method::HEAD, upload)), farm.needs()).await?;
    Ok(response.headers().clone())
}

fn offset_of(headers: &HeaderMap) -> Option<u64> {
    headers.get("upload-offset")?.to_str().ok()?.parse().ok()
}

/// The farm names the video once it has every byte.
fn sent(headers: &HeaderMap) -> Option<Sent> {
    let video = headers.get("framefarm-video-id")?.to_str().ok()?.to_owned();
    let deduplicated = headers.get("framefarm-deduplicated").is_some_and(|value| value == "true");
    let title = headers.get("framefarm-already-uploaded-as").and_then(|title| title.to_str().ok());
    let title = title.map(|title| percent_decode_str(title).decode_utf8_lossy().into_owned());
    Some(Sent { video, already: deduplicated.then_some(title.unwrap_or_default()) })
}
