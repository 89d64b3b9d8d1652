//! Buildings and walls: vector layers that raise the bed or remove cells from the domain.

use super::options::{DEFAULT_BUILDING_HEIGHT, Options, Quantity};
use crate::engine::grid::{Bed, Grid};
use crate::error::{Error, Result};
use crate::input::dem::Dem;
use crate::input::dem::topography::Topography;
use crate::input::notice::Notices;
use crate::input::vector::{self, Fields, Shape, Value};
use crate::measures;
use crate::units::Metre;
use crate::words::{counted, verb};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// A building or wall higher than this above its ground is refused as a mistake (m).
const HIGHEST: Metre = 1000.0;
/// Height above which a building is unusual (m).
const TALL: Metre = 300.0;
/// Height above which a wall or levee is unusual (m).
const TALL_WALL: Metre = 50.0;
/// Text in place of a height: the cells are removed from the domain.
const BLOCK: &str = "block";

const BUILDINGS: Fields = Fields::optional("height").only(Shape::Polygons).clipped();
const WALLS: Fields = Fields::either("level", "height").only(Shape::Lines).clipped();

/// Cells with their new level (2⁻¹⁶ m), in one vector since a city has millions of them.
type Tops = Vec<(usize, i32)>;

/// Top of a cell blocked by a building: higher than any height.
const BLOCKED: i32 = i32::MAX;

/// Keeps the highest top of every cell, ascending by cell.
fn highest(mut tops: Tops) -> Tops {
    tops.par_sort_unstable();
    tops.dedup_by(|(cell, top), (before, highest)| {
        let is_one = cell == before;
        *highest = if is_one { *top } else { *highest };
        is_one
    });
    tops
}

/// Effect of a building on its cells.
#[derive(Clone, Copy)]
enum Building {
    /// Raised by this much above the ground (2⁻¹⁶ m).
    Raised(i32),
    /// Removed from the domain: neither flow nor rain.
    Blocked,
}

/// Raises the bed by buildings and walls. Heights count from the DEM's ground; of several in a cell,
/// the highest is used.
pub fn build(options: &Options, dem: &mut Dem) -> Result<Notices> {
    let mut obstacles = Obstacles::default();
    let mut raised = Tops::new();
    let mut blocked = Vec::new();
    // Check this before a layer is read.
    let usual = match &options.building_height {
        Some(Quantity(text)) => building(text, "building_height")?,
        None => Building::Raised((DEFAULT_BUILDING_HEIGHT * Bed::PER_METRE) as i32),
    };
    if let Some(path) = &options.buildings {
        (raised, blocked) = obstacles.buildings(path, usual, dem.ground())?;
        dem.raised.roofs = raised.iter().map(|(cell, _)| *cell).collect();
    } else if options.building_height.is_some() {
        obstacles.notices.warn("building_height: of no effect without buildings");
    }
    if let Some(path) = &options.walls {
        let tops = obstacles.walls(path, dem.ground())?;
        dem.raised.walls = tops.keys().copied().collect();
        raised.extend(tops);
        raised = highest(raised);
    }
    if raised.is_empty() && blocked.is_empty() {
        return Ok(obstacles.notices);
    }
    raised.into_iter().for_each(|(cell, level)| dem.bed.levels[cell] = level);
    blocked.iter().for_each(|&cell| dem.bed.levels[cell] = Bed::OUTSIDE);
    dem.bed.blocked = blocked;
    let checked = dem.check_changed("buildings and walls");
    if dem.domain_cells == 0 {
        return Err(Error::input("buildings: they block every cell of the domain")
            .hint("look at the layer's CRS, or give a building_height in m"));
    }
    checked.map_err(|error| error.hint("check the unit of their heights and of the DEM"))?;
    Ok(obstacles.notices)
}

/// Reader of buildings and walls.
#[derive(Default)]
struct Obstacles {
    notices: Notices,
}

