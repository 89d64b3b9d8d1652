//! Rating curves: outflow as a function of the level, along a side, at a point or over the features
//! of a layer.
//!
//! The flow at a level is divided among the cells that share a curve in proportion to their
//! conveyance at normal depth, the depth to the power 5/3 (Manning 1891). Each cell has a table of
//! its share of the flow by depth. If all cells have the same level, the shares add up to the flow
//! of the curve.

use super::options::{Options, Place, Placed, ValueOrFile};
use super::places::cell_of;
use super::water::Time;
use crate::engine::forcing::Forcing;
use crate::engine::forcing::ports::{self, Port};
use crate::engine::forcing::sites::rated::Rated;
use crate::engine::forcing::sites::{PlacedSite, SiteKind, SiteParameters};
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notice, Reading};
use crate::input::tables::dialect::is_a_csv;
use crate::input::tables::rating::{self, RatingCurve};
use crate::input::vector::named::NAMES;
use crate::input::vector::point_position::nearest_free;
use crate::input::vector::{self, Fields, Value};
use crate::units::Metre;
use crate::words::counted;
use std::collections::BTreeMap;
use std::path::Path;

const FIELDS: Fields = Fields::one("rating").with(&NAMES);
const HOW: &str = "write \"west,rating.csv\", \"west:0-1200,rating.csv\", \"x,y,rating.csv\", or the path of a vector layer with a field `rating`";
/// Number of knots of a cell's table in addition to the curve's own: the table is linear between
/// knots, but the shares are not.
const MORE_KNOTS: usize = 32;
/// Length of the linear extrapolation beyond the last level of a curve (m); no water is higher than
/// that.
const BEYOND: Metre = 50.0;

/// Cells that share a rating curve.
#[derive(Debug)]
struct Rating {
    name: String,
    cells: Vec<usize>,
    /// Pairs of level (m above the DEM's zero) and flow (m³/s).
    pairs: Vec<(Metre, f64)>,
}

/// All rating curves of a run.
#[derive(Debug, Default)]
pub struct Ratings(Vec<Rating>);

impl Ratings {
    /// Reads the rating curves.
    ///
    /// # Errors
    /// If a text or a file is invalid, or a cell has two rating curves.
    pub fn read(options: &Options, ground: Topography, time: Time) -> Result<Reading<Ratings>> {
        let mut ratings = Reading::<Ratings>::default();
        if let Some(first) = options.rating.first() {
            time.check_timed(format_args!("rating: '{first}' is a flow in time"))?;
        }
        for placed in &options.rating {
            ratings.one(placed, ground)?;
        }
        let mut owners = BTreeMap::new();
        for (number, rating) in ratings.0.iter().enumerate() {
            for &cell in &rating.cells {
                let Some(other) = owners.insert(cell, number) else { continue };
                return Err(Error::input(format!(
                    "rating: '{}' and '{}' share a cell",
                    ratings.0[other].name, rating.name
                ))
                .at(ground.place(cell))
                .hint("give each cell one rating curve; if two sides share a corner, start one of them beyond it, as in south:10-1e9"));
            }
        }
        Ok(ratings)
    }

    /// Returns the cells that have a rating curve.
    pub fn cells(&self) -> impl Iterator<Item = usize> {
        self.0.iter().flat_map(|rating| rating.cells.iter().copied())
    }

    /// Returns the names of the rating curves.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|rating| rating.name.as_str())
    }

    /// Adds the rated outlets to a forcing, on the ports from number `first` on.
    pub fn force(self, forcing: &mut Forcing, first: usize, ground: Topography) {
        let per_area = ((1.0 / ground.grid.cell_area()) as f32).to_bits();
        let mut sites = Vec::new();
        for (number, rating) in self.0.into_iter().enumerate() {
            let port: Port = ports::of_holder((first + number) as u32);
            let beds = rating.cells.iter().map(|&cell| ground.level(cell));
            let beds: Vec<Metre> = beds.collect();
            for (cell, pairs) in rating.cells.iter().zip(shares(&rating.pairs, &beds)) {
                let at = Rated::table(&mut forcing.tables, [0.0; 2], &pairs);
                let given = SiteParameters {
                    port,
                    numbers: [at, per_area],
                    ..SiteParameters::of(SiteKind::Rated)
                };
                sites.push(PlacedSite { cell: *cell, given });
            }
        }
        sites.sort_by_key(|site| site.cell);
        forcing.sites.extend(sites);
    }
}

