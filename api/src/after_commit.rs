//! What a commit sets off: waiting workers are woken, changes are counted, spans are exported.

use framefarm_traces::Traces;

use crate::db::effects::{Effects, OnCommit, Traced};
use crate::dispatch::{Hint, Waiters};
use crate::metrics::Metrics;
use crate::traces;

#[derive(Debug)]
pub struct AfterCommit {
    pub waiters: Waiters,
    pub metrics: Metrics,
    pub traces: Traces,
}

impl OnCommit for AfterCommit {
    fn is_traced(&self) -> bool {
        self.traces.is_on()
    }

    fn committed(&self, effects: Effects) {
        let hints: Vec<_> = effects.claimable.into_iter().map(Hint::from).collect();
        self.waiters.claimable(&hints);
        self.waiters.freed(&effects.freed);
        if effects.many_claimable {
            self.waiters.switched();
        }
        self.metrics.record(&effects.changes);
        let spans = effects.traced.into_iter().filter_map(|traced| match traced {
            Traced::Claimed(job) => traces::queued(&job),
            Traced::Left(job, ending) => traces::attempt(&job, &ending),
            Traced::Span(span) => Some(*span),
        });
        spans.for_each(|span| self.traces.emit(span));
    }
}
