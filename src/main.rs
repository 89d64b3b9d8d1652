//! Entry point of the command `inundate`.

fn main() -> std::process::ExitCode {
    inundate::cli::main()
}
