//! How much is tried: `make test-all` sets `INUNDATE_TESTS=all`, `make test` does not.

// Each test program uses its own part of this.
#![allow(dead_code)]

/// Whether everything is to be tried (`make test-all`).
pub fn all() -> bool {
    match std::env::var("INUNDATE_TESTS").as_deref() {
        Ok("all") => true,
        Ok(other) => panic!("INUNDATE_TESTS may be 'all', not '{other}'"),
        Err(_) => false,
    }
}

/// The first, or with `make test-all` the second: numbers of steps, widths and the like.
pub fn few_or_all<T>(few: T, everything: T) -> T {
    if all() { everything } else { few }
}
