//! Values of a raster as bytes: each as 32 bits where that is the same number for all of them, which it is for most rasters.

use crate::error::{Error, Result};

/// Whether a value is the same with 32 bits.
fn is_short(value: f64) -> bool {
    value.is_nan() || f64::from(value as f32).to_bits() == value.to_bits()
}

/// Adds values to a message, after a byte that says how long each is.
pub fn put(values: &[f64], to: &mut Vec<u8>) {
    let short = values.iter().all(|&value| is_short(value));
    let length = if short { size_of::<f32>() } else { size_of::<f64>() };
    to.reserve_exact(1 + length * values.len());
    to.push(length as u8);
    match short {
        true => values.iter().for_each(|&v| to.extend_from_slice(&(v as f32).to_le_bytes())),
        false => values.iter().for_each(|v| to.extend_from_slice(&v.to_le_bytes())),
    }
}

/// The values that such bytes are, of which there must be as many as there is room for.
pub fn take(bytes: &[u8], to: &mut [f64]) -> Result<()> {
    let (length, bytes) = bytes.split_first().map_or((0, bytes), |(&first, rest)| (first, rest));
    if bytes.len() != usize::from(length) * to.len() {
        let (sent, count) = (bytes.len(), to.len());
        return Err(Error::run(format!("{sent} bytes for {count} values")));
    }
    if usize::from(length) == size_of::<f32>() {
        for (to, bytes) in to.iter_mut().zip(bytes.chunks_exact(size_of::<f32>())) {
            *to = f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes")));
        }
    } else {
        for (to, bytes) in to.iter_mut().zip(bytes.chunks_exact(size_of::<f64>())) {
            *to = f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::raster::MISSING;

    #[test]
    fn values_come_back_to_the_bit() {
        let short = [0.0, -0.0, 1.5, MISSING, -9999.0, f64::from(0.1f32), f64::INFINITY, 1e-40];
        let exact: Vec<f64> = short[..7].to_vec();
        for (values, length) in [(exact, 4), (short.to_vec(), 8), (vec![0.1], 8), (vec![], 4)] {
            let mut bytes = Vec::new();
            put(&values, &mut bytes);
            assert_eq!(bytes.len(), 1 + length * values.len());
            let mut back = vec![7.0; values.len()];
            take(&bytes, &mut back).unwrap();
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&back), bits(&values));
            assert!(take(&bytes, &mut vec![0.0; values.len() + 1]).is_err());
        }
    }
}
