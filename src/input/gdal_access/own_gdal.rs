//! Isolation of a statically linked GDAL and PROJ (feature `static-gdal`) from other installations,
//! and of any GDAL from options that change what it reads. Conda and similar systems name theirs in
//! environment variables, and PROJ also looks beside the program: plugins of another GDAL crash this
//! one, and another PROJ's database has another layout.

use gdal::DriverManager;
use gdal::config::clear_config_option;
use gdal::cpl::CslStringList;

/// A path that cannot exist.
const NOWHERE: &str = "/dev/null/none";

/// GDAL options that change the values, places or features that are read from a file. By default,
/// none of them is set.
const READING: &str = "AAIGRID_DATATYPE CENTER_LONG CHECK_WITH_INVERT_PROJ CPL_ZIP_ENCODING DTED_APPLY_PIXEL_IS_POINT \
    DXF_CLOSED_LINE_AS_POLYGON DXF_ENCODING GDAL_DISABLE_READDIR_ON_OPEN GDAL_GCPS_TO_GEOTRANSFORM_APPROX_OK \
    GDAL_GCPS_TO_GEOTRANSFORM_APPROX_THRESHOLD GDAL_GEOREF_SOURCES GDAL_IGNORE_AXIS_ORIENTATION \
    GDAL_JP2K_ALT_OFFSETVECTOR_ORDER GDAL_JPEG_TO_RGB GDAL_NETCDF_ASSUME_LONGLAT GDAL_NETCDF_BOTTOMUP \
    GDAL_NETCDF_CENTERLONG_180 GDAL_NETCDF_IGNORE_EQUALLY_SPACED_XY_CHECK \
    GDAL_NETCDF_IGNORE_XY_AXIS_NAME_CHECKS GDAL_NETCDF_REPORT_EXTRA_DIM_VALUES GDAL_NETCDF_VERIFY_DIMS \
    GDAL_PAM_ENABLED GDAL_PAM_MODE GDAL_PAM_PROXY_DIR GDAL_READDIR_LIMIT_ON_OPEN GDAL_USE_GEOJP2 \
    GDAL_USE_GMLJP2 GML_ATTRIBUTES_TO_OGR_FIELDS GML_CONSIDER_EPSG_AS_URN GML_FACE_HOLE_NEGATIVE \
    GML_FETCH_ALL_GEOMETRIES GML_FIELDTYPES GML_GET_SECONDARY_GEOM GML_INVERT_AXIS_ORDER_IF_LAT_LONG \
    GML_REPORT_COMPD_CS GML_SKIP_CORRUPTED_FEATURES GML_SRS_DIMENSION_IF_MISSING GML_SWAP_COORDINATES \
    GMLJP2OVERRIDE GPX_ELE_AS_25D GRASSASCIIGRID_DATATYPE GRIB_ADJUST_LONGITUDE_RANGE \
    GRIB_DEFAULT_SEMI_MAJOR GRIB_DEFAULT_SEMI_MINOR GRIB_LATITUDE_OF_FIRST_GRID_POINT_IS_SOUTHERN_MOST \
    GRIB_NORMALIZE_UNITS GRIB_USE_DEFAULT_SPHEROID GTIFF_ESRI_CITATION GTIFF_FORCE_RGBA \
    GTIFF_HONOUR_NEGATIVE_SCALEY GTIFF_IGNORE_READ_ERRORS GTIFF_IMPORT_FROM_EPSG GTIFF_LINEAR_UNITS \
    GTIFF_POINT_GEO_IGNORE GTIFF_READ_ANGULAR_PARAMS_IN_DEGREE GTIFF_REPORT_COMPD_CS GTIFF_SRS_SOURCE \
    HFA_USE_ESRI_PE_STRING NAS_SKIP_CORRUPTED_FEATURES OGR_APPLY_GEOM_SET_PRECISION OGR_ARC_MAX_GAP \
    OGR_ARC_STEPSIZE OGR_CT_FORCE_TRADITIONAL_GIS_ORDER OGR_CT_OP_SELECTION OGR_CT_PREFER_OFFICIAL_SRS_DEF \
    OGR_CT_USE_SRS_COORDINATE_EPOCH OGR_ENABLE_PARTIAL_REPROJECTION OGR_GEOMETRY_ACCEPT_UNCLOSED_RING \
    OGR_ORGANIZE_POLYGONS OGR_PROMOTE_TO_INTEGER64 OGR_SHAPE_ALLOW_NON_FINITE_COORDINATES \
    OGR_STROKE_CURVE OGR_TABLE_LIMIT OSR_ADD_TOWGS84_ON_EXPORT_TO_WKT1 OSR_ADD_TOWGS84_ON_IMPORT_FROM_EPSG \
    OSR_CT_USE_DEFAULT_EPSG_TOWGS84 OSR_DEFAULT_AXIS_MAPPING_STRATEGY OSR_STRIP_TOWGS84 OSR_USE_APPROX_TMERC \
    OSR_USE_ETMERC OSR_USE_NON_DEPRECATED OSR_WKT_FORMAT RAW_CHECK_FILE_SIZE SHAPE_ENCODING \
    TAB_APPROX_GEOTRANSFORM THRESHOLD USE_OSR_FIND_MATCHES";

/// Clears the options that change what is read and that GDAL's configuration file sets, which GDAL
/// reads when it registers its drivers.
pub fn clear_reading_options() {
    let _ = DriverManager::get_driver_by_name("MEM");
    for name in READING.split(' ') {
        let _ = clear_config_option(name);
    }
}

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

/// Removes options that change what is read from the environment, and isolates a linked-in GDAL and
/// PROJ. To be called before anything uses them, and before there are threads.
pub fn keep_to_itself() {
    for name in READING.split(' ') {
        // SAFETY: as below.
        unsafe { std::env::remove_var(name) };
    }
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
