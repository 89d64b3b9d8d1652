//! The files of checkpoints: the state of a run on disk, from which it can go on after it was stopped.
//!
//! They lie in the hidden folder [`store::FOLDER`] of the output folder, the last two of them. Each appears whole
//! or not at all ([`store`]), and carries a checksum ([`mod@file`]). [`lock`] tells others who works there; [`links`] are not followed.

pub mod about;
pub mod arrays;
pub mod clock;
pub mod file;
pub mod links;
pub mod lock;
pub mod store;
