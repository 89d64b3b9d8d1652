//! A GDAL and PROJ that are linked into the program (the feature `static-gdal`) take nothing from others on the machine. Conda and
//! the like name theirs in variables, and PROJ looks beside the program, too: plugins of another GDAL crash this one, and the
//! database of another PROJ has another layout.

use gdal::cpl::CslStringList;

/// A folder that cannot be.
const NOWHERE: &str = "/dev/null/none";

/// The same in a process of others, as one of Python, whose variables are theirs: their own GDAL goes by these.
pub fn keep_to_itself_among_others() {
    if cfg!(feature = "static-gdal") {
        // There is nothing to tell if a text of ours is none for GDAL.
        let _ = gdal::config::set_config_option("GDAL_DRIVER_PATH", "disable");
        let _ = gdal::config::set_config_option("GDAL_DATA", NOWHERE);
        no_database_but_its_own();
    }
}

/// Keeps GDAL and PROJ to what is linked in. The system's are set up by the system, and are left as they are. To be called before
/// anything uses them, and before there are threads.
pub fn keep_to_itself() {
    if !cfg!(feature = "static-gdal") {
        return;
    }
    // SAFETY: there is one thread.
    unsafe {
        // A variable, since GDAL's own configuration file gives way to no less.
        std::env::set_var("GDAL_DRIVER_PATH", "disable");
        std::env::remove_var("GDAL_DATA");
    }
    no_database_but_its_own();
}

/// Lets PROJ look in no folder: where it finds no database it takes the one that is linked in.
fn no_database_but_its_own() {
    let mut nowhere = CslStringList::new();
    if nowhere.add_string(NOWHERE).is_ok() {
        // SAFETY: GDAL copies the list.
        unsafe { gdal_sys::OSRSetPROJSearchPaths(nowhere.as_ptr().cast_const().cast()) };
    }
}
