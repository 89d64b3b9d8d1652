//! Rain on cells with some closed pixels: no rain falls on closed pixels, as on the DEM's NoData
//! and on blocked buildings.

use crate::engine::forcing::zones::{Zoned, Zones};
use crate::engine::forcing::{Account, Footprint, RateLayer, Share};
use crate::engine::grid::Bed;
use crate::engine::subgrid::tables::Tables;
use std::collections::HashMap;
use std::sync::Arc;

/// Zones that are split by the open fraction of their cells, and for each new zone the old one and
/// its open fraction.
type Parts = (Arc<Zones>, Vec<(u32, f64)>);

/// Scales the rain of some layers by the open fraction of each cell.
pub fn fall_on_open_pixels(rates: &mut [RateLayer], bed: &Bed, tables: &Tables) {
    let part = |cell: usize| tables.open_share(cell);
    if !tables.has_closed_pixels() {
        return;
    }
    let of = |share: Share, cell: usize| Share::of(share.fraction() * part(cell));
    let mut known: Vec<(Arc<Zones>, Parts)> = Vec::new();
    for layer in rates.iter_mut().filter(|layer| layer.account == Account::Rain) {
        match &mut layer.footprint {
            Footprint::Everywhere => {
                let shares = (0..bed.levels.len()).map(|cell| of(Share::WHOLE, cell));
                layer.footprint = Footprint::Shares(shares.collect());
            }
            Footprint::Shares(shares) => {
                let each = shares.iter_mut().enumerate();
                each.for_each(|(cell, share)| *share = of(*share, cell));
            }
            Footprint::Cells(cells) => {
                cells.iter_mut().for_each(|(cell, share)| *share = of(*share, *cell));
            }
            Footprint::Zones(zoned) => {
                let at = known.iter().position(|(zones, _)| Arc::ptr_eq(zones, &zoned.zones));
                let at = at.unwrap_or_else(|| {
                    known.push((zoned.zones.clone(), parts(&zoned.zones, bed, tables)));
                    known.len() - 1
                });
                let (zones, of_zone) = &known[at].1;
                let share = |&(zone, part): &(u32, f64)| {
                    Share::of(zoned.shares[zone as usize].fraction() * part)
                };
                *zoned = Zoned::new(zones, of_zone.iter().map(share).collect());
            }
        }
    }
}

/// Splits zones by the open fraction of their cells.
fn parts(zones: &Zones, bed: &Bed, tables: &Tables) -> Parts {
    let mut numbers: HashMap<(u32, u64), u32> = HashMap::new();
    let mut of_zone = Vec::new();
    let number = |(cell, &zone): (usize, &u32)| {
        let part = tables.open_share(cell);
        *numbers.entry((zone, part.to_bits())).or_insert_with(|| {
            of_zone.push((zone, part));
            of_zone.len() as u32 - 1
        })
    };
    let of = zones.of.iter().enumerate().map(number).collect();
    (Arc::new(Zones::new(of, of_zone.len(), bed)), of_zone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::forcing::series::Series;
    use crate::engine::subgrid::build::tables;

    #[test]
    fn each_cell_has_the_rain_of_its_open_pixels_in_every_form() {
        // Three cells of 2 × 2 pixels: of the first all are open, of the second one, of the third
        // none.
        let out = Bed::OUTSIDE;
        let tables = tables(&[0, 0, 0, out, out, out, 0, 0, out, out, out, out], None, 6, 2);
        let bed = Bed { levels: tables.bed.clone(), ..Bed::default() };
        let half = Share::of(0.5);
        let zones = Arc::new(Zones::new(vec![0, 1, 1], 2, &bed));
        let footprints = [
            Footprint::Everywhere,
            Footprint::Shares(vec![half; 3]),
            Footprint::Cells(vec![(1, half)]),
            Footprint::Zones(Zoned::new(&zones, vec![Share::WHOLE, half])),
        ];
        let rain = |footprint| RateLayer {
            account: Account::Rain,
            footprint,
            series: Series::constant(1.0),
        };
        let mut rates = footprints.map(rain);
        fall_on_open_pixels(&mut rates, &bed, &tables);
        assert_eq!(rates.each_ref().map(|rate| rate.cells(2)), [1.25, 0.625, 0.125, 1.125]);
        let Footprint::Zones(zoned) = &rates[3].footprint else { panic!("zones") };
        assert_eq!([0, 1].map(|cell| zoned.share(cell).fraction()), [1.0, 0.125]);
    }
}
