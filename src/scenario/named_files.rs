//! Files that the options name: not on other machines, and not values with a typing error.

use super::options::{Options, describe};
use super::value_or_file::{RULE, is_a_path};
use crate::error::{Error, Result};
use crate::input::gdal_access::remote::{allow, check_name};
use std::path::Path;

/// Refuses options that refer to other machines, unless they are allowed, and sets GDAL to the same
/// policy. Refuses texts that are neither a value nor the name of an existing file, unless their
/// reader reports the missing file.
pub fn check(options: &Options) -> Result<()> {
    allow(options.allow_remote);
    let folder = options.scenario_file.as_deref().and_then(Path::parent);
    let mut checked = Ok(());
    options.clone().each_value(|key, value| {
        let may_be_a_value = value.may_be_a_value();
        let (Some(path), Ok(())) = (value.path(), &checked) else { return };
        checked = check_name(&path.to_string_lossy(), key);
        let written = folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
        let text = written.to_string_lossy();
        // GDAL's names of datasets in a file or a database have a colon or angle brackets.
        let is_certain = is_a_path(&text) || text.contains([':', '<']) || path.exists();
        if may_be_a_value && !is_certain && checked.is_ok() {
            let help = describe().into_iter().find(|option| option.key == key);
            let help = help.map(|option| option.help).unwrap_or_default();
            checked = Err(Error::input(format!(
                "{key}: '{text}' is neither a value nor an existing file"
            ))
            .hint(format!("{help}; {RULE}")));
        }
    });
    checked
}
