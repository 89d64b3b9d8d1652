//! Words of many cells: every width gives the same results.

#![cfg(target_arch = "x86_64")]

use inundate_automata::word::{Wide512, Word};

#[test]
fn three_input_functions_match_plain_word_operations() {
    if !(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vbmi2")) {
        return;
    }
    // Every combination of three bits.
    let [a, b, c] = [0xf0u64, 0xcc, 0xaa];
    // SAFETY: see the types.
    let wide = |x: u64| unsafe { Wide512::load([x; 8].as_ptr()) };
    type Three<T> = fn(T, T, T) -> T;
    let plain: [Three<u64>; 7] =
        [u64::xor3, u64::majority, u64::or3, u64::and3, u64::select, u64::or_xor, u64::one_then];
    let wides: [Three<Wide512>; 7] = [
        Wide512::xor3,
        Wide512::majority,
        Wide512::or3,
        Wide512::and3,
        Wide512::select,
        Wide512::or_xor,
        Wide512::one_then,
    ];
    for (at, (plain, other)) in plain.iter().zip(wides).enumerate() {
        let mut out = [0; 8];
        // SAFETY: see the types.
        unsafe { other(wide(a), wide(b), wide(c)).store(out.as_mut_ptr()) };
        assert_eq!(out, [plain(a, b, c); 8], "function {at}");
    }
}
