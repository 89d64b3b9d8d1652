//! Lines for people. Unlike `println!` these do not panic when nobody reads any more
//! (`inundate new dem.tif | head -1`): a closed pipe must not cost a run.

/// Prints a line on stdout.
macro_rules! say {
    ($($line:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($line)*);
    }};
}

/// Prints a line on stderr.
macro_rules! tell {
    ($($line:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($line)*);
    }};
}
