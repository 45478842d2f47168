//! The report as people read it.

use std::io::{self, Write};

use super::{Finding, Health, Report};

/// A line for each finding, and below it what to do where something is wrong.
pub fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let width = report.findings.iter().map(|finding| finding.what.len()).max().unwrap_or(0);
    for finding in &report.findings {
        line(finding, width, out)?;
    }
    if report.fit { writeln!(out, "\nThis machine can run jobs.") } else { writeln!(out) }
}

fn line(finding: &Finding, width: usize, out: &mut impl Write) -> io::Result<()> {
    let mark = match finding.health {
        Health::Good => '✓',
        Health::Absent => '–',
        Health::Bad => '✗',
    };
    writeln!(out, "{mark} {:width$}  {}", finding.what, finding.says)?;
    match &finding.advice {
        Some(advice) => writeln!(out, "  {:width$}  → {advice}", ""),
        None => Ok(()),
    }
}
