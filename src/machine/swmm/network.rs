//! A sewer network that SWMM computes. All quantities are in SI units, whatever the units of the
//! input file.

use super::library::{Swmm, swmm};
use crate::error::{Error, Result};
use jiff::civil::DateTime;
use std::cell::Cell;
use std::ffi::{CString, c_int};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Foot (m).
const FOOT: f64 = 0.3048;
/// Codes of SWMM's objects and properties (swmm5.h, toolkit_enums.h).
const NODE: c_int = 2;
const NODE_TYPE: c_int = 300;
const NODE_ELEVATION: c_int = 301;
const NODE_FULL_DEPTH: c_int = 302;
const ROUTING_STEP: c_int = 3;
const FLOW_UNITS: c_int = 8;
const FULL_DEPTH: c_int = 1;
const SURCHARGE_DEPTH: c_int = 2;
const PONDED_AREA: c_int = 3;
const INFLOW: c_int = 0;
const OUTFLOW: c_int = 1;
const VOLUME: c_int = 3;
const OVERFLOW: c_int = 4;
const DEPTH: c_int = 5;
const HEAD: c_int = 6;

/// Longest path that SWMM accepts (bytes).
pub const LONGEST_PATH: usize = 255;
/// Number of lines of SWMM's report that an error quotes.
const QUOTED: usize = 3;

/// Discharge below which SWMM ignores the inflow at a node (m³/s): 1e-5 ft³/s.
pub const IGNORED_FLOW: f64 = 1e-5 * FOOT * FOOT * FOOT;

/// Set while SWMM has an open network. Its state is global, so that a process has one at a time.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A junction, or a flow divider, which acts as a junction.
    Junction,
    /// An outfall, at which water leaves the network.
    Outfall,
    /// A storage unit.
    Storage,
}

/// Node of a network, in SI units.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name in the input file.
    pub name: String,
    /// Kind of the node.
    pub kind: NodeKind,
    /// Invert level (m).
    pub invert: f64,
    /// Depth from the invert to the rim (m).
    pub full_depth: f64,
    /// Head over the rim at which its sealed cover gives way (m); 0 if it is not sealed.
    pub surcharge: f64,
    /// Area of water that SWMM would pond over it (m²).
    pub ponded_area: f64,
}

/// Returns the error of a path that is too long for SWMM.
pub fn too_long(path: &Path) -> Error {
    Error::input(format!(
        "sewers: the path '{}' is longer than the {LONGEST_PATH} bytes that SWMM accepts",
        path.display()
    ))
    .hint("move the files to a folder with a shorter name")
}

/// Decodes a text of an input file: UTF-8, or else Latin-1, in which every byte is a letter, so that
/// different names stay different.
pub fn decoded(bytes: &[u8]) -> String {
    let latin_1 = || bytes.iter().map(|byte| char::from(*byte)).collect();
    std::str::from_utf8(bytes).map_or_else(|_| latin_1(), String::from)
}

/// An open network. It is closed when it is dropped.
pub struct Network {
    swmm: &'static Swmm,
    report: PathBuf,
    /// Metres per unit of length of the input file.
    pub metres: f64,
    /// m³/s per unit of flow.
    flow: f64,
    started: bool,
    /// Set once SWMM has closed the network, which it must do only once.
    closed: Cell<bool>,
    /// Time that SWMM has reached (s).
    pub time: f64,
    /// Start of the input file, which has no time zone.
    pub start: DateTime,
    /// Time from the start to the end of the input file (s).
    pub duration: f64,
}

impl Network {
    /// Opens an input file, for SWMM to write its report and its results to the other files.
    ///
    /// # Errors
    /// If the library is missing, another network is open in this process, or SWMM refuses the
    /// file.
    pub fn open(input: &Path, report: &Path, results: &Path) -> Result<Network> {
        let swmm = swmm()?;
        let paths = [input, report, results];
        if let Some(path) = paths.iter().find(|path| path.as_os_str().len() > LONGEST_PATH) {
            return Err(too_long(path));
        }
        let [input, of_report, of_results] = paths.map(|path| {
            CString::new(path.as_os_str().as_encoded_bytes()).expect("paths contain no zero byte")
        });
        if IS_OPEN.swap(true, Ordering::AcqRel) {
            return Err(Error::input("sewers: another run of this process has an open SWMM network")
                .hint("SWMM computes one network at a time in a process: finish the other run first, or start the runs in processes of their own, as studies do"));
        }
        let mut network = Network {
            swmm,
            report: report.to_path_buf(),
            metres: 1.0,
            flow: 1.0,
            started: false,
            closed: Cell::new(false),
            time: 0.0,
            start: DateTime::default(),
            duration: 0.0,
        };
        // SAFETY: the texts are null-terminated and outlive the call; nothing else uses SWMM.
        let status =
            unsafe { (swmm.open)(input.as_ptr(), of_report.as_ptr(), of_results.as_ptr()) };
        network.check(status, "opening the network")?;
        let units = network.value(FLOW_UNITS, 0) as usize;
        let cubic_foot = FOOT * FOOT * FOOT;
        let gallon = 231.0 * 0.0254 * 0.0254 * 0.0254;
        network.flow =
            [cubic_foot, gallon / 60.0, 1e6 * gallon / 86_400.0, 1.0, 1e-3, 1000.0 / 86_400.0]
                [units.min(5)];
        network.metres = if units < 3 { FOOT } else { 1.0 };
        network.start = network.date(0)?;
        network.duration = network.date(1)?.duration_since(network.start).as_secs_f64();
        Ok(network)
    }

