//! Isolation of a statically linked GDAL and PROJ (feature `static-gdal`) from other installations.
//! Conda and similar systems name theirs in environment variables, and PROJ also looks beside the
//! program: plugins of another GDAL crash this one, and another PROJ's database has another layout.

use gdal::cpl::CslStringList;

/// A path that cannot exist.
const NOWHERE: &str = "/dev/null/none";

/// Isolates GDAL and PROJ inside a foreign process, such as Python, whose environment variables
/// belong to its own GDAL and must not change.
pub fn keep_to_itself_among_others() {
    if cfg!(feature = "static-gdal") {
        // A failure here is harmless and has nobody to be reported to.
        let _ = gdal::config::set_config_option("GDAL_DRIVER_PATH", "disable");
        let _ = gdal::config::set_config_option("GDAL_DATA", NOWHERE);
        no_database_but_its_own();
    }
}

/// Isolates a linked-in GDAL and PROJ; a system GDAL is left unchanged. To be called before
/// anything uses them, and before there are threads.
pub fn keep_to_itself() {
    if !cfg!(feature = "static-gdal") {
        return;
    }
    // SAFETY: the caller has not started any threads yet, so nothing reads the environment
    // concurrently.
    unsafe {
        // An environment variable, because GDAL's configuration file overrides anything else.
        std::env::set_var("GDAL_DRIVER_PATH", "disable");
        std::env::remove_var("GDAL_DATA");
    }
    no_database_but_its_own();
}

/// Makes PROJ search no folder; without a database on disk it uses the one that is linked in.
fn no_database_but_its_own() {
    let mut nowhere = CslStringList::new();
    if nowhere.add_string(NOWHERE).is_ok() {
        // SAFETY: `nowhere` is a null-terminated list of NUL-terminated strings that outlives the
        // call; GDAL copies it.
        unsafe { gdal_sys::OSRSetPROJSearchPaths(nowhere.as_ptr().cast_const().cast()) };
    }
}
