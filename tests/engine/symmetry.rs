//! The engine has no preferred direction: a case that is mirrored or rotated by a quarter turn ends
//! in the mirrored or rotated state, to the bit.

use crate::common;

use common::{Case, State, every_case, every_timed};
use inundate_engine::backend::FluxStatistics;
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::boundary::OpenSides;
use inundate_engine::forcing::Footprint;
use inundate_engine::forcing::ports::{self, BoundaryVolumes};
use inundate_engine::roughness::Roughness;

/// A symmetry operation on the map.
#[derive(Clone, Copy, Debug)]
enum Motion {
    /// East becomes west.
    MirrorColumns,
    /// North becomes south.
    MirrorRows,
    /// North becomes east.
    QuarterTurn,
}

impl Motion {
    const ALL: [Motion; 3] = [Motion::MirrorColumns, Motion::MirrorRows, Motion::QuarterTurn];

    /// Returns columns and rows afterwards.
    fn shape(self, columns: usize, rows: usize) -> (usize, usize) {
        match self {
            Motion::QuarterTurn => (rows, columns),
            _ => (columns, rows),
        }
    }

    /// Returns the new index of a cell of a `columns` × `rows` grid.
    fn place(self, cell: usize, columns: usize, rows: usize) -> usize {
        let (column, row) = (cell % columns, cell / columns);
        match self {
            Motion::MirrorColumns => row * columns + (columns - 1 - column),
            Motion::MirrorRows => (rows - 1 - row) * columns + column,
            Motion::QuarterTurn => column * rows + (rows - 1 - row),
        }
    }

    fn sides(self, open: OpenSides) -> OpenSides {
        let OpenSides { north, east, south, west } = open;
        let [north, east, south, west] = match self {
            Motion::MirrorColumns => [north, west, south, east],
            Motion::MirrorRows => [south, east, north, west],
            Motion::QuarterTurn => [west, north, east, south],
        };
        OpenSides { north, east, south, west }
    }

    fn cells<T: Copy>(self, from: &[T], columns: usize, rows: usize) -> Vec<T> {
        let mut to = from.to_vec();
        for (cell, &value) in from.iter().enumerate() {
            to[self.place(cell, columns, rows)] = value;
        }
        to
    }

    fn case(self, case: &Case) -> Case {
        let (columns, rows) = (case.columns, case.rows);
        let place = |cell| self.place(cell, columns, rows);
        let mut moved = case.clone();
        (moved.columns, moved.rows) = self.shape(columns, rows);
        moved.bed = self.cells(&case.bed, columns, rows);
        moved.initial = self.cells(&case.initial, columns, rows);
        moved.open = self.sides(case.open);
        if let Motion::QuarterTurn = self {
            moved.cell = (case.cell.1, case.cell.0);
        }
        if let Roughness::Cells(cells) = &case.roughness {
            moved.roughness = Roughness::Cells(self.cells(cells, columns, rows));
        }
        for rate in &mut moved.forcing.rates {
            match &mut rate.footprint {
                Footprint::Everywhere => {}
                Footprint::Shares(shares) => *shares = self.cells(shares, columns, rows),
                Footprint::Zones(_) => panic!("no case here has zones"),
                Footprint::Cells(cells) => {
                    cells.iter_mut().for_each(|(cell, _)| *cell = place(*cell));
                    cells.sort_unstable();
                }
            }
        }
        let forcing = &mut moved.forcing;
        forcing.top_up.iter_mut().for_each(|(c, _)| *c = place(*c));
        forcing.top_up.sort_unstable();
        for held in &mut forcing.stage_boundaries {
            held.cells.iter_mut().for_each(|cell| *cell = place(*cell));
            held.cells.sort_unstable();
        }
        forcing.sinks.iter_mut().for_each(|c| *c = place(*c));
        forcing.sinks.sort_unstable();
        moved
    }

