//! Samples of states between steps, which the device takes by itself: the twins of kernels/sample.cuh, and their memory.

use crate::backend::Wanted;
use crate::backend::cuda::frame::Frame;
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::{Totals, layouts, twin, whole_assertions};
use crate::backend::worker::{self, Sampled};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::Booked;
use crate::time_step::{FIRST, GROWTH, StepControl, Until};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Warps of a block that takes a sample.
pub const SAMPLING_WARPS: u32 = 8;

/// Blocks that do it together.
pub(crate) const BLOCKS: u32 = 256;

/// Memory for samples (bytes), of which there is room for some at the least: a step over a time has one before and one after it.
const ROOM: usize = 1 << 20;
const FEWEST: usize = 4;
const MOST: usize = 1 << 10;

twin! {
    /// Where a number lies that is wanted.
    SampledPlace {
        /// Addresses, whichever of double arrays is now.
        now: [u64; 2],
    }
}

twin! {
    /// What to sample: addresses, and how much there is at them.
    Sampling {
        /// Times in rising order, the last of them infinite (s).
        times: u64,
        /// [`SampledPlace`]s.
        places: u64,
        /// What went through ports (u64).
        booked: u64,
        /// Where links stand ([`LinkState`]s).
        links: u64,
        /// The samples.
        samples: u64,
        /// Words of 64 bits at `booked`.
        booked_words: u64,
        /// Those at `links`.
        link_words: u64,
        /// How many places there are.
        place_count: u64,
        /// Words of a sample.
        words: u64,
        /// Samples that there is room for.
        room: u64,
    }
}

twin! {
    /// How a sample begins.
    SampleHead {
        /// The time (s).
        time: f64,
        /// Steps taken.
        number: u64,
        /// Which of double arrays was now.
        way: u64,
        /// Water (grains).
        stored: u64,
        /// Wet cells.
        wet: u64,
        /// All else that is counted.
        totals: Totals,
    }
}

/// C++ that fails to compile unless the structs are laid out the same.
pub(crate) fn sampling_assertions() -> String {
    layouts!(SampledPlace Sampling SampleHead)
        + &whole_assertions(&[("SAMPLING_WARPS", SAMPLING_WARPS)])
}

/// Words of 64 bits that a sample begins with.
const HEAD: usize = size_of::<SampleHead>() / size_of::<u64>();

/// How samples are laid out, and where what they are of lies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Ports.
    pub ports: usize,
    /// Links.
    pub links: usize,
    /// Places.
    pub places: usize,
}

impl Layout {
    /// Words of the states of links.
    fn link_words(self) -> usize {
        self.links * size_of::<LinkState>() / size_of::<u64>()
    }

    /// Words of 64 bits of a sample.
    pub fn words(self) -> usize {
        HEAD + 2 * self.ports + self.link_words() + self.places.div_ceil(2)
    }

    /// The parameters of the kernels, but for addresses; `room` is how many samples there may be.
    pub fn parameters(self, room: usize) -> Sampling {
        Sampling {
            booked_words: 2 * self.ports as u64,
            link_words: self.link_words() as u64,
            place_count: self.places as u64,
            words: self.words() as u64,
            room: room as u64,
            ..Sampling::default()
        }
    }

    /// What the words of a sample say.
    pub fn read(self, words: &[u64]) -> Sampled {
        let (head, rest) = words.split_at(HEAD);
        // SAFETY: it is plain numbers, of so many words.
        let head = unsafe { head.as_ptr().cast::<SampleHead>().read() };
        let (ports, rest) = rest.split_at(2 * self.ports);
        let (links, bits) = rest.split_at(self.link_words());
        // SAFETY: as above; the kernels write nothing but 0 and 1 to what is a `bool`.
        let link = |words: &[u64]| unsafe { words.as_ptr().cast::<LinkState>().read() };
        let links = links.chunks_exact(size_of::<LinkState>() / size_of::<u64>());
        let halves = bits.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]);
        let totals = Totals { stored: head.stored, wet: head.wet, ..head.totals };
        Sampled {
            number: head.number,
            time: head.time,
            totals: worker::Totals::from(&totals),
            booked: Booked::of(ports),
            links: links.map(link).collect(),
            bits: halves.take(self.places).collect(),
        }
    }
}

/// The samples that a device takes of a frame that holds the whole canvas.
pub(crate) struct DeviceSamples {
    layout: Layout,
    wanted: Vec<(Field, (usize, usize))>,
    parameters: Block,
    places: Block,
    samples: Block,
    room: usize,
    /// The times on the device, and how many there is memory for; none before the device knows where all that is.
    times: Option<(Block, usize)>,
    /// The times to come.
    ahead: Vec<f64>,
    /// What was taken.
    taken: Vec<Sampled>,
}

impl DeviceSamples {
    /// Of what is wanted, with so many ports and links.
    pub fn new(
        stream: &Arc<CudaStream>,
        wanted: &Wanted,
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

    /// Where its parameters lie on the device.
    pub fn address(&self) -> u64 {
        self.parameters.address
    }

    /// Names the times for the steps to come.
    pub fn sample_at(&mut self, times: &[f64]) {
        self.ahead = times.to_vec();
        self.taken.clear();
    }

    /// What the last steps came by.
    pub fn taken(&mut self) -> Vec<Sampled> {
        std::mem::take(&mut self.taken)
    }

    /// The first of the times, if steps may come to it before they are to stop; else they stop there at the latest.
    pub fn first(&self, control: &StepControl, until: &mut Until) -> Option<f64> {
        let first = *self.ahead.first()?;
        let steps = until.number.saturating_sub(control.number) as f64;
        // They may grow. The next is never as long as this.
        let longest = 2.0 * f64::from(GROWTH * control.free).max(f64::from(FIRST));
        if first <= control.time + steps * longest {
            return Some(first);
        }
        until.look = until.look.min(first);
        None
    }

    /// Tells the device of the times, in the stream's order; `booked` and `links` are where what went through ports and where
    /// links stand are, and `first` is the cell (column, row) of the canvas that the frame begins with.
    pub fn tell(
        &mut self,
        frame: &Frame,
        first: (usize, usize),
        [booked, links]: [u64; 2],
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
                booked,
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

    /// Fetches so many samples, and waits for that.
    pub fn fetch(&mut self, stream: &CudaStream, count: usize) -> Result<()> {
        let mut words = vec![0u64; count * self.layout.words()];
        if count > 0 {
            self.samples.read(stream, &mut words)?;
        }
        self.taken = words.chunks_exact(self.layout.words()).map(|s| self.layout.read(s)).collect();
        Ok(())
    }
}