impl Obstacles {
    /// Returns the new level of raised cells (2⁻¹⁶ m), and the blocked cells, ascending.
    fn buildings(
        &mut self,
        path: &Path,
        usual: Building,
        ground: Topography,
    ) -> Result<(Tops, Vec<usize>)> {
        let layer = self.notices.of(vector::read(path, "buildings", BUILDINGS, ground)?);
        let mut tops = Tops::new();
        for feature in &layer.features {
            let place = || format!("{}, feature {}", path.display(), feature.id);
            let own = match (&feature.value, usual) {
                (_, Building::Blocked) => Building::Blocked,
                (Value::Constant(text), _) => {
                    building(text, "buildings").map_err(|error| error.at(place()))?
                }
                _ => usual,
            };
            tops.extend(feature.cells.iter().map(|&cell| match own {
                Building::Blocked => (cell, BLOCKED),
                Building::Raised(height) => (cell, ground.bed.levels[cell] + height),
            }));
        }
        let (blocked, raised): (Tops, Tops) =
            highest(tops).into_iter().partition(|(_, top)| *top == BLOCKED);
        let blocked: Vec<usize> = blocked.into_iter().map(|(cell, _)| cell).collect();
        let many = layer.features.len();
        let features = counted(many, "building", "buildings");
        let mut done = Vec::new();
        if !raised.is_empty() {
            let cells = counted(raised.len(), "cell", "cells");
            let by = self.heights(("buildings", path, TALL), raised.iter().copied(), ground.bed);
            done.push(format!("{} {cells} by {by}", verb(many, "raise")));
        }
        if !blocked.is_empty() {
            let cells = counted(blocked.len(), "cell", "cells");
            done.push(format!("{} {cells} out of the domain", verb(many, "take")));
        }
        self.notices.note(format!(
            "buildings: {features} of '{}' {}{}",
            path.display(),
            done.join(" and "),
            outside_domain(layer.left_out)
        ));
        Ok((raised, blocked))
    }

    /// Describes by how much cells are raised to new tops (2⁻¹⁶ m), and warns of unusual heights.
    fn heights(
        &mut self,
        (key, path, unusual): (&str, &Path, Metre),
        tops: impl Iterator<Item = (usize, i32)>,
        bed: &Bed,
    ) -> String {
        let height = |(cell, top): (usize, i32)| {
            (f64::from(top) - f64::from(bed.levels[cell])) / Bed::PER_METRE
        };
        let (low, high) = tops.map(height).fold((f64::INFINITY, 0.0f64), |(low, high), height| {
            (low.min(height), high.max(height))
        });
        if high > unusual {
            self.notices.warn(format!(
                "{key}: '{}' has heights of up to {high:.1} m above the ground; they may be levels above the DEM's zero, or in another unit",
                path.display()
            ));
        }
        range(low, high)
    }

    /// Returns the new level of cells under walls (2⁻¹⁶ m).
    fn walls(&mut self, path: &Path, ground: Topography) -> Result<BTreeMap<usize, i32>> {
        let Topography { grid, bed, .. } = ground;
        let layer = self.notices.of(vector::read(path, "walls", WALLS, ground)?);
        let mut tops: BTreeMap<usize, i32> = BTreeMap::new();
        for feature in &layer.features {
            let place = || format!("{}, feature {}", path.display(), feature.id);
            let crest = crest(&feature.value, &mut self.notices);
            let crest = crest.map_err(|error| error.at(place()))?;
            for &cell in &feature.cells {
                let ground = bed.levels[cell];
                let top = match crest {
                    Crest::Level(level) => level,
                    Crest::Height(height) => ground + height,
                };
                if f64::from(top) - f64::from(ground) > HIGHEST * Bed::PER_METRE {
                    let error = Error::input(format!(
                        "walls: a crest is {:.0} m above its ground",
                        (f64::from(top) - f64::from(ground)) / Bed::PER_METRE
                    ));
                    let hint = "check its unit and the unit of the DEM's heights";
                    return Err(error.at(place()).hint(hint));
                }
                let before = tops.entry(cell).or_insert(top);
                *before = top.max(*before);
            }
        }
        close_corners(&mut tops, bed, grid);
        let all = tops.len();
        tops.retain(|cell, top| *top > bed.levels[*cell]);
        let shown = path.display();
        let lines = counted(layer.features.len(), "wall", "walls");
        let mut cells = counted(tops.len(), "cell", "cells");
        if !tops.is_empty() {
            let tops = tops.iter().map(|(cell, top)| (*cell, *top));
            cells += &format!(" by {}", self.heights(("walls", path, TALL_WALL), tops, bed));
        }
        self.notices.note(format!(
            "walls: {lines} of '{shown}' {} {cells}{}",
            verb(layer.features.len(), "raise"),
            outside_domain(layer.left_out)
        ));
        if tops.len() < all {
            self.notices.warn(format!(
                "walls: in {} of {all} cells the crests of '{shown}' do not rise above the ground, which stays as it is",
                all - tops.len()
            ));
        }
        Ok(tops)
    }
}

/// Returns the effect of buildings without a height of their own.
fn building(text: &str, key: &str) -> Result<Building> {
    if text.trim().eq_ignore_ascii_case(BLOCK) {
        return Ok(Building::Blocked);
    }
    let height = height(text, key).map_err(|error| {
        let error = match error.hint {
            None => error.hint("write it like \"5 m\""),
            Some(_) => error,
        };
        error.hint_also(format_args!("or write \"{BLOCK}\" to take its cells out"))
    })?;
    Ok(Building::Raised(height))
}

