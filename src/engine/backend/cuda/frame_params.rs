//! Kernel parameters for a frame.

use crate::backend::cuda::clock::DeviceClock;
use crate::backend::cuda::compile::fields::Fields;
use crate::backend::cuda::frame::{CHUNK_COLUMNS, Frame};
use crate::backend::cuda::layout::{longest_march, marches};
use crate::backend::cuda::params::{Area, Params};
use crate::backend::cuda::worker::CudaWorker;
use crate::field::Field;
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::Subdomain;

impl CudaWorker {
    /// Returns the kernel parameters, without the constants of the step; `way` is the index of the
    /// current one of double arrays.
    pub(super) fn params(
        &self,
        frame: &Frame,
        subdomain: usize,
        computed: Rect,
        way: usize,
    ) -> Params {
        let Subdomain { extent, own } = self.subdomains[subdomain];
        let chunks = self.chunks(subdomain);
        let [eights, fours, twos] = self.marches(subdomain);
        Params {
            fields: Fields::of(|field, next| frame.address(field, way + next)),
            columns: extent.columns as i32,
            first_column: extent.column as i32,
            first_row: extent.row as i32,
            counted: Area::of(own.within(self.grid), extent),
            rate: self.clock.as_ref().map_or(0, DeviceClock::rate),
            flags: frame.origin(&frame.flags, 1),
            deepest: frame.deepest[way].address,
            deepest_next: frame.deepest[1 - way].address,
            special: frame.special.address,
            totals: self.totals_of(subdomain),
            stride: frame.shape.stride as i32,
            chunks_across: chunks.0 as i32,
            chunks_down: chunks.1 as i32,
            eights,
            fours,
            twos,
            computed: Area::of(computed, extent),
            own: Area::of(own, extent),
            tables: frame.address(Field::Table(0), 0),
            apart: frame.shape.cells as u64,
            ..self.all_params
        }
    }

    /// Returns the number of a subdomain's chunks (across, down).
    fn chunks(&self, subdomain: usize) -> (usize, usize) {
        let Rect { columns, rows, .. } = self.subdomains[subdomain].extent;
        (columns.div_ceil(CHUNK_COLUMNS), rows.div_ceil(self.chunk_rows))
    }

    /// Returns how many warps march down eight, four and two chunks of a subdomain.
    pub(super) fn marches(&self, subdomain: usize) -> [i32; 3] {
        let chunks = self.chunks(subdomain);
        let multiprocessors = self.all_params.multiprocessors as usize;
        let suits =
            || longest_march(chunks, self.chunk_rows, multiprocessors, self.wet, self.momentum);
        let found = match self.march {
            Some(march) => marches(chunks, 0, march),
            None => marches(chunks, multiprocessors, suits()),
        };
        found.map(|count| count as i32)
    }
}
