//! What is known of a cell of a canvas, in a byte.

use crate::forcing::ports::Port;

/// Flag of a cell in the domain: it gets rain.
pub const INSIDE: u8 = 1;
/// Flag of a cell that is emptied after every step: a loss.
pub(crate) const SINK: u8 = 2;
/// Flag of a ghost beyond an open edge, emptied after every step: outflow.
pub(crate) const DRAIN: u8 = 4;
/// Flag of a cell whose water stays what it is while it flows: its level is held under a rule with momentum.
pub(crate) const PINNED: u8 = 8;
/// Flag of a cell that water leaves at normal depth once it has flowed, under a rule without momentum: what is recorded
/// of it is recorded then.
pub(crate) const LEAVES: u8 = 16;

/// Times the side of a drain, 0 to 3 in the order of [`NAMES`](crate::forcing::ports::NAMES): it stands beside its flag.
pub const SIDE: u8 = 32;

/// The flags of a ghost with a port.
pub(crate) fn drain_of(port: Port) -> u8 {
    DRAIN | (port.trailing_zeros() as u8 * SIDE)
}

/// The port of a cell with the flags of a ghost.
pub(crate) fn port_of_drain(flags: u8) -> Port {
    1 << (flags / SIDE % 4)
}
