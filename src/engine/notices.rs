//! What the engine has to say while it works. It prints nothing: what it says goes to whoever listens.

use std::sync::OnceLock;

static LISTENER: OnceLock<fn(&str)> = OnceLock::new();

/// From now on what is said goes to `listener`. The first listener stays.
pub fn listen(listener: fn(&str)) {
    let _ = LISTENER.set(listener);
}

/// Says something; unheard if nobody listens.
pub fn say(what: &str) {
    if let Some(listener) = LISTENER.get() {
        listener(what);
    }
}
