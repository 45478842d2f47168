//! What bulk changes of jobs have in common: which jobs are meant, and the report of those that were skipped.

use std::collections::{BTreeMap, BTreeSet};

use framefarm_shared::id::JobId;
use framefarm_shared::queue::SkipReason;
use framefarm_shared::state::JobStatus;

use crate::app::App;
use crate::db::job;
use crate::db::job::lists::JobFilter;
use crate::error::Result;

/// Jobs that are changed in one transaction, so that claims get in between.
pub(super) const BATCH: i64 = 1000;
/// As many ids go into one statement.
const IDS_AT_ONCE: usize = 1000;
/// Maximum number of skipped jobs that are listed.
const NAMED: usize = 20;

/// Which jobs a person means.
#[derive(Clone, Debug)]
pub enum Choice {
    Ids(Vec<JobId>),
    Matching(JobFilter),
    /// The filter names something that does not exist.
    Nobody,
}

/// A skipped job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedJob {
    pub id: JobId,
    /// None if there is no such job.
    pub number: Option<i64>,
    pub reason: SkipReason,
}

/// All skipped jobs: each is counted, the first few are listed.
#[derive(Clone, Debug, Default)]
pub struct Skipped {
    pub counts: BTreeMap<SkipReason, u64>,
    pub first: Vec<SkippedJob>,
}

impl Skipped {
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    pub(super) fn add(&mut self, id: JobId, number: Option<i64>, reason: SkipReason) {
        *self.counts.entry(reason).or_default() += 1;
        if self.first.len() < NAMED {
            self.first.push(SkippedJob { id, number, reason });
        }
    }
}

impl Choice {
    /// The filters to go through one after the other. An id that means nothing, or a job in another state, is skipped.
    pub(super) async fn filters(
        self,
        app: &App,
        fits: impl Fn(JobStatus) -> bool,
        otherwise: SkipReason,
        skipped: &mut Skipped,
    ) -> Result<Vec<JobFilter>> {
        let ids = match self {
            Self::Nobody => return Ok(Vec::new()),
            Self::Matching(filter) => return Ok(vec![filter]),
            // Ids begin with their time: the newest first.
            Self::Ids(ids) => ids.into_iter().collect::<BTreeSet<_>>().into_iter().rev().collect::<Vec<_>>(),
        };
        let mut filters = Vec::new();
        for part in ids.chunks(IDS_AT_ONCE) {
            let known = job::bulk::named(&app.db, part).await?;
            let known: BTreeMap<JobId, _> = known.into_iter().map(|job| (job.id, job)).collect();
            let mut fitting = Vec::new();
            for id in part {
                match known.get(id) {
                    None => skipped.add(*id, None, SkipReason::Unknown),
                    Some(job) if fits(job.status) => fitting.push(*id),
                    Some(job) => skipped.add(*id, Some(job.number), otherwise),
                }
            }
            filters.push(JobFilter { ids: Some(fitting), ..JobFilter::default() });
        }
        filters.retain(|filter| filter.ids.as_ref().is_some_and(|ids| !ids.is_empty()));
        Ok(filters)
    }
}
