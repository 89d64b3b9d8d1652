//! Results at the nodes of a sewer network: time series, peaks and volumes.

use super::folder::{OutputFolder, SEWER_NODES, SEWERS};
use super::tables::{decimals, named, time_columns, write_columns};
use crate::engine::clock::Clock;
use crate::error::Result;
use crate::words::cell;
use jiff::Zoned;
use serde::Serialize;

/// Facts of a network for the report.
#[derive(Clone, Debug, Serialize)]
pub struct SewerReport {
    /// Version of SWMM.
    pub swmm: String,
    /// Number of nodes that exchange water with the surface.
    pub nodes: usize,
    /// Number of their inlets.
    pub inlets: usize,
    /// Coupling interval (s).
    pub interval_s: f64,
    /// Volume that left the surface into the network (m³).
    pub into_sewer_m3: f64,
    /// Volume that the network brought to the surface (m³).
    pub onto_surface_m3: f64,
    /// Volume that the surface has given and the network has not yet received at the end, less
    /// what the network has given and the surface has not yet received (m³).
    pub in_transit_m3: f64,
    /// Volume that flooded out of nodes without exchange, which is lost (m³).
    pub flooded_m3: f64,
    /// Volume that left at outfalls without exchange, less what came back (m³).
    pub other_outflow_m3: f64,
    /// SWMM's own continuity error of runoff (%).
    pub swmm_runoff_error_percent: f64,
    /// SWMM's own continuity error of flow routing (%).
    pub swmm_flow_error_percent: f64,
}

/// Continuity error of SWMM above which its results are not to be trusted (%).
const DOUBTFUL: f64 = 5.0;
/// Lost volume without a warning (m³).
const LITTLE: f64 = 1.0;

impl SewerReport {
    /// Returns warnings about results that are not to be trusted.
    pub fn warnings(&self) -> Vec<String> {
        let errors = [
            ("runoff", self.swmm_runoff_error_percent),
            ("flow routing", self.swmm_flow_error_percent),
        ];
        let doubtful = errors.into_iter().filter(|(_, error)| error.abs() > DOUBTFUL);
        let mut warnings: Vec<String> = doubtful.map(|(what, error)| format!(
            "sewers: SWMM's own continuity error of {what} is {error:.1} %, so its heads and discharges are doubtful: see SWMM's report; if a shorter ROUTING_STEP does not reduce it, SWMM makes or loses this water as dry pipes fill"
        )).collect();
        if self.flooded_m3 > LITTLE {
            warnings.push(format!(
                "sewers: {:.0} m³ flooded out of nodes without exchange with the surface, and are lost: place these nodes on the map, or let water pond over them (ALLOW_PONDING)",
                self.flooded_m3
            ));
        }
        warnings
    }
}

/// Results at a node.
#[derive(Clone, Debug, Serialize)]
pub struct SewerNodeReport {
    /// Name of the node.
    pub name: String,
    /// `junction`, `outfall` or `storage`.
    pub kind: &'static str,
    /// Easting in the DEM's CRS.
    pub x: f64,
    /// Northing in the DEM's CRS.
    pub y: f64,
    /// Invert level (m).
    pub invert_m: f64,
    /// Rim level (m).
    pub rim_m: f64,
    /// Greatest head and discharges.
    #[serde(flatten)]
    pub peaks: NodePeaks,
    /// Volume that left the surface into the node (m³).
    pub into_sewer_m3: f64,
    /// Volume that the node brought to the surface (m³).
    pub onto_surface_m3: f64,
}

/// Greatest values at a node.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct NodePeaks {
    /// Greatest head (m).
    pub max_head_m: f64,
    /// Greatest discharge into the sewer (m³/s).
    pub max_into_sewer_m3_s: f64,
    /// Greatest discharge onto the surface (m³/s).
    pub max_onto_surface_m3_s: f64,
}

/// Time series at the nodes.
#[derive(Clone, Debug)]
pub struct SewerRecords {
    /// Interval of the series (s).
    every: f64,
    /// Number of the next value, counted in intervals.
    next: u64,
    /// Times of the values (s).
    pub times: Vec<f64>,
    /// Head (m) and discharge into the sewer (m³/s) at each node, for each time.
    pub values: Vec<Vec<[f32; 2]>>,
    /// Greatest values at each node.
    pub peaks: Vec<NodePeaks>,
}

