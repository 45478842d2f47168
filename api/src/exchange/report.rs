//! What an import did, in numbers and row by row.

use std::collections::BTreeMap;

use framefarm_shared::id::{IntakeId, JobId};
use serde::Serialize;
use utoipa::ToSchema;

/// Of the jobs of an export that were not taken, as many are named.
const NAMED: usize = 1000;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Imported,
    /// It is here already, or the same work is.
    Duplicate,
    Refused,
}

/// One row of a list, or one job of an export.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ImportedRow {
    /// Where it stands: the line of a CSV file, the place in a list from 1, the number of an exported job.
    pub line: u64,
    pub outcome: Outcome,
    /// Stable, for programs; null if it was imported.
    pub reason: Option<String>,
    /// The reason in words.
    pub detail: Option<String>,
    /// Of an exported job.
    pub job_id: Option<JobId>,
    /// What the farm fetches for a row of a list.
    pub intake_id: Option<IntakeId>,
}

/// So many rows were not imported for this reason.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LeftFor {
    pub reason: String,
    pub count: u64,
}

#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Imported {
    pub imported: u64,
    pub duplicate: u64,
    pub refused: u64,
    /// Of the imported ones: they ran when they were exported, and wait now.
    pub waiting_again: u64,
    pub reasons: Vec<LeftFor>,
    /// Every row of a list; of an export the first 1,000 jobs that were not imported.
    pub rows: Vec<ImportedRow>,
    /// Nothing was changed.
    pub dry_run: bool,
    #[serde(skip)]
    pub batches: u32,
    #[serde(skip)]
    counts: BTreeMap<&'static str, u64>,
}

impl Imported {
    pub(super) fn new(dry_run: bool) -> Self {
        Self { dry_run, ..Self::default() }
    }

    pub(super) fn left(
        &mut self,
        line: u64,
        job_id: Option<JobId>,
        outcome: Outcome,
        reason: &'static str,
        detail: impl Into<String>,
    ) {
        match outcome {
            Outcome::Imported => self.imported += 1,
            Outcome::Duplicate => self.duplicate += 1,
            Outcome::Refused => self.refused += 1,
        }
        *self.counts.entry(reason).or_default() += 1;
        if job_id.is_none() || self.rows.len() < NAMED {
            let (reason, detail) = (Some(reason.to_owned()), Some(detail.into()));
            self.rows.push(ImportedRow { line, outcome, reason, detail, job_id, intake_id: None });
        }
    }

    /// A row of a list that was taken.
    pub(super) fn took(&mut self, line: u64, intake_id: Option<IntakeId>) {
        self.imported += 1;
        let (outcome, reason, detail, job_id) = (Outcome::Imported, None, None, None);
        self.rows.push(ImportedRow { line, outcome, reason, detail, job_id, intake_id });
    }

    pub(super) fn finished(mut self) -> Self {
        let counts = std::mem::take(&mut self.counts).into_iter();
        self.reasons = counts.map(|(reason, count)| LeftFor { reason: reason.to_owned(), count }).collect();
        self.rows.sort_by_key(|row| row.line);
        self
    }
}
