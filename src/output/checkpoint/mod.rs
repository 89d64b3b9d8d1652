//! Checkpoint files: the state of a run on disk, from which an interrupted run can be resumed.
//!
//! The latest two are kept in the hidden folder [`store::FOLDER`] of the output folder. Each is
//! written atomically ([`store`]) and has a checksum ([`mod@file`]). [`lock`] prevents concurrent
//! use; links are not followed ([`links`]).

pub mod about;
pub mod arrays;
pub mod clock;
pub mod file;
pub mod links;
pub mod lock;
pub mod sewers;
pub mod store;
