//! Options that refer to other machines.

use super::options::Options;
use crate::error::Result;
use crate::input::remote::{allow, check_name};

/// Refuses options that refer to other machines, unless they are allowed, and sets GDAL to the same
/// policy.
pub fn check(options: &Options) -> Result<()> {
    allow(options.allow_remote);
    let mut checked = Ok(());
    options.clone().each_said(|key, said| {
        if checked.is_ok() {
            checked = check_name(&said.text(), key.name);
        }
    });
    checked
}
