//! The worker: takes jobs from the API, does them, delivers what they ask for.
//!
//! The modules stand in the order a job meets them.

// --- The process: commands, and what this machine can do ---

// The command line.
pub mod cli;

// What this machine can do, and why not.
pub mod doctor;

// Every path to every encoder of every GPU, for a person to report.
pub mod selftest;

// The GPUs: which there are, and how busy and healthy they are now.
pub mod gpu;

// --- In: the farm ---

// Every call of the worker API, and what to do when one fails.
pub mod client;

// How long a claim is valid, by this machine's own clock.
pub mod lease;

// Heartbeats; a lost claim ends exactly its own job.
pub mod heartbeat;

// --- A job: from the claim to the last report ---

// The supervisor.
pub mod run;

// Child processes, each with all its descendants.
pub mod child;

// Keeps a child that reads hostile media away from everything else.
pub mod sandbox;

// The child process that calls ffmpeg, and what it reports.
pub mod encoder;

// --- Out: delivery ---

// Finished segments as one archive.
pub mod part;

// --- Infrastructure ---

// Where keys and sources are kept.
mod private_directory;

// A SHA-256 over what passes by.
mod digest;

// What ffmpeg says, as people read it.
mod ffmpeg_message;

// An encoder that follows a script.
#[cfg(test)]
mod scripted;
