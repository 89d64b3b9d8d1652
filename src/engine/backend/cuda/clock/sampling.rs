//! Samples of states between steps, taken by the device itself: the twins of kernels/sample.cuh,
//! and their memory.

use crate::backend::SampleRequest;
use crate::backend::cuda::frame::Frame;
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::{Totals, layouts, twin, whole_assertions};
use crate::backend::worker::{self, Sampled};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::BoundaryVolumes;
use crate::time_step::{FIRST, GROWTH, StepControl, Until};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Warps of a block that takes a sample.
pub const SAMPLING_WARPS: u32 = 8;

/// Number of blocks that take a sample together.
pub(crate) const BLOCKS: u32 = 256;

/// Memory for samples (bytes), and the minimum and maximum number of samples: each step that
/// contains a sample time needs one before and one after it.
const ROOM: usize = 1 << 20;
const FEWEST: usize = 4;
const MOST: usize = 1 << 10;

twin! {
    /// Location of a value to sample.
    SampledPlace {
        /// Addresses, one for each order of the double arrays.
        now: [u64; 2],
    }
}

twin! {
    /// Sampling parameters: addresses and counts.
    Sampling {
        /// Sample times in ascending order, the last of them infinite (s).
        times: u64,
        /// Device array of [`SampledPlace`]s.
        places: u64,
        /// Volumes per port (u64).
        port_volumes: u64,
        /// States of the links ([`LinkState`]s).
        links: u64,
        /// Device array for the samples.
        samples: u64,
        /// Number of 64-bit words at `booked`.
        port_words: u64,
        /// Number of 64-bit words at `links`.
        link_words: u64,
        /// Number of sampled places.
        place_count: u64,
        /// Number of words per sample.
        words: u64,
        /// Capacity of the array, in samples.
        room: u64,
    }
}

twin! {
    /// Header of a sample.
    SampleHead {
        /// Time of the state (s).
        time: f64,
        /// Number of steps taken.
        number: u64,
        /// Index of the current one of double arrays.
        way: u64,
        /// Water at that time (grains).
        stored: u64,
        /// Number of wet cells.
        wet: u64,
        /// Remaining totals.
        totals: Totals,
    }
}

/// Returns C++ that fails to compile if the structs have different layouts.
pub(crate) fn sampling_assertions() -> String {
    layouts!(SampledPlace Sampling SampleHead)
        + &whole_assertions(&[("SAMPLING_WARPS", SAMPLING_WARPS)])
}

/// Number of 64-bit words of the header.
const HEAD: usize = size_of::<SampleHead>() / size_of::<u64>();

/// Layout of samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Number of sampled ports.
    pub ports: usize,
    /// Number of sampled links.
    pub links: usize,
    /// Number of sampled places.
    pub places: usize,
}

impl Layout {
    /// Returns the number of words of the links' states.
    fn link_words(self) -> usize {
        self.links * size_of::<LinkState>() / size_of::<u64>()
    }

    /// Returns the number of 64-bit words per sample.
    pub fn words(self) -> usize {
        HEAD + 2 * self.ports + self.link_words() + self.places.div_ceil(2)
    }

    /// Returns the kernels' parameters, without addresses; `room` is the capacity in samples.
    pub fn parameters(self, room: usize) -> Sampling {
        Sampling {
            port_words: 2 * self.ports as u64,
            link_words: self.link_words() as u64,
            place_count: self.places as u64,
            words: self.words() as u64,
            room: room as u64,
            ..Sampling::default()
        }
    }

    /// Decodes the words of a sample.
    pub fn read(self, words: &[u64]) -> Sampled {
        let (head, rest) = words.split_at(HEAD);
        // SAFETY: a `SampleHead` consists of plain numbers and occupies exactly these HEAD words,
        // which are aligned to 8 bytes.
        let head = unsafe { head.as_ptr().cast::<SampleHead>().read() };
        let (ports, rest) = rest.split_at(2 * self.ports);
        let (links, bits) = rest.split_at(self.link_words());
        // SAFETY: a `LinkState` consists of plain numbers and a `bool`, to which the kernels only
        // write 0 and 1. Every chunk has its size and is aligned to 8 bytes.
        let link = |words: &[u64]| unsafe { words.as_ptr().cast::<LinkState>().read() };
        let links = links.chunks_exact(size_of::<LinkState>() / size_of::<u64>());
        let halves = bits.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]);
        let totals = Totals { stored: head.stored, wet: head.wet, ..head.totals };
        Sampled {
            number: head.number,
            time: head.time,
            totals: worker::Totals::from(&totals),
            port_volumes: BoundaryVolumes::of(ports),
            links: links.map(link).collect(),
            bits: halves.take(self.places).collect(),
        }
    }
}

