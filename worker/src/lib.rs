//! The worker: takes jobs from the API, does them, delivers what they ask for.
//!
//! The modules stand in the order a job meets them.

// The command line.
pub mod cli;

// What this machine can do, and why not.
pub mod doctor;

// Every path to every encoder of every GPU, for a person to report.
pub mod selftest;

// The GPUs: which there are, and how they are right now.
pub mod gpu;

// Every call of the worker API, and what to do when one fails.
pub mod client;

// How long a claim is ours, by our own clock.
pub mod lease;

// Signs of life; a lost claim ends exactly its own job.
pub mod heartbeat;

// Processes that do the work, each with its whole family.
pub mod child;

// What keeps a child that reads hostile media from everything else.
pub mod sandbox;

// The child process that calls ffmpeg, and what it says.
pub mod encoder;

// Finished segments as one archive.
pub mod part;

// The supervisor: from a claim to the last word about it.
pub mod run;

// Where keys and sources are kept.
mod private_directory;

// A SHA-256 over what passes by.
mod digest;

// What ffmpeg says, as people read it.
mod ffmpeg_message;

#[cfg(test)]
mod scripted;
