//! The last minutes of a GPU.

use std::collections::VecDeque;
use std::time::Duration;

use framefarm_shared::gpu::{GpuHistory, GpuSample, MAX_SAMPLES};

#[derive(Debug)]
pub(super) struct Record {
    every_seconds: u32,
    /// Encoder, memory, temperature.
    samples: VecDeque<[u8; 3]>,
}

impl Record {
    pub(super) fn new(every: Duration) -> Self {
        let every_seconds = u32::try_from(every.as_secs()).unwrap_or(u32::MAX).max(1);
        Self { every_seconds, samples: VecDeque::with_capacity(MAX_SAMPLES) }
    }

    /// A GPU that does not answer counts too, so that the times of all are the same.
    pub(super) fn push(&mut self, sample: Option<&GpuSample>, memory_bytes: Option<u64>) {
        if self.samples.len() == MAX_SAMPLES {
            self.samples.pop_front();
        }
        let used = sample.and_then(|sample| sample.memory_used_bytes);
        self.samples.push_back([
            sample.and_then(|sample| sample.encoder_percent).unwrap_or(0),
            used.zip(memory_bytes).map_or(0, |(used, all)| share(used, all)),
            sample.and_then(|sample| sample.temperature_celsius).unwrap_or(0),
        ]);
    }

    pub(super) fn history(&self) -> GpuHistory {
        let column = |at: usize| self.samples.iter().map(|sample| sample[at]).collect();
        GpuHistory {
            every_seconds: self.every_seconds,
            encoder_percent: column(0),
            memory_percent: column(1),
            temperature_celsius: column(2),
        }
    }
}

fn share(used: u64, all: u64) -> u8 {
    let percent = u128::from(used) * 100 / u128::from(all.max(1));
    u8::try_from(percent.min(100)).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_samples_are_kept_and_what_was_not_told_is_nought() {
        let mut record = Record::new(Duration::from_secs(2));
        for percent in 0..70 {
            let sample = GpuSample {
                encoder_percent: Some(percent),
                memory_used_bytes: Some(3),
                ..GpuSample::default()
            };
            record.push(Some(&sample), Some(4));
        }
        record.push(None, None);
        let history = record.history();
        assert_eq!((history.every_seconds, history.encoder_percent.len()), (2, MAX_SAMPLES));
        assert_eq!((history.encoder_percent[0], history.encoder_percent[58]), (11, 69));
        assert_eq!((history.memory_percent[58], history.memory_percent[59]), (75, 0));
        assert_eq!(history.temperature_celsius, [0; MAX_SAMPLES]);
    }
}
