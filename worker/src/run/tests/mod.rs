//! The supervisor between a scripted farm and a scripted encoder, both over real pipes and ports.

mod bench;
mod endings;
mod losing;
mod probing;
mod stopping;
mod traces;
mod walkthrough;
