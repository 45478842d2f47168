//! The language the API and its workers speak. No I/O happens here.
//!
//! Read in this order: words (`id`, `alert`, `intake`, `state`, `queue`, `quality`), rules (`failure`, `gpu`, `ladder`,
//! `language`, `plan`, `source_note`, `retention`),
//! names of stored things (`object_key`, `part`, `extra_file`), what travels (`wire`), how it is traced (`trace`),
//! how it is printed (`untrusted_text`, `log_fields`), and what a command line keeps to itself (`secret_arguments`).

pub mod clock;
pub mod id;

pub mod alert;
pub mod intake;
pub mod queue;
pub mod state;
pub mod state_machine;

pub mod failure;
pub mod gpu;
pub mod ladder;
pub mod language;
pub mod plan;
pub mod retention;
pub mod source_note;

pub mod extra_file;
pub mod object_key;
pub mod part;

pub mod wire;

pub mod trace;

#[cfg(feature = "logging")]
pub mod log_fields;
pub mod untrusted_text;

pub mod secret_arguments;

mod text_enum;