    fn state(self, state: &State, columns: usize, rows: usize) -> State {
        State {
            water: self.cells(&state.water, columns, rows),
            most: self.cells(&state.most, columns, rows),
            // Discharges have a direction.
            diagnostics: Vec::new(),
            arrival: self.cells(&state.arrival, columns, rows),
            ledger: state.ledger,
            wet_cells: state.wet_cells,
            crossed: unplaced(state.crossed),
            extremes: Default::default(),
            control: state.control,
            links: state.links.clone(),
            port_volumes: unsided(&state.port_volumes),
            gauges: state.gauges.clone(),
        }
    }
}

/// Returns the volumes across edges, without the counts of deep edges: an edge counts for the cell
/// behind it, so the counts at open sides depend on the direction of the axes.
fn unplaced(crossed: FluxStatistics) -> FluxStatistics {
    FluxStatistics { deep: 0, fast: 0, critical: 0, ..crossed }
}

/// Returns the volumes through ports, with all sides merged: the side of a corner depends on the
/// direction of the axes.
fn unsided(port_volumes: &BoundaryVolumes) -> BoundaryVolumes {
    let mut all = BoundaryVolumes::default();
    for (port, came, left) in port_volumes.each() {
        all.add(if port < ports::SIDES { ports::NORTH } else { port }, came, left);
    }
    all
}

fn assert_symmetric(case: &Case, steps: u64) {
    let state = case.run(steps, CpuOptions::default());
    for motion in Motion::ALL {
        let mut moved = motion.case(case).run(steps, CpuOptions::default());
        moved.diagnostics.clear();
        moved.crossed = unplaced(moved.crossed);
        moved.extremes = Default::default();
        moved.port_volumes = unsided(&moved.port_volumes);
        let expected = motion.state(&state, case.columns, case.rows);
        let off = (0..moved.water.len()).filter(|&c| moved.water[c] != expected.water[c]).count();
        assert_eq!(off, 0, "{}, {motion:?}: cells off", case.name());
        assert!(moved == expected, "{}, {motion:?}", case.name());
    }
}

/// Returns a case without any symmetry.
fn crooked_case(variant: common::Variant) -> Case {
    Case::new(65, 33, variant)
        .hills(500.0, 41)
        .holes(0.05, 42)
        .ponds(0.5, 43)
        .uneven_rain(1e-5, 44)
        .source(&[(10, 4), (55, 30)], &[(0.0, 0.003)])
        .top_up(40, 10, 0.4)
        .sink(7, 29)
}

#[test]
fn a_transformed_map_ends_in_the_transformed_state_with_closed_edges() {
    for variant in every_case() {
        assert_symmetric(&crooked_case(variant), 200);
    }
}

#[test]
fn a_transformed_map_ends_in_the_transformed_state_with_open_edges() {
    for variant in every_case() {
        for sides in ["all", "north", "north,east", "west,south,east"] {
            let open = OpenSides::parse(sides).expect("sides");
            assert_symmetric(&crooked_case(variant).open(open), 100);
        }
    }
}

#[test]
fn a_transformed_map_with_every_option_ends_in_the_transformed_state() {
    for variant in every_timed() {
        for (width, height) in [(10.0, 10.0), (4.0, 17.0), (30.0, 11.0)] {
            for open in [OpenSides::CLOSED, OpenSides::ALL] {
                let case = crooked_case(variant)
                    .cell(width, height)
                    .uneven_roughness(0.01, 0.2, 45)
                    .stage(&[(20, 20), (21, 20), (64, 32)], &[(0.0, 500.5), (20.0, 502.5)])
                    .open(open);
                assert_symmetric(&case, 120);
            }
        }
    }
}

#[test]
fn a_drop_on_a_plain_spreads_equally_in_all_directions() {
    for variant in every_case() {
        let case = Case::new(41, 41, variant).water(|i, j| f64::from(u8::from(i == 20 && j == 20)));
        let state = case.run(300, CpuOptions::default());
        for motion in Motion::ALL {
            let moved = motion.cells(&state.water, 41, 41);
            assert!(moved == state.water, "{}, {motion:?}", case.name());
        }
        assert!(state.water[20 * 41 + 28] > 0, "{}: it spreads", case.name());
    }
}
