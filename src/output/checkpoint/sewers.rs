//! State of a sewer network in a checkpoint: everything that SWMM was given since its start. SWMM's
//! own files do not restore its state exactly, so a network is restored by computing it again,
//! which takes a fraction of the time of the run (docs/decisions/0036-sewers.md).

use crate::engine::forcing::ports::{BoundaryVolumes, Port};
use crate::error::{Error, Result};
use crate::words::hexadecimal;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// What the surface gave a network in a coupling interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SewerInterval {
    /// Volume that left the surface through each inlet, negative if it entered (grains).
    pub volumes: Vec<i64>,
    /// Water in the cell of each outfall at the end of the interval (grains).
    pub waters: Vec<i32>,
}

/// Intervals since the start of a network, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SewerHistory {
    bytes: Vec<u8>,
    /// Number of intervals.
    pub intervals: u64,
    waters: Vec<i32>,
}

/// State of a network in a file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct SewerState {
    /// Checksum of the network and of its inlets.
    pub sum: String,
    /// Number of intervals since the start of the network.
    pub intervals: u64,
    /// The intervals, compressed.
    packed: String,
    /// Net volume through each inlet until the last interval, as counted by the ports of the run
    /// (grains).
    pub before: Vec<i64>,
    /// Port of the first inlet.
    port: Port,
}

impl SewerHistory {
    /// Adds an interval.
    pub fn push(&mut self, interval: &SewerInterval) {
        let SewerInterval { volumes, waters } = interval;
        let mut add = |number: i64| {
            let bytes = postcard::to_stdvec(&number).expect("a number is plain data");
            self.bytes.extend(bytes);
        };
        volumes.iter().copied().for_each(&mut add);
        self.waters.resize(waters.len(), 0);
        for (last, water) in self.waters.iter_mut().zip(waters) {
            add(i64::from(*water) - i64::from(*last));
            *last = *water;
        }
        self.intervals += 1;
    }

    /// Returns the intervals of a network with some `inlets` and `outfalls`; `None` if the bytes
    /// are not a history of it.
    pub fn read(&self, inlets: usize, outfalls: usize) -> Option<Vec<SewerInterval>> {
        let mut bytes = &self.bytes[..];
        let mut take = || {
            let (number, rest) = postcard::take_from_bytes::<i64>(bytes).ok()?;
            bytes = rest;
            Some(number)
        };
        let mut last = vec![0i64; outfalls];
        let mut all = Vec::new();
        for _ in 0..self.intervals {
            let volumes = (0..inlets).map(|_| take()).collect::<Option<Vec<i64>>>()?;
            for water in &mut last {
                *water += take()?;
            }
            let waters = last.iter().map(|water| i32::try_from(*water).ok());
            all.push(SewerInterval { volumes, waters: waters.collect::<Option<_>>()? });
        }
        bytes.is_empty().then_some(all)
    }

    /// Returns the state for a file.
    pub fn state(&self, sum: &str, port: Port, before: &[i64]) -> SewerState {
        let packed = STANDARD.encode(lz4_flex::compress_prepend_size(&self.bytes));
        let (sum, before) = (sum.into(), before.to_vec());
        SewerState { sum, intervals: self.intervals, packed, before, port }
    }
}

impl SewerState {
    /// Returns the intervals; `None` if the state is damaged.
    pub fn history(&self) -> Option<SewerHistory> {
        let packed = STANDARD.decode(&self.packed).ok()?;
        let bytes = lz4_flex::decompress_size_prepended(&packed).ok()?;
        Some(SewerHistory { bytes, intervals: self.intervals, waters: Vec::new() })
    }

    /// Returns the net volume through each inlet since the last interval, given the volumes of the
    /// run until the state (grains).
    pub fn since(&self, volumes: &BoundaryVolumes) -> Vec<i64> {
        let now = net_volumes(volumes, self.port, self.before.len());
        now.iter().zip(&self.before).map(|(now, before)| now - before).collect()
    }
}

/// Returns the net volume that left the surface through each of `count` ports from `first` on
/// (grains).
pub fn net_volumes(volumes: &BoundaryVolumes, first: Port, count: usize) -> Vec<i64> {
    let mut net = vec![0; count];
    for (port, came, left) in volumes.each() {
        if let Some(net) = port.checked_sub(first).and_then(|at| net.get_mut(at as usize)) {
            *net = left as i64 - came as i64;
        }
    }
    net
}

/// Returns the checksum of a network's file and of other facts about it.
///
/// # Errors
/// If the file cannot be read.
pub fn sum_of_network(files: &[&Path], facts: &impl Serialize) -> Result<String> {
    let mut sum = Sha256::new();
    for path in files {
        let bytes = std::fs::read(path).map_err(|error| {
            Error::input(format!("sewers: cannot read '{}'", path.display())).because(error)
        })?;
        sum.update(&bytes);
    }
    sum.update(postcard::to_stdvec(facts).expect("facts are plain data"));
    Ok(hexadecimal(&sum.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_survives_a_file() {
        let mut history = SewerHistory::default();
        let interval = |volumes: [i64; 3], waters: [i32; 2]| SewerInterval {
            volumes: volumes.to_vec(),
            waters: waters.to_vec(),
        };
        let all = [
            interval([0, 1, -1], [0, i32::MAX]),
            interval([i64::MAX, i64::MIN, 63], [77, 0]),
            interval([-64, 64, 1 << 40], [i32::MAX, 5]),
        ];
        all.iter().for_each(|interval| history.push(interval));
        let state = history.state("sum", 20, &[1, 2, 3]);
        let text = serde_json::to_string(&state).expect("plain data");
        let read: SewerState = serde_json::from_str(&text).expect("the same data");
        let read = read.history().expect("it is sound");
        assert_eq!(read.read(3, 2).expect("it fits"), all);
        assert!(read.read(2, 2).is_none() && read.read(3, 3).is_none());
    }

    #[test]
    fn volumes_since_the_last_interval_are_net() {
        let mut volumes = BoundaryVolumes::default();
        volumes.add(19, 9, 9);
        volumes.add(21, 5, 7);
        let state = SewerHistory::default().state("", 20, &[0, -3]);
        assert_eq!(state.since(&volumes), [0, 5]);
    }
}
