//! What happens to a video, on both engines.

mod another_encoder;
mod attach;
mod cards;
mod claim;
mod claim_at_once;
mod collections;
mod complete;
mod crowd;
mod enqueue;
mod fail;
mod lease;
mod left_out;
mod more;
mod reclaim;
mod surround;
mod tracks;
mod two_slots;
