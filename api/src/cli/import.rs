//! `framefarm import`.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;

use super::client::{Common, Farm};
use super::exit::{Ended, Exit};
use super::output::{self, Cell, Column, Table};
use super::{Failure, block_on, format};
use crate::auth::Scope;

/// At most this many of the rows that were not imported are listed.
const LISTED: usize = 50;

/// Import an exported queue, or a list of jobs from another source
#[derive(Args)]
#[command(after_help = "\
Examples:
  framefarm import queue.json --dry-run      show what would be imported
  framefarm import queue.json
  framefarm export | framefarm import - --api https://other.example.org")]
pub(super) struct Import {
    /// File written by `framefarm export`, or a list of jobs as JSON or CSV; `-` reads stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Only show what would be imported
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    common: Common,
}

impl Import {
    pub(super) fn run(self) -> Result<(), Failure> {
        let farm = self.common.connection.open(Scope::Admin)?;
        block_on(self.import(&farm))
    }

    async fn import(self, farm: &Farm) -> anyhow::Result<()> {
        let document = read(&self.file)?;
        let dry_run = self.dry_run.then(|| "true".to_owned());
        let path = farm.asking("/api/queue/import", &[("dry_run", dry_run)]);
        let kind = kind(&document);
        let request = farm.request(Method::POST, &path).header(CONTENT_TYPE, kind).body(document);
        let answer = farm.call(request).await?;
        if self.common.json {
            return output::raw(&answer);
        }
        let report: Report = answer.read()?;
        output::print(&report.words())?;
        if report.imported == 0 && report.refused > 0 {
            return Err(Ended::with(Exit::Refused, "nothing was imported"));
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Report {
    imported: i64,
    duplicate: i64,
    refused: i64,
    waiting_again: i64,
    rows: Vec<Row>,
    dry_run: bool,
}

#[derive(Deserialize)]
struct Row {
    line: u64,
    outcome: String,
    detail: Option<String>,
}

impl Report {
    fn words(&self) -> String {
        let done = if self.dry_run { "would be imported" } else { "imported" };
        let mut text = format!("{} {done}", format::count(self.imported, "job"));
        if self.waiting_again > 0 {
            let _ = write!(text, " ({} of them were running and now wait)", self.waiting_again);
        }
        let _ = writeln!(text, ", {} already present, {} refused.", self.duplicate, self.refused);
        let left: Vec<&Row> = self.rows.iter().filter(|row| row.outcome != "imported").collect();
        let mut table =
            Table::new([Column::new("ROW").right(), Column::new("OUTCOME"), Column::new("REASON").gives()]);
        for row in left.iter().take(LISTED) {
            table.row([
                row.line.into(),
                Cell::state(&row.outcome),
                row.detail.clone().unwrap_or_default().into(),
            ]);
        }
        if !table.is_empty() {
            let _ = write!(text, "\n{}", table.text());
        }
        if left.len() > LISTED {
            let _ = writeln!(text, "and {} more; use --json to list them.", left.len() - LISTED);
        }
        text
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read stdin")?;
        return Ok(bytes);
    }
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// An export and a list of objects are JSON; any other text is taken for CSV.
fn kind(document: &[u8]) -> &'static str {
    match document.trim_ascii_start().first() {
        Some(b'{' | b'[') => "application/json",
        _ => "text/csv",
    }
}