impl Reading<Ratings> {
    /// Reads one value of the option.
    fn one(&mut self, placed: &Placed, ground: Topography) -> Result<()> {
        let text = placed.to_string();
        let (place, path) = match (&placed.place, &placed.value) {
            (None, ValueOrFile::File(path)) if !is_a_csv(path) => return self.layer(path, ground),
            (Some(place), ValueOrFile::File(path)) => (place, path),
            (None, ValueOrFile::File(_)) if !text.contains(',') => {
                let what = format!("rating: '{text}' is a table without a place");
                return Err(Error::input(what).hint(HOW));
            }
            _ => {
                let what = format!(
                    "rating: '{text}' is neither a place with a rating curve nor a vector layer"
                );
                return Err(Error::input(what).hint(HOW));
            }
        };
        let cells: Vec<usize> = match place {
            &Place::Point(x, y) => {
                let whose = format!("rating: the point ({x}, {y})");
                vec![cell_of((x, y), &whose, None, ground)?.1]
            }
            Place::Sides(sides) => {
                self.notices.warn_all(sides.overlong("rating", ground.grid));
                sides.cells(None, ground).into_iter().collect()
            }
        };
        if cells.is_empty() {
            return Err(Error::input(format!(
                "rating: no cell of the domain is along '{}'",
                placed.place_text()
            ))
            .hint("give the stretch in m from the northern or western end of the side"));
        }
        self.add(text, cells, path, ground)
    }

