//! When a GPU is released for other programs: `FRAMEFARM_GPU_YIELD`.

use std::str::FromStr;

use super::snapshot::Snapshot;

/// Conditions under which a GPU takes no work, and running work leaves it at the next segment boundary. Written as
/// `foreign,compute=60,temperature=85,hours=18-23`, in any order; empty: never.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Yield {
    /// Any program on the GPU that is not ours.
    foreign: bool,
    /// Percent of the time that the GPU computes: encoding does not, a game does.
    compute: Option<u8>,
    /// Degrees.
    temperature: Option<u8>,
    /// Hours of the day by local time, the second not included; over midnight if it is the smaller one.
    hours: Option<(u8, u8)>,
}

/// A GPU that cooled down or calmed down comes back only this far below the limit, or it would come and go.
const SLACK: u8 = 5;

impl Yield {
    /// Why the GPU yields; `None` if it may work. `yields` says whether it yields already.
    pub fn reason(&self, seen: &Snapshot, hour: u32, yields: bool) -> Option<String> {
        if let Some((from, to)) = self.hours.filter(|hours| is_within(*hours, hour)) {
            return Some(format!("reserved for other programs from {from}:00 to {to}:00"));
        }
        let sample = seen.sample.as_ref()?;
        let slack = if yields { SLACK } else { 0 };
        let above = |now: Option<u8>, limit: Option<u8>| {
            let (now, limit) = (now?, limit?);
            (now >= limit.saturating_sub(slack)).then_some((now, limit))
        };
        if let Some((now, limit)) = above(sample.temperature_celsius, self.temperature) {
            return Some(format!("temperature is {now} °C, limit {limit} °C"));
        }
        if let Some((now, limit)) = above(sample.compute_percent, self.compute) {
            return Some(format!("compute load is {now} %, limit {limit} %"));
        }
        match sample.foreign_processes {
            Some(1) if self.foreign => Some("used by another program".to_owned()),
            Some(count) if self.foreign && count > 0 => Some(format!("used by {count} other programs")),
            _ => None,
        }
    }
}

fn is_within((from, to): (u8, u8), hour: u32) -> bool {
    let (from, to) = (u32::from(from), u32::from(to));
    if from <= to { (from..to).contains(&hour) } else { hour >= from || hour < to }
}

impl FromStr for Yield {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut policy = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match (name.trim(), value.trim()) {
                ("foreign", "") => policy.foreign = true,
                ("compute", value) => policy.compute = Some(number(name, value, 1..=100)?),
                ("temperature", value) => policy.temperature = Some(number(name, value, 30..=120)?),
                ("hours", value) => policy.hours = Some(hours(value)?),
                _ => {
                    return Err(format!(
                        "`{part}` is none of foreign, compute=PERCENT, temperature=CELSIUS, hours=FROM-TO"
                    ));
                }
            }
        }
        Ok(policy)
    }
}

fn number(name: &str, text: &str, range: std::ops::RangeInclusive<u8>) -> Result<u8, String> {
    let within = text.trim_end_matches('%').parse().ok().filter(|number| range.contains(number));
    within.ok_or_else(|| format!("`{name}` must be a number from {} to {}", range.start(), range.end()))
}

fn hours(text: &str) -> Result<(u8, u8), String> {
    let parsed = text.split_once('-').and_then(|(from, to)| {
        let hour = |text: &str| text.trim().parse::<u8>().ok().filter(|hour| *hour <= 24);
        Some((hour(from)?, hour(to)?))
    });
    parsed
        .filter(|(from, to)| from != to)
        .ok_or_else(|| "`hours` must be two hours, for example 18-23".to_owned())
}

#[cfg(test)]
mod tests {
    use framefarm_shared::gpu::{GpuHistory, GpuSample, GpuState};

    use super::super::snapshot::{Found, Place};
    use super::*;

    fn seen(sample: GpuSample) -> Snapshot {
        let place = Place { ordinal: 0, pci: None, node: None };
        let (id, name) = ("GPU-1".to_owned(), "a GPU".to_owned());
        let gpu = Found { id, kinds: vec![], name, memory_bytes: None, place, mig: None };
        Snapshot {
            gpu: gpu.into(),
            state: GpuState::Ready,
            reason: None,
            sample: Some(sample),
            history: GpuHistory::default(),
            foreign_memory_bytes: None,
        }
    }

    #[test]
    fn every_condition_is_read_and_nonsense_is_told() {
        let policy: Yield = "foreign, compute=60%,temperature=85,hours=22-6".parse().unwrap();
        let all = Yield { foreign: true, compute: Some(60), temperature: Some(85), hours: Some((22, 6)) };
        assert_eq!(policy, all);
        assert_eq!("".parse(), Ok(Yield::default()));
        for nonsense in ["heat", "temperature=hot", "compute=0", "hours=7", "hours=7-7", "foreign=yes"] {
            assert!(nonsense.parse::<Yield>().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn hours_may_go_over_midnight() {
        let within = |hour| is_within((22, 6), hour);
        assert!(within(22) && within(0) && within(5) && !within(6) && !within(21));
        assert!(is_within((9, 17), 9) && !is_within((9, 17), 17));
    }

    #[test]
    fn a_hot_gpu_comes_back_only_when_it_cooled_down_for_good() {
        let policy: Yield = "temperature=85".parse().unwrap();
        let at = |degrees| seen(GpuSample { temperature_celsius: Some(degrees), ..<_>::default() });
        assert_eq!(policy.reason(&at(84), 12, false), None);
        assert_eq!(policy.reason(&at(85), 12, false).as_deref(), Some("temperature is 85 °C, limit 85 °C"));
        assert!(policy.reason(&at(81), 12, true).is_some());
        assert_eq!(policy.reason(&at(79), 12, true), None);
    }

    #[test]
    fn other_programs_matter_only_to_whom_they_matter() {
        let busy =
            seen(GpuSample { foreign_processes: Some(2), compute_percent: Some(99), ..<_>::default() });
        assert_eq!(Yield::default().reason(&busy, 12, false), None);
        let foreign: Yield = "foreign".parse().unwrap();
        assert_eq!(foreign.reason(&busy, 12, false).as_deref(), Some("used by 2 other programs"));
        let compute: Yield = "compute=50".parse().unwrap();
        assert!(compute.reason(&busy, 12, false).is_some_and(|why| why.contains("99 %")));
    }
}
