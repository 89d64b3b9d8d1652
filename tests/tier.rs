//! Extent of the tests: `make test-all` sets `INUNDATE_TESTS=all`, `make test` does not.

// Each test program uses only a part of this module.
#![allow(dead_code)]

/// Returns `true` if everything is to be tested (`make test-all`).
pub fn all() -> bool {
    match std::env::var("INUNDATE_TESTS").as_deref() {
        Ok("all") => true,
        Ok(other) => panic!("INUNDATE_TESTS may be 'all', not '{other}'"),
        Err(_) => false,
    }
}

/// Returns the first value, or with `make test-all` the second: numbers of steps, widths and so on.
pub fn few_or_all<T>(few: T, everything: T) -> T {
    if all() { everything } else { few }
}
