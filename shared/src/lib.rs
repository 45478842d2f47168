//! The language the API and its workers speak. No I/O happens here.

// --- Inputs: time and ids, so that tests decide both ---

pub mod clock;
pub mod id;

// --- Words ---

pub mod alert;
pub mod intake;
pub mod queue;
pub mod state;
// Every legal transition.
pub mod state_machine;

// --- Rules ---

// Which errors are retried, and when.
pub mod failure;
// What a GPU can do.
pub mod gpu;
// Which qualities a video gets.
pub mod ladder;
pub mod language;
// Where segments begin.
pub mod plan;
pub mod retention;
pub mod source_note;

// --- Names of stored objects ---

// Images and subtitles beside the segments.
pub mod extra_file;
pub mod object_key;
// A delivered archive and its manifest.
pub mod part;

// --- What travels: the worker protocol, events ---

pub mod trace;
pub mod wire;

// --- What is printed ---

#[cfg(feature = "logging")]
pub mod log_fields;
pub mod secret_arguments;
pub mod untrusted_text;

// --- Infrastructure ---

mod text_enum;
