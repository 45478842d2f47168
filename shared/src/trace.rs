//! Ids of traces and of the spans that others hang under.
//!
//! They are computed, never stored: every API instance comes to the same ones, whichever of them sees the beginning of a
//! video and whichever its end. The fixed values in the tests are a promise to whoever keeps links to traces.

use sha2::{Digest as _, Sha256};

use crate::id::{JobId, VideoId};

/// One way of a video to being ready or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId([u8; 16]);

/// One step on that way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanId([u8; 8]);

impl TraceId {
    /// The first way has the id of its video, to be found by it. Another generation is another way, and so is a job that a
    /// person had tried again: the first one has ended.
    pub fn of(video: VideoId, generation: i32, requeues: i32) -> Self {
        if generation == 1 && requeues == 0 && !video.0.is_nil() {
            return Self(video.0.into_bytes());
        }
        let mut hash = Sha256::new_with_prefix("framefarm trace");
        hash.update(video.0.as_bytes());
        hash.update(generation.to_be_bytes());
        hash.update(requeues.to_be_bytes());
        Self(first_of(&hash.finalize()))
    }

    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

impl SpanId {
    /// Everything hangs under it.
    pub fn video(trace: TraceId) -> Self {
        Self::derived(trace, "video", &[])
    }

    pub fn upload(trace: TraceId) -> Self {
        Self::derived(trace, "upload", &[])
    }

    /// The wait that ended with the claim under this fence.
    pub fn queued(trace: TraceId, job: JobId, fence: i64) -> Self {
        Self::derived(trace, "queued", &[job.0.as_bytes(), &fence.to_be_bytes()])
    }

    /// What the worker does under this fence hangs under it.
    pub fn attempt(trace: TraceId, job: JobId, fence: i64) -> Self {
        Self::derived(trace, "attempt", &[job.0.as_bytes(), &fence.to_be_bytes()])
    }

    /// For a span that nobody else has to find.
    pub fn from_random(random: [u8; 8]) -> Self {
        Self(never_zero(random))
    }

    fn derived(trace: TraceId, role: &str, parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new_with_prefix(trace.0);
        hash.update(role);
        for part in parts {
            hash.update(part);
        }
        Self(first_of(&hash.finalize()))
    }

    pub fn to_bytes(self) -> [u8; 8] {
        self.0
    }
}

fn first_of<const N: usize>(digest: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    for (byte, from) in bytes.iter_mut().zip(digest) {
        *byte = *from;
    }
    never_zero(bytes)
}

/// All zeros mean *none* to everybody who reads traces.
fn never_zero<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    if bytes.iter().all(|byte| *byte == 0)
        && let Some(last) = bytes.last_mut()
    {
        *last = 1;
    }
    bytes
}

/// The parent of another program's spans: `traceparent` of W3C Trace Context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    pub trace: TraceId,
    pub span: SpanId,
    /// Whether the sender writes its part of the trace.
    pub sampled: bool,
}

impl std::fmt::Display for TraceParent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "00-")?;
        self.trace.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, "-")?;
        self.span.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, "-{:02x}", u8::from(self.sampled))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a traceparent: expected 00-<32 hex digits>-<16 hex digits>-<2 hex digits>")]
pub struct NoTraceParent;

impl std::str::FromStr for TraceParent {
    type Err = NoTraceParent;

    fn from_str(text: &str) -> Result<Self, NoTraceParent> {
        let fields: Vec<&str> = text.split('-').collect();
        let [version, trace, span, flags] = fields[..] else { return Err(NoTraceParent) };
        let (trace, span) = (bytes(trace)?, bytes(span)?);
        let [flags] = bytes(flags)?;
        if version != "00" || trace == [0; 16] || span == [0; 8] {
            return Err(NoTraceParent);
        }
        Ok(Self { trace: TraceId(trace), span: SpanId(span), sampled: flags & 1 == 1 })
    }
}

fn bytes<const N: usize>(text: &str) -> Result<[u8; N], NoTraceParent> {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 2 * N || !text.bytes().all(digit) {
        return Err(NoTraceParent);
    }
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| NoTraceParent)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const VIDEO: VideoId = VideoId(Uuid::from_u128(0x0199_0000_0000_7000_8000_0000_0000_0001));
    const JOB: JobId = JobId(Uuid::from_u128(0x0199_0000_0000_7000_8000_0000_0000_0002));

    fn parent(trace: TraceId, span: SpanId) -> String {
        TraceParent { trace, span, sampled: true }.to_string()
    }

    #[test]
    fn ids_are_the_same_for_ever() {
        let first = TraceId::of(VIDEO, 1, 0);
        let again = TraceId::of(VIDEO, 2, 0);
        let known = [
            (first, SpanId::video(first), "00-01990000000070008000000000000001-b00de8ad27ac8f0c-01"),
            (first, SpanId::upload(first), "00-01990000000070008000000000000001-aa4d92d2c0403f14-01"),
            (first, SpanId::queued(first, JOB, 1), "00-01990000000070008000000000000001-8015483409c247cb-01"),
            (
                first,
                SpanId::attempt(first, JOB, 1),
                "00-01990000000070008000000000000001-d05cefc07259199e-01",
            ),
            (again, SpanId::video(again), "00-2296952b062c7c9940878feb8e977c66-25aa7b8851f0fdbc-01"),
        ];
        for (trace, span, expected) in known {
            assert_eq!(parent(trace, span), expected);
        }
    }

    #[test]
    fn the_first_way_has_the_id_of_its_video_and_every_other_one_its_own() {
        let first = TraceId::of(VIDEO, 1, 0);
        assert_eq!(first.to_bytes(), VIDEO.0.into_bytes());
        let others = [TraceId::of(VIDEO, 2, 0), TraceId::of(VIDEO, 1, 1), TraceId::of(VIDEO, 2, 1)];
        let all: std::collections::HashSet<_> = others.into_iter().chain([first]).collect();
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn attempts_differ_by_fence_and_job() {
        let trace = TraceId::of(VIDEO, 1, 0);
        assert_ne!(SpanId::attempt(trace, JOB, 1), SpanId::attempt(trace, JOB, 2));
        assert_ne!(SpanId::attempt(trace, JOB, 1), SpanId::attempt(trace, JobId(VIDEO.0), 1));
        assert_ne!(SpanId::attempt(trace, JOB, 1), SpanId::queued(trace, JOB, 1));
    }

    #[test]
    fn no_id_is_all_zeros() {
        assert_ne!(TraceId::of(VideoId(Uuid::nil()), 1, 0).to_bytes(), [0; 16]);
        assert_eq!(SpanId::from_random([0; 8]).to_bytes(), [0, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_traceparent_is_read_as_it_was_written_and_nothing_else_is() {
        let trace = TraceId::of(VIDEO, 1, 0);
        for sampled in [true, false] {
            let written = TraceParent { trace, span: SpanId::video(trace), sampled };
            assert_eq!(written.to_string().parse(), Ok(written));
        }
        let good = parent(trace, SpanId::video(trace));
        let bad = [
            String::new(),
            good.replace("00-", "01-"),
            good.to_uppercase(),
            good[..good.len() - 1].to_owned(),
            format!("{good}-00"),
            good.replace("0199", "+199"),
            format!("00-{}-{}-01", "0".repeat(32), "1".repeat(16)),
            format!("00-{}-{}-01", "1".repeat(32), "0".repeat(16)),
            format!("00-{}-{}-01", "ä".repeat(16), "1".repeat(16)),
        ];
        for text in bad {
            assert_eq!(text.parse::<TraceParent>(), Err(NoTraceParent), "{text}");
        }
    }
}
