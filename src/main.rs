//! Entry point of the command `inundate`.

#[global_allocator]
static MEMORY: inundate::machine::allocator::AbortingAllocator =
    inundate::machine::allocator::AbortingAllocator;

fn main() -> std::process::ExitCode {
    inundate::cli::main()
}