/// Parses a height above ground (2⁻¹⁶ m).
fn height(text: &str, key: &str) -> Result<i32> {
    let height = measures::parse_depth(text).map_err(|error| error.of(key))?;
    if height > HIGHEST {
        return Err(Error::input(format!(
            "{key}: '{text}' is not a valid height of a building or a wall"
        ))
        .hint(format!("give 0 to {HIGHEST} m")));
    }
    Ok((height * Bed::PER_METRE).round() as i32)
}

/// Crest of a wall (2⁻¹⁶ m).
#[derive(Clone, Copy)]
enum Crest {
    /// Level above the DEM's zero.
    Level(i32),
    /// Height above the ground.
    Height(i32),
}

fn crest(value: &Value, notices: &mut Notices) -> Result<Crest> {
    match value {
        Value::Other(text) => Ok(Crest::Height(height(text, "walls")?)),
        Value::Constant(text) => {
            let level = notices.level("walls", text)?;
            Ok(Crest::Level(Bed::quantize(level).expect("a level within the limit")))
        }
        Value::Table(_) | Value::Unsaid => unreachable!("walls have a level or a height"),
    }
}

/// Raises one of the two cells beside a corner at which wall cells touch without sharing an edge.
/// Otherwise water would flow through between diagonal neighbours.
fn close_corners(tops: &mut BTreeMap<usize, i32>, bed: &Bed, grid: &Grid) {
    let columns = grid.columns;
    let mut closing: Vec<(usize, i32)> = Vec::new();
    for (&cell, &top) in tops.iter() {
        let column = cell % columns;
        let below = cell + columns;
        for (corner, beside, inside) in [
            (below + 1, cell + 1, column + 1 < columns),
            (below.wrapping_sub(1), cell.wrapping_sub(1), column > 0),
        ] {
            let Some(&other) = tops.get(&corner).filter(|_| inside) else { continue };
            let is_shut = |at: usize| bed.levels[at] == Bed::OUTSIDE || tops.contains_key(&at);
            if !is_shut(beside) && !is_shut(below) {
                closing.push((below, top.min(other)));
            }
        }
    }
    for (cell, top) in closing {
        let before = tops.entry(cell).or_insert(top);
        *before = top.max(*before);
    }
}

/// Returns the end of a note on a layer of which some features are outside the domain.
pub fn outside_domain(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "; 1 is outside the domain".into(),
        more => format!("; {more} are outside the domain"),
    }
}

fn range(low: f64, high: f64) -> String {
    if high - low < 0.005 { format!("{high:.2} m") } else { format!("{low:.2} to {high:.2} m") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::vector::burn::burn;
    use gdal::vector::Geometry;
    use std::collections::VecDeque;

    /// Returns true if water can pass the wall from the first to the last cell, over edges and
    /// corners.
    fn leaks(wall: &BTreeMap<usize, i32>, size: usize) -> bool {
        let mut seen = vec![false; size * size];
        let mut next = VecDeque::from([0]);
        while let Some(cell) = next.pop_front() {
            if seen[cell] || wall.contains_key(&cell) {
                continue;
            }
            seen[cell] = true;
            let (column, row) = (cell % size, cell / size);
            for row in row.saturating_sub(1)..(row + 2).min(size) {
                next.extend(
                    (column.saturating_sub(1)..(column + 2).min(size)).map(|c| row * size + c),
                );
            }
        }
        seen[size * size - 1]
    }

    #[test]
    fn no_water_slips_through_a_wall_of_any_slant() {
        let size = 24;
        let grid = Grid::plain(size, size, 10.0);
        let bed = Bed::from_metres(vec![0.0; grid.cells()]);
        let mut state = 12345u32;
        let mut random = |most: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % most
        };
        for case in 0..500 {
            // From edge to edge between the first and the last cell; by halves of a cell, so that
            // lines often run through corners and along sides.
            let unit = if case % 2 == 0 { 5.0 } else { 0.01 };
            let most = (240.0 / unit) as u32;
            let mut along =
                |from: f64| from + f64::from(random(most - (20.0 / unit) as u32)) * unit;
            let (start, middle, end) = (along(10.0), [along(10.0), along(10.0)], along(10.0));
            let wkt = if case % 3 == 0 {
                // The exact diagonal.
                "LINESTRING (-5 -5, 245 245)".to_string()
            } else {
                format!("LINESTRING ({start} -5, {} {}, {end} 245)", middle[0], middle[1])
            };
            let burnt = burn(&Geometry::from_wkt(&wkt).unwrap(), &grid).unwrap().unwrap();
            let mut wall: BTreeMap<usize, i32> =
                burnt.cells.into_iter().map(|cell| (cell, 1)).collect();
            close_corners(&mut wall, &bed, &grid);
            // The exact diagonal runs through neither the first nor the last cell.
            assert!(!leaks(&wall, size), "{wkt}");
        }
    }
}