    /// Returns the start (0) or the end (1) of the input file.
    fn date(&self, which: c_int) -> Result<DateTime> {
        let mut parts = [0; 6];
        let [year, month, day, hour, minute, second] = parts.each_mut();
        // SAFETY: the pointers are to writable numbers; SWMM is open.
        let status = unsafe { (self.swmm.date)(which, year, month, day, hour, minute, second) };
        self.check(status, "reading its dates")?;
        let year = parts[0] as i16;
        let [_, month, day, hour, minute, second] = parts.map(|part| part as i8);
        DateTime::new(year, month, day, hour, minute, second, 0)
            .map_err(|error| Error::input("sewers: its dates are invalid").because(error))
    }

    /// Returns the nodes.
    ///
    /// # Errors
    /// If SWMM does not answer.
    pub fn nodes(&self) -> Result<Vec<Node>> {
        // SAFETY: SWMM is open.
        let count = unsafe { (self.swmm.count)(NODE) };
        (0..count).map(|node| self.node(node)).collect()
    }

    fn node(&self, node: c_int) -> Result<Node> {
        let mut name = [0u8; 256];
        // SAFETY: SWMM writes a null-terminated text of at most this length.
        unsafe { (self.swmm.name)(NODE, node, name.as_mut_ptr().cast(), name.len() as c_int) };
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        Ok(Node {
            name: decoded(&name[..end]),
            kind: match self.value(NODE_TYPE, node) as i32 {
                1 => NodeKind::Outfall,
                2 => NodeKind::Storage,
                _ => NodeKind::Junction,
            },
            invert: self.value(NODE_ELEVATION, node) * self.metres,
            full_depth: self.value(NODE_FULL_DEPTH, node) * self.metres,
            surcharge: self.parameter(node, SURCHARGE_DEPTH)? * self.metres,
            ponded_area: self.parameter(node, PONDED_AREA)? * self.metres * self.metres,
        })
    }

    /// Returns the routing step of the input file (s).
    pub fn routing_step(&self) -> f64 {
        self.value(ROUTING_STEP, 0)
    }

    /// Sets the area (m²) on which water stands over each node when its head exceeds the rim; 0
    /// for none. Before the start.
    ///
    /// # Errors
    /// If SWMM refuses.
    pub fn pond(&mut self, areas: &[f64]) -> Result<()> {
        // SAFETY: SWMM is open, and this is the only thread that uses it.
        unsafe { self.swmm.allow_ponding.set(c_int::from(areas.iter().any(|area| *area > 0.0))) };
        let square = self.metres * self.metres;
        for (node, area) in areas.iter().enumerate() {
            self.set_parameter(node, PONDED_AREA, area / square)?;
        }
        Ok(())
    }

    /// Sets the depth of a node from its invert to its rim (m). Before the start.
    ///
    /// # Errors
    /// If SWMM refuses.
    pub fn set_full_depth(&mut self, node: usize, depth: f64) -> Result<()> {
        self.set_parameter(node, FULL_DEPTH, depth / self.metres)
    }

    fn set_parameter(&mut self, node: usize, parameter: c_int, value: f64) -> Result<()> {
        // SAFETY: SWMM is open, and checks the numbers.
        let status = unsafe { (self.swmm.set_node_parameter)(node as c_int, parameter, value) };
        self.check(status, "changing a node")
    }

    /// Starts the simulation.
    ///
    /// # Errors
    /// If SWMM refuses.
    pub fn start(&mut self) -> Result<()> {
        // SAFETY: SWMM is open and not started.
        let status = unsafe { (self.swmm.start)(1) };
        self.started = true;
        self.check(status, "starting the network")
    }

    /// Advances by a routing step. Returns its length (s); 0 at the end of the input file.
    ///
    /// # Errors
    /// If SWMM fails.
    pub fn step(&mut self) -> Result<f64> {
        let mut days = 0.0;
        // SAFETY: SWMM is started; the number is writable.
        let status = unsafe { (self.swmm.step)(&mut days) };
        self.check(status, "a routing step")?;
        // SWMM returns 0 at the end.
        let time = if days > 0.0 { days * 86_400.0 } else { self.duration };
        let step = time - self.time;
        self.time = time;
        Ok(step)
    }

    /// Sets the inflow at a node from now on (m³/s).
    ///
    /// # Errors
    /// If SWMM refuses.
    pub fn set_inflow(&mut self, node: usize, flow: f64) -> Result<()> {
        // SAFETY: SWMM is open, and checks the number of the node.
        let status = unsafe { (self.swmm.set_inflow)(node as c_int, flow / self.flow) };
        self.check(status, "an inflow")
    }

