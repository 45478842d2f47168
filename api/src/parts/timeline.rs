//! The place of each segment between the boundaries of the plan.

use super::Expectation;
use super::file_error::FileError;
use super::segment::Timing;

/// The segments of one part so far. Inside a part they follow each other to the tick.
pub(super) struct Timeline<'a> {
    timescale: u32,
    expect: &'a Expectation,
    end: Option<u64>,
}

impl<'a> Timeline<'a> {
    pub(super) fn new(timescale: u32, expect: &'a Expectation) -> Self {
        Self { timescale, expect, end: None }
    }

    pub(super) fn append(&mut self, index: u32, timing: &Timing) -> Result<(), FileError> {
        if let Some(end) = self.end.filter(|end| *end != timing.start) {
            return Err(FileError::timeline(format!(
                "it starts at tick {}, but the previous segment ends at {end}",
                timing.start
            )));
        }
        self.near("starts", timing.start, self.expect.boundary_us(index))?;
        let end = timing.end().ok_or_else(|| FileError::timeline("its end time overflows"))?;
        let next = index.checked_add(1).ok_or_else(|| FileError::timeline("its index is out of range"))?;
        // A source's stated length is a guess until it was decoded, so the last segment may end where it does.
        if next < self.expect.planned_segments() {
            self.near("ends", end, self.expect.boundary_us(next))?;
        }
        self.end = Some(end);
        Ok(())
    }

    fn near(&self, what: &str, ticks: u64, boundary_us: Option<u64>) -> Result<(), FileError> {
        let boundary = boundary_us.ok_or_else(|| FileError::timeline("the plan has no such segment"))?;
        let at = micros(ticks, self.timescale);
        let tolerance = self.expect.tolerance_us;
        if at.abs_diff(boundary.into()) <= tolerance.into() {
            return Ok(());
        }
        Err(FileError::timeline(format!(
            "it {what} at {at} µs, but the plan says {boundary} µs (tolerance {tolerance} µs)"
        )))
    }
}

/// Ticks in microseconds, rounded down. The product of a `u64` and a million fits in 128 bits.
fn micros(ticks: u64, timescale: u32) -> u128 {
    u128::from(ticks).saturating_mul(1_000_000).checked_div(timescale.into()).unwrap_or(u128::MAX)
}
