//! Options that name other machines.

use super::options::Options;
use crate::error::Result;
use crate::input::remote::{allow, check_name};

/// Refuses options that name other machines, unless they are allowed; from now on GDAL heeds that, too.
pub fn check(options: &Options) -> Result<()> {
    allow(options.allow_remote);
    let parameters = options.parameters();
    let keys = parameters.as_object().into_iter().flatten();
    for (key, value) in keys {
        let texts = match value {
            serde_json::Value::Array(texts) => &texts[..],
            value => std::slice::from_ref(value),
        };
        for text in texts.iter().filter_map(serde_json::Value::as_str) {
            check_name(text, key)?;
        }
    }
    Ok(())
}
