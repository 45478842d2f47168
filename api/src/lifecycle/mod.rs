//! What happens to a video, one file a step, each step one transaction.
//!
//! In the order a video travels: [`upload`] → [`enqueue`] → [`claim`] → [`plan`] → [`progress`] and [`heartbeat`] → [`deliver`]
//! and [`receive_sidecar`] → [`complete`] and [`publish`] → [`play`]. Off that road: [`fail`], [`release`], [`reclaim`], [`cancel`], [`retry`], [`retranscode`],
//! [`delete`], [`edit`]. Workers are asked in by [`invite`], come and go in [`workers`]; queues are switched and cleared in [`queues`];
//! [`bulk`] is what changes of many jobs have in common: [`retry_many`] and [`priority`]. [`collections`] get rules; [`startup`]
//! makes up for the time the API was away.
//!
//! Every transaction takes its row locks in the same order: queue, job, video, worker.

pub mod upload;

pub mod enqueue;
pub mod file_name;

pub mod claim;

pub mod plan;

pub mod gpus;
pub mod heartbeat;
pub mod progress;
pub mod sandbox;

pub mod deliver;
pub mod receive_part;
pub mod receive_sidecar;

pub mod complete;
pub mod publish;

pub mod play;

pub mod fail;

pub mod cancel;
pub mod delete;
pub mod edit;
pub mod reclaim;
pub mod release;
pub mod retranscode;
pub mod retry;
pub mod retry_many;

pub mod bulk;
pub mod collections;
pub mod invite;
pub mod priority;
pub mod queues;
pub mod restored;
pub mod startup;
pub mod workers;

mod allowance;
mod job_end;
mod left_out;
mod lost_reply;
mod refusal;
mod report;
mod trace;

/// The name under which the farm itself acts in the timeline.
pub const FARM: &str = "farm";
