//! A GDAL and PROJ that are linked into the program (the feature `static-gdal`) take nothing from others on the machine. Conda and
//! the like name theirs in variables, and PROJ looks beside the program, too: plugins of another GDAL crash this one, and the
//! database of another PROJ has another layout.

use gdal::cpl::CslStringList;

/// A folder that cannot be.
const NOWHERE: &str = "/dev/null/none";

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
    let mut nowhere = CslStringList::new();
    // Where PROJ finds no database it takes the one that is linked in.
    if nowhere.add_string(NOWHERE).is_ok() {
        // SAFETY: GDAL copies the list.
        unsafe { gdal_sys::OSRSetPROJSearchPaths(nowhere.as_ptr().cast_const().cast()) };
    }
}
