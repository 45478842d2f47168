//! The result of an import: totals, and one entry per row.

use std::collections::BTreeMap;

use framefarm_shared::id::{IntakeId, JobId};
use serde::Serialize;
use utoipa::ToSchema;

/// How many jobs of an export that were not imported are listed.
const NAMED: usize = 1000;

/// The result of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Imported,
    /// The job already exists, or another job does the same work.
    Duplicate,
    Refused,
}

/// One row of a list, or one job of an export.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ImportedRow {
    /// The line of a CSV file, the position in a JSON list (from 1), or the number of an exported job.
    pub line: u64,
    pub outcome: Outcome,
    /// A stable code; null if the row was imported.
    pub reason: Option<String>,
    /// The reason as a sentence.
    pub detail: Option<String>,
    /// The exported job.
    pub job_id: Option<JobId>,
    /// The file import that was started for a row of a list.
    pub intake_id: Option<IntakeId>,
}

/// How many rows were not imported for one reason.
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
    /// Imported jobs that were running at the time of the export and are pending now.
    pub waiting_again: u64,
    pub reasons: Vec<LeftFor>,
    /// Every row of a list; for an export, the first 1,000 jobs that were not imported.
    pub rows: Vec<ImportedRow>,
    /// Whether this was a dry run, which changes nothing.
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
