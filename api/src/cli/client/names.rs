//! What people call things, and the ids behind it.

use framefarm_shared::id::VideoId;

use super::{Answer, CallError, Farm, list};
use crate::cli::answers::{JobDetail, Video, Worker, Workers};
use crate::cli::exit::{Ended, Exit};

/// More candidates than this are not listed.
const CANDIDATES: usize = 10;

/// A video by its id, its slug, or a part of its title that no other one has.
pub(crate) async fn video(farm: &Farm, name: &str) -> anyhow::Result<Answer> {
    let path = |name: &str| farm.below("/api/videos", name);
    match farm.get(&path(name)).await {
        Err(error) if error.exit() == Exit::NotFound && name.parse::<VideoId>().is_err() => {}
        answer => return Ok(answer?),
    }
    let asked = [("search", Some(name.to_owned()))];
    let page = list(farm, "/api/videos", &asked, CANDIDATES + 1).await?;
    let mut found: Vec<Video> = page.read()?;
    if let Some(exact) = one(&found, |video| video.title == name) {
        return Ok(farm.get(&path(&exact.id)).await?);
    }
    match &found[..] {
        [] => Err(Ended::with(
            Exit::NotFound,
            format!("There is no video with the ID, slug or title `{name}`."),
        )),
        [only] => Ok(farm.get(&path(&only.id)).await?),
        _ => {
            let more = if found.len() > CANDIDATES { "\n  and more" } else { "" };
            found.truncate(CANDIDATES);
            let lines: Vec<String> =
                found.iter().map(|video| format!("\n  {}  {}", video.slug, video.title)).collect();
            let words = format!("`{name}` matches several videos; name one of them:{}{more}", lines.concat());
            Err(Ended::with(Exit::Usage, words))
        }
    }
}

fn one<T>(items: &[T], is_meant: impl Fn(&T) -> bool) -> Option<&T> {
    let mut meant = items.iter().filter(|item| is_meant(item));
    meant.next().filter(|_| meant.next().is_none())
}

/// A job by its number (`12` or `#12`) or its id.
pub(crate) async fn job(farm: &Farm, name: &str) -> Result<Answer, CallError> {
    farm.get(&farm.below("/api/queue/jobs", name.strip_prefix('#').unwrap_or(name))).await
}

/// A job that was named, for calls that take ids.
pub(crate) struct NamedJob {
    pub(crate) id: String,
    pub(crate) number: i64,
}

/// All of them or none: nothing is done before each is known.
pub(crate) async fn job_ids(farm: &Farm, names: &[String]) -> anyhow::Result<Vec<NamedJob>> {
    let mut jobs = Vec::new();
    for name in names {
        let answer = job(farm, name).await;
        let answer = answer.map_err(|error| match error.exit() {
            Exit::NotFound => Ended::with(Exit::NotFound, format!("There is no job {name}.")),
            _ => error.into(),
        });
        let JobDetail { job, .. } = answer?.read()?;
        jobs.push(NamedJob { id: job.id, number: job.number });
    }
    Ok(jobs)
}

/// A worker by its name or id.
pub(crate) async fn worker(farm: &Farm, name: &str) -> anyhow::Result<Worker> {
    let Workers { items } = farm.get("/api/workers").await?.read()?;
    let mut found: Vec<Worker> =
        items.into_iter().filter(|worker| worker.id == name || worker.name == name).collect();
    match found.len() {
        0 => Err(Ended::with(
            Exit::NotFound,
            format!("There is no worker `{name}`; `framefarm workers` lists them."),
        )),
        1 => Ok(found.remove(0)),
        _ => {
            let ids: Vec<String> = found.into_iter().map(|worker| format!("\n  {}", worker.id)).collect();
            Err(Ended::with(
                Exit::Usage,
                format!("`{name}` is the name of several workers; use an ID:{}", ids.concat()),
            ))
        }
    }
}
