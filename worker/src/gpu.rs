//! The cards of this machine.
//!
//! [`Inventory::open`] finds them and starts to watch them:
//!
//! * NVIDIA cards through NVML, the driver's own library, loaded when it is there;
//! * Intel and AMD cards as render nodes, from sysfs.
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
//! for seen in &view.cards {
//!     println!("{} {}: {}", seen.card.id, seen.card.name, seen.state);
//! }
//! let mut looks = inventory.looks();
//! while looks.changed().await.is_ok() {
//!     println!("{} cards", looks.borrow_and_update().cards.len());
//! }
//! # }
//! ```
//!
//! A driver may hang in any call. So nobody here calls it but one thread, and nobody waits for that thread: when it is
//! silent for [`Options::patience`] looks, its cards are told as lost, and as ready again when it answers.
//!
//! The inventory tells what the driver says. Whether an encoder of a card works is found out by encoding with it, and
//! who may use which card is in the ledger: [`Cards`] brings them together for the supervisor.

mod cards;
mod choice;
mod family;
mod health;
mod inventory;
mod ledger;
mod look;
mod neighbour;
mod nvml;
mod record;
mod render;
mod sampler;
mod trouble;

pub use cards::{Cards, Reservation, Rules};
pub use choice::Choice;
pub use inventory::{Inventory, Options};
pub use ledger::Wanted;
pub use look::{Found, Place, Snapshot, View};
pub use neighbour::Yield;
pub use trouble::{CardTrouble, Measure};