    fn layer(&mut self, path: &Path, ground: Topography) -> Result<()> {
        let layer = self.notices.of(vector::read(path, "rating", FIELDS, ground)?);
        for feature in layer.features {
            let place = format!("{}, feature {}", path.display(), feature.id);
            let Value::Constant(file) = &feature.value else { unreachable!("all have a rating") };
            let file = path.parent().unwrap_or(Path::new("")).join(file);
            let name = feature.more.into_iter().flatten().next().unwrap_or_else(|| place.clone());
            self.add(name, feature.cells, &file, ground).map_err(|error| error.at(place))?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        name: String,
        cells: Vec<usize>,
        file: &Path,
        ground: Topography,
    ) -> Result<()> {
        let RatingCurve { mut pairs, by_depth, assumed } = rating::read_curve(file)?;
        assumed.into_iter().for_each(|assumed| self.notices.assume(assumed));
        if !self.notices.have_read(file) {
            self.notices.read("rating", file)?;
        }
        let lowest = cells.iter().map(|&cell| ground.level(cell)).fold(f64::INFINITY, f64::min);
        if by_depth {
            pairs.iter_mut().for_each(|pair| pair.0 += lowest);
        }
        let (first, last) = (pairs[0], pairs[pairs.len() - 1]);
        if last.0 <= lowest {
            return Err(Error::input(format!(
                "rating: the curve of '{name}' ends at a level of {:.2} m, below the bed of its cells (at least {lowest:.2} m)",
                last.0
            ))
            .hint("levels count from the DEM's zero; call the first column depth if it holds depths"));
        }
        if first.0 > lowest && first.1 > 0.0 {
            self.notices.warn(format!(
                "rating: the curve of '{name}' begins with {} m³/s at {:.2} m; below that level the flow falls linearly to 0 at the bed ({lowest:.2} m)",
                first.1, first.0
            ));
        }
        let raised = cells.iter().filter_map(|&cell| Some((cell, ground.raised_by(cell)?)));
        if let Some((cell, what)) = raised.clone().next() {
            let at = ground.grid.spot(cell);
            self.notices.warn(Notice::of(
                "rating",
                &name,
                format!(
                    "has {} of its {} on {what}, where water leaves only from its top; move it beside it{}",
                    raised.count(),
                    counted(cells.len(), "cell", "cells"),
                    nearest_free((at.x, at.y), ground)
                ),
            ));
        }
        self.notices.note(format!(
            "rating: the curve of '{name}' is extrapolated linearly above its last level, {:.2} m",
            last.0
        ));
        self.0.push(Rating { name, cells, pairs });
        Ok(())
    }
}

/// Computes the tables of cells with these beds (m) that share a curve: pairs of depth (m) and flow
/// (m³/s).
fn shares(pairs: &[(Metre, f64)], beds: &[Metre]) -> Vec<Vec<(f32, f32)>> {
    let lowest = beds.iter().copied().fold(f64::INFINITY, f64::min);
    let last = pairs[pairs.len() - 1].0;
    let even = (1..=MORE_KNOTS).map(|k| lowest + (last - lowest) * k as f64 / MORE_KNOTS as f64);
    let mut levels: Vec<Metre> = pairs.iter().map(|pair| pair.0).chain(even).collect();
    levels.push(last + BEYOND);
    levels.retain(|level| *level > lowest);
    levels.sort_by(f64::total_cmp);
    let mut tables = vec![vec![(0.0, 0.0)]; beds.len()];
    for level in levels {
        let conveys: Vec<f64> =
            beds.iter().map(|bed| (level - bed).max(0.0).powf(5.0 / 3.0)).collect();
        let (flow, all) = (flow_at(pairs, lowest, level), conveys.iter().sum::<f64>());
        for ((table, bed), conveys) in tables.iter_mut().zip(beds).zip(conveys) {
            let depth = (level - bed) as f32;
            // Knots must ascend after rounding: of two equal depths the first is kept.
            if depth > table.last().expect("it begins at 0").0 {
                table.push((depth, (flow * conveys / all) as f32));
            }
        }
    }
    tables
}

/// Returns the flow of a curve at a level: 0 at the lowest bed, extrapolated beyond the last level.
fn flow_at(pairs: &[(Metre, f64)], lowest: Metre, level: Metre) -> f64 {
    let after = pairs.partition_point(|pair| pair.0 < level);
    let (from, to) = match after {
        0 => ((lowest.min(pairs[0].0 - 1e-9), 0.0), pairs[0]),
        after if after == pairs.len() => (pairs[after - 2], pairs[after - 1]),
        after => (pairs[after - 1], pairs[after]),
    };
    from.1 + (to.1 - from.1) * (level - from.0) / (to.0 - from.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(table: &[(f32, f32)], depth: f64) -> f64 {
        let at = table.partition_point(|knot| f64::from(knot.0) <= depth).clamp(1, table.len() - 1);
        let [(x0, y0), (x1, y1)] =
            [table[at - 1], table[at]].map(|(x, y)| (f64::from(x), f64::from(y)));
        y0 + (y1 - y0) * (depth - x0) / (x1 - x0)
    }

    #[test]
    fn the_shares_of_cells_at_one_level_are_the_curves_flow() {
        let pairs = [(10.0, 0.0), (11.0, 20.0), (12.0, 80.0)];
        let beds = [10.0, 10.4, 11.5];
        let tables = shares(&pairs, &beds);
        for (level, flow) in [(10.5, 10.0), (11.0, 20.0), (11.7, 62.0), (12.0, 80.0), (13.0, 140.0)]
        {
            let parts = tables
                .iter()
                .zip(beds)
                .map(|(table, bed)| if level > bed { of(table, level - bed) } else { 0.0 });
            let sum: f64 = parts.sum();
            assert!((sum / flow - 1.0).abs() < 0.02, "{level}: {sum}");
        }
        // At 11 m depths of 1 and 0.6 m.
        let part = 1.0 / (1.0 + 0.6f64.powf(5.0 / 3.0));
        assert!((of(&tables[0], 1.0) - 20.0 * part).abs() < 1e-4);
    }

    #[test]
    fn a_curve_that_begins_above_the_bed_goes_straight_down_to_it() {
        let tables = shares(&[(2.0, 4.0), (3.0, 6.0)], &[0.0]);
        for (depth, flow) in [(1.0, 2.0), (2.5, 5.0), (5.0, 10.0)] {
            assert!((of(&tables[0], depth) - flow).abs() < 1e-4, "{depth}");
        }
    }
}
