//! The GPUs of this machine.
//!
//! [`Inventory::open`] finds them and starts to watch them:
//!
//! * NVIDIA GPUs through NVML, the driver's own library, loaded when it is there;
//! * Intel and AMD GPUs as render nodes, from sysfs.
//!
//! ```no_run
//! # async fn example() {
//! use framefarm_worker::gpu::{Inventory, Options};
//!
//! let inventory = Inventory::open(Options::default()).await;
//! let view = inventory.now();
//! for reason in &view.missing {
//!     println!("{reason}");
//! }
//! for seen in &view.gpus {
//!     println!("{} {}: {}", seen.gpu.id, seen.gpu.name, seen.state);
//! }
//! let mut looks = inventory.looks();
//! while looks.changed().await.is_ok() {
//!     println!("{} GPUs", looks.borrow_and_update().gpus.len());
//! }
//! # }
//! ```
//!
//! A driver may hang in any call. So nobody here calls it but one thread, and nobody waits for that thread: when it is
//! silent for [`Options::patience`] looks, its GPUs are told as lost, and as ready again when it answers.
//!
//! The inventory tells what the driver says. Whether an encoder of a GPU works is found out by encoding with it, and
//! who may use which GPU is in the ledger: [`GpuPool`] brings them together for the supervisor.

mod choice;
mod error;
mod health;
mod inventory;
mod ledger;
mod nvml;
mod own_processes;
mod pool;
mod record;
mod render;
mod sampler;
mod snapshot;
mod yielding;

pub use choice::Choice;
pub use error::{GpuError, Measure};
pub use inventory::{Inventory, Options};
pub use ledger::Wanted;
pub use pool::{GpuPool, Reservation, Rules};
pub use snapshot::{Found, Place, Snapshot, View};
pub use yielding::Yield;
