//! Entry point of the command `inundate`.

#[global_allocator]
static MEMORY: inundate::machine::allocator::OrEnd = inundate::machine::allocator::OrEnd;

fn main() -> std::process::ExitCode {
    inundate::cli::main()
}
