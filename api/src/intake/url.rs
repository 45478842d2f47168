//! Imports a file by URL: connects to checked addresses only, and resumes interrupted transfers.
//!
//! Every redirect is a new URL and passes the SSRF guard like the first. If the server sends the length and a version of
//! the file, an interrupted transfer resumes: the next attempt requests the rest of the same version.

use std::io::Write as _;
use std::time::{Duration, Instant};

use futures::{Stream, StreamExt as _};
use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_RANGE, ETAG, HeaderMap, HeaderValue, IF_RANGE, LAST_MODIFIED,
    LOCATION, RANGE,
};
use reqwest::{Response, StatusCode, Url};

use super::below::Facts;
use super::bytes::{FetchControl, of_file};
use super::error::{IntakeError, Kind};
use super::fetch::{Done, copy, prepare, reusable};
use super::pace::{Pace, WINDOW};
use crate::app::App;
use crate::db::intakes::IntakeRow;
use crate::egress::{Egress, Gate};
use crate::error::ApiError;
use crate::lifecycle::upload::{self, Became, Upload};

const MOST_HOPS: usize = 5;
const CONNECT: Duration = Duration::from_secs(10);
const ANSWER: Duration = Duration::from_mins(1);
/// The disk is looked at again after this many bytes.
const LOOK_EVERY: u64 = 16 * 1024 * 1024;

pub(super) fn egress(app: &App) -> Egress {
    Egress::new(app.settings.intake.intake_url_allow.clone())
}

/// Bytes of an earlier try, and how to ask for the rest.
struct Rest {
    upload: Upload,
    validator: HeaderValue,
}

pub(super) async fn fetch(app: &App, row: &IntakeRow, control: &FetchControl) -> Done<Became> {
    let mut rest = rest(app, row).await?;
    let mut response = control.unless_stopped(ask(app, &row.place, rest.as_ref())).await?;
    if let Some(Rest { upload, .. }) = &rest
        && !continues(&response, row, upload)
    {
        // Not the rest of what is here, or there is no such rest: the whole, then.
        if matches!(response.status(), StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE) {
            response = control.unless_stopped(ask(app, &row.place, None)).await?;
        }
        rest = None;
    }
    match response.status() {
        StatusCode::OK => {}
        StatusCode::PARTIAL_CONTENT if rest.is_some() => {}
        status => return Err(refused(status)),
    }
    if response.headers().get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let detail = "The server sent a compressed response although compression was not requested.";
        return Err(IntakeError::new(Kind::Final, "bad_answer", detail));
    }
    if let Some(Rest { upload, .. }) = rest {
        return copy(app, row, &upload, control.over(body(app, response)), control).await;
    }
    match response.content_length() {
        Some(length) => {
            upload::check_size(app, length)?;
            let version = version(response.headers());
            let upload = prepare(app, row, length, version.as_deref()).await?;
            copy(app, row, &upload, control.over(body(app, response)), control).await
        }
        None => spool(app, row, response, control).await,
    }
}

/// What an earlier try left, if the server can be asked for the rest.
async fn rest(app: &App, row: &IntakeRow) -> Done<Option<Rest>> {
    let Some((_, validator)) = row.version.as_deref().and_then(|version| version.split_once(':')) else {
        return Ok(None);
    };
    let Ok(validator) = HeaderValue::from_str(validator) else { return Ok(None) };
    let size = row.size.unwrap_or_default().unsigned_abs();
    let upload = reusable(app, row, size, row.version.as_deref()).await?;
    Ok(upload.filter(|upload| upload.received > 0).map(|upload| Rest { upload, validator }))
}

/// A version that can be asked for again: strong, or a date.
fn version(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    match text(ETAG) {
        Some(tag) if !tag.starts_with("W/") => Some(format!("etag:{tag}")),
        _ => text(LAST_MODIFIED).map(|date| format!("date:{date}")),
    }
}

/// Whether an answer is the rest of what is here.
fn continues(response: &Response, row: &IntakeRow, upload: &Upload) -> bool {
    let range = response.headers().get(CONTENT_RANGE).and_then(|value| value.to_str().ok());
    let expected = format!("bytes {}-{}/{}", upload.received, upload.length - 1, upload.length);
    // Some do not repeat the version of a part; who does must mean the same.
    let same =
        version(response.headers()).is_none_or(|version| row.version.as_deref() == Some(version.as_str()));
    response.status() == StatusCode::PARTIAL_CONTENT && range == Some(expected.as_str()) && same
}