    /// Sets the water level outside an outfall from now on (m).
    ///
    /// # Errors
    /// If SWMM refuses.
    pub fn set_stage(&mut self, node: usize, level: f64) -> Result<()> {
        // SAFETY: SWMM is open, and checks the number of the node.
        let status = unsafe { (self.swmm.set_stage)(node as c_int, level / self.metres) };
        self.check(status, "the stage of an outfall")
    }

    /// Returns the head at a node (m).
    pub fn head(&self, node: usize) -> f64 {
        self.result(node, HEAD) * self.metres
    }

    /// Returns the depth at a node (m).
    pub fn depth(&self, node: usize) -> f64 {
        self.result(node, DEPTH) * self.metres
    }

    /// Returns the volume stored at a node (m³).
    pub fn volume(&self, node: usize) -> f64 {
        self.result(node, VOLUME) * if self.metres == 1.0 { 1.0 } else { FOOT * FOOT * FOOT }
    }

    /// Returns the discharge that leaves the network over a node (m³/s).
    pub fn overflow(&self, node: usize) -> f64 {
        self.result(node, OVERFLOW) * self.flow
    }

    /// Returns the discharge out of the network at an outfall (m³/s), negative if it flows back.
    pub fn outfall_flow(&self, node: usize) -> f64 {
        let (inflow, outflow) = (self.result(node, INFLOW), self.result(node, OUTFLOW));
        // SWMM sets the inflow of an outfall to the outflow if water flows back.
        if outflow == 0.0 { inflow * self.flow } else { -outflow * self.flow }
    }

    /// Ends the simulation, and writes SWMM's report. Returns SWMM's continuity errors of runoff
    /// and flow routing (%).
    ///
    /// # Errors
    /// If SWMM fails.
    pub fn finish(mut self) -> Result<[f64; 2]> {
        self.started = false;
        // SAFETY: SWMM is started.
        let status = unsafe { (self.swmm.end)() };
        self.check(status, "ending the simulation")?;
        let [mut runoff, mut flow, mut quality] = [0.0; 3];
        // SAFETY: the numbers are writable.
        unsafe { (self.swmm.balance_errors)(&mut runoff, &mut flow, &mut quality) };
        // SAFETY: the simulation has ended, and the network is open.
        let status = unsafe { (self.swmm.report)() };
        self.check(status, "writing the report")?;
        Ok([f64::from(runoff), f64::from(flow)])
    }

    fn value(&self, property: c_int, index: c_int) -> f64 {
        // SAFETY: SWMM is open, and returns 0 for unknown objects.
        unsafe { (self.swmm.value)(property, index) }
    }

    fn parameter(&self, node: c_int, parameter: c_int) -> Result<f64> {
        let mut value = 0.0;
        // SAFETY: SWMM is open; the number is writable.
        let status = unsafe { (self.swmm.node_parameter)(node, parameter, &mut value) };
        self.check(status, "reading a node")?;
        Ok(value)
    }

    fn result(&self, node: usize, result: c_int) -> f64 {
        let mut value = 0.0;
        // SAFETY: SWMM is open; the number is writable. It is 0 for unknown nodes.
        unsafe { (self.swmm.node_result)(node as c_int, result, &mut value) };
        value
    }

    /// Returns an error with SWMM's own words unless `status` is success.
    fn check(&self, status: c_int, what: &str) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        let mut text = [0u8; 1024];
        // SAFETY: SWMM writes a null-terminated text of at most this length.
        unsafe { (self.swmm.error)(text.as_mut_ptr().cast(), text.len() as c_int) };
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        let said = String::from_utf8_lossy(&text[..end]).trim().to_string();
        // SWMM writes its report to disk when it closes.
        self.close();
        let report = std::fs::read(&self.report).unwrap_or_default();
        let report = String::from_utf8_lossy(&report).into_owned();
        let lines: Vec<&str> = report.lines().map(str::trim).collect();
        let is_error = |at: &usize| lines[*at].starts_with("ERROR");
        // The line after an error in the input quotes the input.
        let quoted = (0..lines.len())
            .filter(is_error)
            .take(QUOTED)
            .flat_map(|at| [lines[at], lines.get(at + 1).copied().unwrap_or_default()]);
        let quoted: Vec<&str> = quoted.filter(|line| !line.is_empty()).collect();
        let said = if quoted.is_empty() { said } else { quoted.join("; ") };
        let said = if said.is_empty() { format!("error {status}") } else { said };
        let error = match self.started {
            true => Error::always(format!("sewers: SWMM failed in {what}: {said}")),
            false => Error::input(format!("sewers: SWMM refuses the input file: {said}")),
        };
        Err(error.hint("correct the file with EPA SWMM, which reports the same errors"))
    }

    fn close(&self) {
        if self.closed.replace(true) {
            return;
        }
        // SAFETY: SWMM accepts both calls in any state, but may close its files only once.
        unsafe {
            if self.started {
                (self.swmm.end)();
            }
            (self.swmm.close)();
        }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.close();
        IS_OPEN.store(false, Ordering::Release);
    }
}
