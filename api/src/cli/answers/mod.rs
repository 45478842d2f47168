//! What is shown of the API's answers. States are words here: a newer farm may have more of them.

mod event;
mod farm;
mod job;
mod video;
mod worker;

pub(crate) use event::Event;
pub(crate) use farm::{Depth, Overview, Queues, ServiceHealth};
pub(crate) use job::{Job, JobDetail};
pub(crate) use video::{Quality, Source, SourceVideo, Track, Video, VideoDetail};
pub(crate) use worker::{Gpu, Worker, Workers};