async fn ask(app: &App, address: &str, rest: Option<&Rest>) -> Done<Response> {
    let egress = egress(app);
    let mut address = address.to_owned();
    for _ in 0..=MOST_HOPS {
        let gate = egress.pass(&address).await.map_err(|refusal| {
            let kind = if refusal.may_pass() { Kind::Passing } else { Kind::Final };
            IntakeError::new(kind, "url_not_allowed", refusal.to_string())
        })?;
        let response = send(&gate, rest).await?;
        match next_hop(&gate.url, &response)? {
            Some(next) => address = next,
            None => return Ok(response),
        }
    }
    let detail = format!("The URL redirects more than {MOST_HOPS} times.");
    Err(IntakeError::new(Kind::Final, "too_many_redirects", detail))
}

async fn send(gate: &Gate, rest: Option<&Rest>) -> Done<Response> {
    let client = gate.client().connect_timeout(CONNECT).build().map_err(|error| broken(&error))?;
    let mut request = client.get(gate.url.clone()).header(ACCEPT_ENCODING, "identity");
    if let Some(Rest { upload, validator }) = rest {
        request = request.header(RANGE, format!("bytes={}-", upload.received)).header(IF_RANGE, validator);
    }
    let Ok(response) = tokio::time::timeout(ANSWER, request.send()).await else {
        let detail = format!("The server did not respond within {} s.", ANSWER.as_secs());
        return Err(IntakeError::new(Kind::Passing, "transfer_broken", detail));
    };
    response.map_err(|error| broken(&error))
}

fn next_hop(from: &Url, response: &Response) -> Done<Option<String>> {
    let moved = [301, 302, 303, 307, 308].contains(&response.status().as_u16());
    let Some(to) = response.headers().get(LOCATION).filter(|_| moved) else { return Ok(None) };
    let next = to.to_str().ok().and_then(|text| from.join(text).ok());
    let bad = |detail: &str| IntakeError::new(Kind::Final, "bad_redirect", detail);
    let next = next.ok_or_else(|| bad("The server redirects to an invalid URL."))?;
    if from.scheme() == "https" && next.scheme() != "https" {
        return Err(bad("The server redirects from https to a URL that is not https."));
    }
    Ok(Some(next.into()))
}

fn refused(status: StatusCode) -> IntakeError {
    let passes = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
    let kind = if passes { Kind::Passing } else { Kind::Final };
    IntakeError::new(kind, "bad_answer", format!("The server returned {status}."))
}

/// The innermost cause, without the URL, which may hold a secret.
fn broken(error: &reqwest::Error) -> IntakeError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let why: String = cause.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
    let why = if std::ptr::addr_eq(cause, error) { String::new() } else { format!(": {why}") };
    IntakeError::new(Kind::Passing, "transfer_broken", format!("The transfer was interrupted{why}."))
}

fn body(app: &App, response: Response) -> impl Stream<Item = Done<bytes::Bytes>> + Send + 'static {
    let least = app.settings.intake.intake_min_bytes_per_second;
    let mut pace = Pace::start(least, Instant::now());
    response.bytes_stream().map(move |piece| {
        let piece = piece.map_err(|error| broken(&error))?;
        if pace.is_kept_with(piece.len(), Instant::now()) {
            return Ok(piece);
        }
        let detail = format!(
            "The server sent less than {least} bytes per second for {} minutes (setting intake_min_bytes_per_second).",
            WINDOW.as_secs() / 60
        );
        Err(IntakeError::new(Kind::Passing, "transfer_slow", detail))
    })
}

/// Where the farm keeps its files elsewhere, the spool is on a disk all the same.
async fn check_spool(app: &App) -> Done<()> {
    upload::check_scratch(app)?;
    Ok(upload::check_free(app, 0).await?)
}

/// A body without a length goes to a file first: an upload knows how long it is. It begins anew with each try.
async fn spool(app: &App, row: &IntakeRow, response: Response, control: &FetchControl) -> Done<Became> {
    check_spool(app).await?;
    let io = |error: std::io::Error| IntakeError::from(ApiError::from(error));
    let mut file = tempfile::tempfile_in(app.scratch()).map_err(io)?;
    let mut pieces = control.over(body(app, response));
    let (mut length, mut next_look) = (0_u64, LOOK_EVERY);
    loop {
        let piece = crate::uploads::incoming::next(&mut pieces).await;
        let piece = piece.map_err(|error| control.take_error().unwrap_or_else(|| error.into()))?;
        let Some(piece) = piece else { break };
        length += piece.len() as u64;
        upload::check_size(app, length)?;
        if length >= next_look {
            check_spool(app).await?;
            next_look += LOOK_EVERY;
        }
        file = tokio::task::spawn_blocking(move || file.write_all(&piece).map(|()| file))
            .await
            .map_err(|error| IntakeError::from(ApiError::from(error)))?
            .map_err(io)?;
    }
    let facts = Facts::of(&file.metadata().map_err(io)?);
    let upload = prepare(app, row, length, None).await?;
    let pieces = control.over(of_file(file, facts, 0, "the file".to_owned()));
    copy(app, row, &upload, pieces, control).await
}
