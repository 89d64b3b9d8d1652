//! Resource usage of each kernel, parsed from the assembler's report in NVRTC's log.

use serde::Serialize;

/// Resource usage of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Name of the kernel.
    pub function: String,
    /// Number of registers per thread.
    pub registers: u32,
    /// Stack per thread (bytes): arrays that did not fit in registers, including spills.
    pub stack: u32,
    /// Registers spilled to memory, per thread (bytes).
    pub spill_stores: u32,
    /// Spilled registers read back, per thread (bytes).
    pub spill_loads: u32,
    /// Static shared memory per block (bytes).
    pub shared: u32,
}

impl Usage {
    /// Returns the bytes that spills move, both ways.
    pub fn spills(&self) -> u32 {
        self.spill_stores + self.spill_loads
    }
}

/// Parses the usage of every kernel from a log of compiling machine code with `--ptxas-options=-v`,
/// in log order:
///
/// ```text
/// ptxas info    : Compiling entry function 'flow' for 'sm_90'
/// ptxas info    : Function properties for flow
/// ptxas         .     256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
/// ptxas info    : Used 40 registers, used 1 barriers, 1024 bytes smem
/// ```
pub fn usages(log: &str) -> Vec<Usage> {
    let mut usages: Vec<Usage> = Vec::new();
    // Called functions have properties, too; they count towards the kernel before them.
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let function = rest.split('\'').next().unwrap_or_default().to_string();
            usages.push(Usage { function, ..Usage::default() });
        } else if let Some(usage) = usages.last_mut() {
            usage.stack += number_before(line, "bytes stack frame");
            usage.spill_stores += number_before(line, "bytes spill stores");
            usage.spill_loads += number_before(line, "bytes spill loads");
            usage.registers = usage.registers.max(number_before(line, "registers"));
            usage.shared = usage.shared.max(number_before(line, "bytes smem"));
        }
    }
    usages
}

/// Returns the number in front of some words; 0 if they do not occur.
fn number_before(line: &str, words: &str) -> u32 {
    let before = line.split_once(words).map_or("", |(before, _)| before.trim_end());
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_kernel_by_kernel() {
        let log = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k2' for 'sm_90'
ptxas info    : Function properties for k2
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas info    : Compile time = 1.891 ms
ptxas info    : Compiling entry function 'flow' for 'sm_90'
ptxas info    : Function properties for flow
ptxas         .     256 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 256 bytes cumulative stack size, 1024 bytes smem, 400 bytes cmem[0]
";
        let k2 = Usage { function: "k2".into(), registers: 8, ..Usage::default() };
        let flow = Usage {
            function: "flow".into(),
            registers: 40,
            stack: 256,
            spill_stores: 12,
            spill_loads: 16,
            shared: 1024,
        };
        assert_eq!(usages(log), [k2, flow.clone()]);
        assert_eq!(flow.spills(), 28);
        assert_eq!(usages("no kernel, 7 registers"), []);
    }
}
