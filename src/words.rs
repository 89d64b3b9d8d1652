//! Words and digits of messages, titles and reports.

/// A text with its first letter in upper case.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A number and what it counts: `counted(2, "cell", "cells")` is `2 cells`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// What follows the name of a rule that is not at first order in space: `, order 2`.
pub fn in_order(order: u32) -> String {
    if order == 1 { String::new() } else { format!(", order {order}") }
}

/// Bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
