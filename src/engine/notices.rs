//! Messages of the engine while it works. The engine prints nothing: messages go to a registered
//! listener.

use std::sync::OnceLock;

static LISTENER: OnceLock<fn(&str)> = OnceLock::new();

/// Registers the listener for messages. Only the first listener is kept.
pub fn listen(listener: fn(&str)) {
    let _ = LISTENER.set(listener);
}

/// Sends a message to the listener; it is dropped if there is none.
pub fn say(what: &str) {
    if let Some(listener) = LISTENER.get() {
        listener(what);
    }
}
