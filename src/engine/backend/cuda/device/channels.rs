//! The number of channels that the driver opens to a GPU.

/// Asks the driver for two channels to each GPU, one for steps and one for copies, unless the user
/// asks for another number. With the usual eight, opening a GPU takes 80 ms longer, and closing it
/// 45 ms. To be called before there are threads.
pub fn open_few() {
    const NAME: &str = "CUDA_DEVICE_MAX_CONNECTIONS";
    if std::env::var_os(NAME).is_none() {
        // SAFETY: the caller has not started any threads yet, so nothing reads the environment
        // concurrently.
        unsafe { std::env::set_var(NAME, "2") };
    }
}