/// Samples that a device takes of a frame that holds the whole padded grid.
pub(crate) struct DeviceSamples {
    layout: Layout,
    wanted: Vec<(Field, (usize, usize))>,
    parameters: Block,
    places: Block,
    samples: Block,
    room: usize,
    /// Sample times on the device, and the capacity for them; `None` until the addresses are set up
    /// on the device.
    times: Option<(Block, usize)>,
    /// The coming sample times.
    ahead: Vec<f64>,
    /// Samples taken by the last steps.
    taken: Vec<Sampled>,
}

impl DeviceSamples {
    /// Sets up the sampling of `wanted`, given the numbers of ports and links.
    pub fn new(
        stream: &Arc<CudaStream>,
        wanted: &SampleRequest,
        ports: usize,
        links: usize,
    ) -> Result<DeviceSamples> {
        let layout = Layout {
            ports: if wanted.ports { ports } else { 0 },
            links: if wanted.links { links } else { 0 },
            places: wanted.places.len(),
        };
        let bytes = layout.words() * size_of::<u64>();
        let room = (ROOM / bytes).clamp(FEWEST, MOST);
        Ok(DeviceSamples {
            layout,
            wanted: wanted.places.clone(),
            parameters: Block::new(stream, size_of::<Sampling>())?,
            places: Block::new(stream, size_of::<SampledPlace>() * layout.places)?,
            samples: Block::new(stream, room * bytes)?,
            room,
            times: None,
            ahead: Vec::new(),
            taken: Vec::new(),
        })
    }

    /// Returns the address of its parameters on the device.
    pub fn address(&self) -> u64 {
        self.parameters.address
    }

    /// Sets the sample times for the coming steps.
    pub fn set_times(&mut self, times: &[f64]) {
        self.ahead = times.to_vec();
        self.taken.clear();
    }

    /// Returns the samples of the last steps.
    pub fn collect(&mut self) -> Vec<Sampled> {
        std::mem::take(&mut self.taken)
    }

    /// Returns the first sample time if steps may reach it before they stop; otherwise makes them
    /// stop there at the latest.
    pub fn first(&self, control: &StepControl, until: &mut Until) -> Option<f64> {
        let first = *self.ahead.first()?;
        let steps = until.number.saturating_sub(control.number) as f64;
        // Steps may grow, but the next is never as long as this.
        let longest = 2.0 * f64::from(GROWTH * control.free).max(f64::from(FIRST));
        if first <= control.time + steps * longest {
            return Some(first);
        }
        until.before = until.before.min(first);
        None
    }

    /// Sends the sample times to the device, in the stream's order; `booked` and `links` are the
    /// addresses of the volumes per port and of the links' states, and `first` is the cell (column,
    /// row) of the padded grid at which the frame begins.
    pub fn send_times(
        &mut self,
        frame: &Frame,
        first: (usize, usize),
        [port_volumes, links]: [u64; 2],
    ) -> Result<()> {
        let stream = &frame.stream;
        let mut times = std::mem::take(&mut self.ahead);
        times.push(f64::INFINITY);
        if self.times.as_ref().is_none_or(|(_, room)| times.len() > *room) {
            let room = times.len().next_power_of_two().max(MOST);
            let block = Block::new(stream, room * size_of::<f64>())?;
            let place = |&(field, (column, row)): &(Field, (usize, usize))| {
                let cell = (row - first.1) * frame.shape.stride + column - first.0;
                let address = |way| frame.address(field, way) + (cell * size_of::<u32>()) as u64;
                SampledPlace { now: [address(0), address(1)] }
            };
            let places: Vec<SampledPlace> = self.wanted.iter().map(place).collect();
            self.places.fill(stream, &places)?;
            let parameters = Sampling {
                times: block.address,
                places: self.places.address,
                port_volumes,
                links,
                samples: self.samples.address,
                ..self.layout.parameters(self.room)
            };
            self.parameters.fill(stream, &[parameters])?;
            self.times = Some((block, room));
        }
        let (block, _) = self.times.as_mut().expect("it is there now");
        block.write(stream, &times)
    }

    /// Fetches `count` samples, and waits.
    pub fn fetch(&mut self, stream: &CudaStream, count: usize) -> Result<()> {
        let mut words = vec![0u64; count * self.layout.words()];
        if count > 0 {
            self.samples.read(stream, &mut words)?;
        }
        self.taken = words.chunks_exact(self.layout.words()).map(|s| self.layout.read(s)).collect();
        Ok(())
    }
}