impl SewerRecords {
    /// Creates the series of some nodes with an interval (s).
    pub fn new(nodes: usize, every: f64) -> SewerRecords {
        let lowest = NodePeaks { max_head_m: f64::NEG_INFINITY, ..NodePeaks::default() };
        let peaks = vec![lowest; nodes];
        SewerRecords { every, next: 0, times: Vec::new(), values: Vec::new(), peaks }
    }

    /// Adds the heads (m) and the discharges into the sewer (m³/s) at a time (s). The series keeps
    /// the first values at or after each multiple of its interval.
    pub fn add(&mut self, time: f64, heads: &[f64], flows: &[f64]) {
        for ((peaks, head), flow) in self.peaks.iter_mut().zip(heads).zip(flows) {
            peaks.max_head_m = peaks.max_head_m.max(*head);
            peaks.max_into_sewer_m3_s = peaks.max_into_sewer_m3_s.max(*flow);
            peaks.max_onto_surface_m3_s = peaks.max_onto_surface_m3_s.max(-flow);
        }
        if time + 1e-3 < self.next as f64 * self.every {
            return;
        }
        self.next = ((time + 1e-3) / self.every).floor() as u64 + 1;
        self.times.push(time);
        let pairs = heads.iter().zip(flows).map(|(head, flow)| [*head as f32, *flow as f32]);
        self.values.push(pairs.collect());
    }

    /// Writes the series, ready to be published.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn stage(
        &self,
        nodes: &[SewerNodeReport],
        clock: &Clock,
        start: Option<&Zoned>,
        folder: &OutputFolder,
    ) -> Result<()> {
        let mut columns = time_columns(&self.times, clock, start);
        for (at, node) in nodes.iter().enumerate() {
            let mut column = |what: &str, show: &dyn Fn([f32; 2]) -> f64| {
                let values = self.values.iter().map(|values| decimals(show(values[at])));
                columns.push((named(&node.name, what), values.collect()));
            };
            column("head [m]", &|[head, _]| f64::from(head));
            column("exchange [m3/s]", &|[_, flow]| f64::from(flow));
            column("overflow [m3/s]", &|[_, flow]| f64::from((-flow).max(0.0)));
        }
        write_columns(&folder.staged(SEWERS), SEWERS, &columns)
    }
}

/// Writes the peaks and volumes at the nodes, ready to be published.
///
/// # Errors
/// If the disk is full.
pub fn stage_nodes(nodes: &[SewerNodeReport], folder: &OutputFolder) -> Result<()> {
    let text = |head: &str, show: &dyn Fn(&SewerNodeReport) -> String| {
        (head.to_string(), nodes.iter().map(show).collect::<Vec<String>>())
    };
    let number = |head: &str, show: &dyn Fn(&SewerNodeReport) -> f64| {
        text(head, &|node| decimals(show(node)))
    };
    let columns = [
        text("name", &|node| cell(&node.name).into_owned()),
        text("kind", &|node| node.kind.into()),
        text("x", &|node| node.x.to_string()),
        text("y", &|node| node.y.to_string()),
        number("invert [m]", &|node| node.invert_m),
        number("rim [m]", &|node| node.rim_m),
        number("max head [m]", &|node| node.peaks.max_head_m),
        number("max into sewer [m3/s]", &|node| node.peaks.max_into_sewer_m3_s),
        number("max onto surface [m3/s]", &|node| node.peaks.max_onto_surface_m3_s),
        // Exact, as in the mass balance.
        text("into sewer [m3]", &|node| node.into_sewer_m3.to_string()),
        text("onto surface [m3]", &|node| node.onto_surface_m3.to_string()),
    ];
    write_columns(&folder.staged(SEWER_NODES), SEWER_NODES, &columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_keeps_the_first_value_at_or_after_each_multiple() {
        let mut records = SewerRecords::new(1, 10.0);
        for step in 0..9 {
            let time = f64::from(step) * 4.0;
            records.add(time, &[time], &[1.0 - time]);
        }
        assert_eq!(records.times, [0.0, 12.0, 20.0, 32.0]);
        let peaks = records.peaks[0];
        assert_eq!((peaks.max_head_m, peaks.max_into_sewer_m3_s), (32.0, 1.0));
        assert_eq!(peaks.max_onto_surface_m3_s, 31.0);
    }
}
