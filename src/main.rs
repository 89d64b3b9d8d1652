//! The command `inundate`.

fn main() -> std::process::ExitCode {
    inundate::cli::main()
}
