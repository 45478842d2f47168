//! What happens to a video, on both engines.

mod another_encoder;
mod beside_deletion;
mod claim;
mod claim_at_once;
mod collections;
mod complete;
mod crowd;
mod enqueue;
mod fail;
mod gpus;
mod lease;
mod left_out;
mod lost_reply;
mod more;
mod outages;
mod receive_sidecar;
mod reclaim;
mod refused;
mod shut_out;
mod storm;
mod superseded;
mod surround;
mod tracks;
mod two_slots;
