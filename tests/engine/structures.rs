//! Structures on edges: their law determines the flux, volume is exact, and results do not depend
//! on the tiling.

use crate::common;
use crate::ranks::with_ranks;

use common::host_worker::{cpu_and_plain, spread};
use common::strips::cpu_strips;
use common::{Case, every_timed};
use inundate_engine::backend::cpu::CpuOptions;
use inundate_engine::backend::linked::keeping;
use inundate_engine::backend::ranks::open;
use inundate_engine::field::Field;
use inundate_engine::forcing::normal_depth::NormalDepthOutflow;
use inundate_engine::forcing::ports;
use inundate_engine::forcing::sites::trigger::Trigger;
use inundate_engine::forcing::sites::{PlacedSite, SiteKind, SiteParameters};
use inundate_engine::forcing::structures::breach::{Part, Trapezoid};
use inundate_engine::forcing::structures::bridge::{Bridge, CONTRACTION};
use inundate_engine::forcing::structures::{Structure, StructureKind};
use inundate_engine::roughness::Roughness;
use inundate_engine::simulation::Simulation;
use inundate_engine::tiling::subdomain::SubdomainPlan;

#[test]
fn structures_conserve_volume_independently_of_tiling() {
    for variant in every_timed() {
        let bare = || {
            Case::new(33, 21, variant).hills(100.0, 91).holes(0.02, 92).ponds(2.0, 93).rain(1e-4)
        };
        let without = bare().run(17, CpuOptions::default());
        let mut case = bare().structures(0.2, 94);
        case.keeps_discharge = true;
        let expected = case.run(17, CpuOptions::default());
        assert_ne!(expected.water, without.water, "{}: they act", case.name());
        let ledger = expected.ledger;
        assert_eq!((ledger.error(), ledger.stored), (0, expected.stored()), "{}", case.name());
        let turns = SubdomainPlan::tiled(33, 21, (11, 8), 2, case.reach());
        for plan in [SubdomainPlan::whole(33, 21), turns] {
            for state in cpu_and_plain(&case, &plan) {
                state.assert_is(&expected, || format!("{}, {:?}", case.name(), plan.steps));
            }
        }
    }
}

#[test]
fn a_breach_split_by_tiles_turns_and_workers_acts_as_one() {
    let (columns, rows, at) = (33, 21, 14);
    for variant in every_timed() {
        let mut case = Case::new(columns, rows, variant)
            .bed(|column, row| 100.0 + 0.03 * row as f64 - 0.02 * column as f64)
            .water(|column, _| if column <= at { 2.0 } else { 0.0 })
            .source(&[(3, 9)], &[(0.0, 0.3), (0.5, 0.3), (0.6, 0.0)]);
        case.keeps_discharge = true;
        // From row 4 to row 16; the trigger is in the middle, and fires when the source has raised
        // the lake there.
        let [lead, ahead] = [10 * columns + at, 10 * columns + at + 1];
        let breach =
            Trapezoid { depth: 2.0, width: 40.0, slope: 1.0, formation: 6.0, coefficient: 1.7 };
        for row in 0..rows {
            let from = 10.0 * (row as f32 - 10.5);
            let part = Part { breach, raised: 0.0, length: 10.0 };
            let numbers = [from, from + 10.0, part.table(&mut case.forcing.tables)];
            let breaches = (4..17).contains(&row);
            case.forcing.structures.push(Structure {
                cell: row * columns + at,
                axis: 0,
                kind: if breaches { StructureKind::Breach } else { StructureKind::Weir },
                crest: if breaches { 100.0 } else { 104.0 },
                numbers: if breaches { numbers } else { [1.7, 0.8, 0.0] },
                detour: 1.0,
                waits: breaches.then_some([lead, ahead]),
            });
        }
        let height = i64::from(case.grain.from_depth(2.02).unwrap());
        let numbers = Trigger::numbers(Some(height), None);
        let given = SiteParameters { numbers, ..SiteParameters::of(SiteKind::Trigger) };
        case.forcing.sites = [lead, ahead].map(|cell| PlacedSite { cell, given }).to_vec();
        let expected = case.run(17, CpuOptions::default());
        assert_eq!((expected.ledger.error(), expected.ledger.stored), (0, expected.stored()));
        let beyond = (0..rows).map(|row| expected.water[row * columns + at + 1]);
        let wet: Vec<usize> =
            (0..rows).zip(beyond).filter(|row| row.1 > 0).map(|row| row.0).collect();
        assert!(wet.contains(&10) && !wet.contains(&2), "{}: {wet:?}", case.name());
        let reach = case.reach();
        let together = |plan| keeping(&[], &case.forcing.structures, plan);
        let tiles = together(SubdomainPlan::tiled(columns, rows, (11, 8), 2, reach));
        let strips = together(SubdomainPlan::spread(columns, rows, &[0, 7, 12], 4, reach));
        let small = CpuOptions { tile: (9, 4), ..CpuOptions::default() };
        let cpus = cpu_strips(case.problem(), small, strips.clone());
        let parted = [case.start_on(spread(&case, strips)), case.start_on(cpus)]
            .map(|mut run| case.after(17, &mut run));
        let ranks = with_ranks(3, |wire, here| {
            let backend = open(case.problem(), wire, &here, None, None).expect("memory");
            let mut run = Simulation { backend, ..case.start(CpuOptions::default()) };
            let state = case.after(17, &mut run);
            run.backend.conclude(1e6).expect("the final state");
            state
        });
        for state in cpu_and_plain(&case, &tiles).into_iter().chain(parted).chain([ranks]) {
            state.assert_is(&expected, || case.name());
        }
    }
}

/// State of a wall across a channel.
struct Wall {
    /// Volume that has crossed it [m³].
    volume: f64,
    /// Discharge over its middle edge [m²/s].
    discharge: f64,
    /// Depths on both sides of it [m].
    beside: [f64; 2],
}

/// Runs a wall across a channel, between ponds of given depths [m], to each of some times [s].
fn over(variant: common::Variant, depths: [f64; 2], crest: f64, times: &[f64]) -> Vec<Wall> {
    let (columns, rows, at) = (40, 3, 19);
    let mut case = Case::new(columns, rows, variant)
        .water(|column, _| if column <= at { depths[0] } else { depths[1] });
    case.keeps_discharge = true;
    let wall = |row: usize| Structure {
        cell: row * columns + at,
        axis: 0,
        kind: StructureKind::Weir,
        crest,
        numbers: [1.7, 0.8, 0.0],
        detour: 1.0,
        waits: None,
    };
    case.forcing.structures = (0..rows).map(wall).collect();
    let mut run = case.start(CpuOptions::default());
    let state = |&time: &f64| {
        run.advance_to(time).expect("a run that stays shallow");
        let state = case.state(&run);
        let left = (0..rows).flat_map(|row| (0..=at).map(move |column| row * columns + column));
        let lost: i32 = left.map(|cell| case.initial[cell] - state.water[cell]).sum();
        let per_metre = f64::from(case.grain.per_metre());
        let kept = run.floats(Field::DischargeEast).expect("it is kept");
        Wall {
            volume: f64::from(lost) / per_metre * 100.0,
            discharge: kept[columns + 1 + at + 1].into(),
            beside: [at, at + 1].map(|column| f64::from(state.water[columns + column]) / per_metre),
        }
    };
    times.iter().map(state).collect()
}

#[test]
fn weir_flow_follows_the_formula_in_both_directions_free_and_submerged() {
    for variant in every_timed() {
        let name = variant.0.label();
        for depths in [[1.2, 0.0], [1.2, 0.9], [0.4, 1.3], [1.5, 1.3], [1.30, 1.45]] {
            // Before waves return from the ends of the ponds.
            let times: Vec<f64> = (60..100).map(f64::from).collect();
            let (mut mean, mut wanted) = (0.0, 0.0);
            for Wall { discharge, beside: [west, east], .. } in over(variant, depths, 1.0, &times) {
                let [up, down] = [west.max(east) - 1.0, (west.min(east) - 1.0).max(0.0)];
                // 1.7 h1^1.5, and 1.7 h1 sqrt((h1 - h2) / 0.2) where h2 > 0.8 h1 (m2/s).
                let free = 1.7 * up.powf(1.5);
                let drowned = 1.7 * up * ((up - down) / 0.2).sqrt();
                let by_formula = if down > 0.8 * up { drowned } else { free };
                // The flow that approaches it: 1 + 1.5 (v^2/2g) / h1.
                let head = (discharge / west.max(east)).powi(2) / (2.0 * 9.81);
                let momentum = variant.0.name == "shallow-water";
                let approached = if momentum { 1.0 + 1.5 * (head / up).min(0.5) } else { 1.0 };
                wanted += approached * by_formula * (west - east).signum();
                mean += discharge;
            }
            let difference = (mean - wanted).abs() / wanted.abs();
            // Without a stored flow, the flux is at most a fifth of the level difference in a step.
            let most = if variant.0.name != "aqua-manning" { 0.02 } else { 0.14 };
            assert!(difference < most, "{name}, {depths:?}: {mean}, {wanted}");
        }
    }
}

#[test]
fn a_wall_that_is_not_overtopped_holds_and_equal_levels_stay() {
    for variant in every_timed() {
        let volume = |depths, crest, time| over(variant, depths, crest, &[time])[0].volume;
        assert_eq!(volume([0.9, 0.1], 1.0, 600.0), 0.0, "{}", variant.0.label());
        // Any crest height is valid.
        assert_eq!(volume([3.0, 0.0], f64::INFINITY, 60.0), 0.0, "{}", variant.0.label());
        // 20 columns of 1.4 m and 20 columns of 1.0 m equalize at 1.2 m, with waves about it.
        let times: Vec<f64> = (0..50).map(|i| 3500.0 + 10.0 * f64::from(i)).collect();
        let walls = over(variant, [1.4, 1.0], 0.5, &times);
        let mean = |of: fn(&Wall) -> f64| walls.iter().map(of).sum::<f64>() / walls.len() as f64;
        let (volume, expected) = (mean(|wall| wall.volume), 0.2 * 60.0 * 100.0);
        assert!((volume - expected).abs() < 0.01 * expected, "{}: {volume}", variant.0.label());
        let discharge = mean(|wall| wall.discharge);
        assert!(discharge.abs() < 0.02, "{}: {discharge}", variant.0.label());
    }
}

#[test]
fn library_breaches_start_at_a_level_at_a_time_or_never() {
    let breach = Trapezoid { depth: 2.5, width: 4.0, slope: 0.5, formation: 5.0, coefficient: 1.7 };
    for (level, time, begins) in
        [(Some(1.9), None, true), (Some(2.1), None, false), (None, Some(3.0), true)]
    {
        let mut case = inundate_engine::case::Case::new(8, 1, 10.0)
            .water(|column, _| if column < 4 { 2.0 } else { 0.0 });
        let at = Part { breach, raised: 0.0, length: 10.0 }.table(case.law_tables());
        let numbers = [-5.0, 5.0, at];
        let case = case.structure([(3, 0), (4, 0)], StructureKind::Breach, 0.0, numbers).begins(
            [(3, 0), (4, 0)],
            level,
            time,
        );
        let mut run = case.start().expect("a run");
        run.advance_to(12.0).expect("a run that stays shallow");
        let there = case.depths(&run).expect("depths")[4..].iter().sum::<f32>();
        assert_eq!(there > 0.1, begins, "{level:?}, {time:?}: {there}");
        assert_eq!(case.volumes(&run).error(), 0.0);
    }
}

/// Returns the volumes (m³) that leave a level pool of an area (m²) through a growing breach until
/// each of some times (s), by Fread's formulas in small steps.
fn out_of_a_pool(area: f64, full: f64, breach: Trapezoid, times: &[f64]) -> Vec<f64> {
    let Trapezoid { depth, width, slope, formation, .. } = breach;
    let [depth, width, slope, formation] = [depth, width, slope, formation].map(f64::from);
    let (mut level, mut at, mut gone, dt) = (full, 0.0, 0.0, 0.05);
    let until = |end: &f64| {
        while at < *end {
            let grown = (at / formation).min(1.0);
            let head = (level - depth * (1.0 - grown)).max(0.0);
            let through = width * grown * head.powf(1.5) + 0.8 * slope * head.powf(2.5);
            gone += 1.7 * through * dt;
            level -= 1.7 * through * dt / area;
            at += dt;
        }
        gone
    };
    times.iter().map(until).collect()
}

#[test]
fn a_reservoir_drains_through_a_breach_like_a_level_pool() {
    let (columns, rows, cell) = (21, 9, 20.0);
    let breach =
        Trapezoid { depth: 3.0, width: 4.0, slope: 1.0, formation: 300.0, coefficient: 1.7 };
    let times = [150.0, 300.0, 600.0, 1200.0];
    // The lake's bed is 3 m below the final bottom of the breach, so that the lake stays level.
    let (full, below) = (2.95, 3.0);
    let area = 20.0 * 9.0 * cell * cell;
    let wanted = out_of_a_pool(area, full, breach, &times);
    for variant in every_timed() {
        let mut case = Case::new(columns, rows, variant)
            .cell(cell, cell)
            .water(|column, _| if column < 20 { full + below } else { 0.0 });
        for row in 0..rows {
            case = case.sink(20, row);
            let middle = row == rows / 2;
            let from = cell as f32 * (row as f32 - 4.5);
            let part = Part { breach, raised: 0.0, length: cell as f32 };
            let numbers = [from, from + cell as f32, part.table(&mut case.forcing.tables)];
            let at = [row * columns + 19, row * columns + 20];
            case.forcing.structures.push(Structure {
                cell: at[0],
                axis: 0,
                kind: if middle { StructureKind::Breach } else { StructureKind::Weir },
                crest: if middle { below } else { below + 3.0 },
                numbers: if middle { numbers } else { [1.7, 0.8, 0.0] },
                detour: 1.0,
                waits: middle.then_some(at),
            });
            let given = SiteParameters {
                numbers: Trigger::numbers(None, Some(0.0)),
                ..SiteParameters::of(SiteKind::Trigger)
            };
            case.forcing.sites.extend(at.map(|cell| PlacedSite { cell, given }));
        }
        let mut run = case.start(CpuOptions::default());
        let initial: i64 = case.initial.iter().map(|&water| i64::from(water)).sum();
        for (&time, &wanted) in times.iter().zip(&wanted) {
            run.advance_to(time).expect("a run that stays shallow");
            let state = case.state(&run);
            let left: i64 = state.water.iter().map(|&water| i64::from(water)).sum();
            let gone = (initial - left) as f64 / f64::from(case.grain.per_metre()) * cell * cell;
            // A discharge that grows lags by a step.
            let off = (gone / wanted - 1.0).abs();
            assert!(
                off < if time <= breach.formation.into() { 0.02 } else { 0.01 },
                "{}, {time} s: {gone} m³, {wanted}",
                case.name()
            );
        }
    }
}

#[test]
fn backwater_at_a_drowned_bridge_follows_the_formula_without_oscillating() {
    for variant in every_timed() {
        let (columns, at) = (60, 30);
        let mut case = Case::new(columns, 1, variant)
            .bed(|column, _| 10.0 - 0.01 * column as f64)
            .water(|_, _| 2.3)
            .source(&[(0, 0)], &[(0.0, 0.4)])
            .runs_out(&[(columns - 1, 0)], 0.001);
        case.keeps_discharge = true;
        let table = Bridge::table(&mut case.forcing.tables, CONTRACTION, 1e9);
        case.forcing.structures.push(Structure {
            cell: at,
            axis: 0,
            kind: StructureKind::Bridge,
            crest: 0.0,
            numbers: [1.0, 1.5, table],
            detour: 1.0,
            waits: None,
        });
        let mut run = case.start(CpuOptions::default());
        for time in [3600.0, 3607.0, 3615.0] {
            run.advance_to(time).expect("a run that stays shallow");
            let state = case.state(&run);
            let level = |cell: usize| {
                let depth = f64::from(state.water[cell]) / f64::from(case.grain.per_metre());
                case.bed[cell] + depth
            };
            // 4 m²/s, over the higher bed.
            let [up, mut down] = [at, at + 1].map(|cell| level(cell) - case.bed[at]);
            if case.solver.has_momentum() {
                let velocities = run.floats(Field::VelocityEast).expect("it is kept");
                let [own, beyond] = [at + 1, at + 2].map(|edge| f64::from(velocities[edge]));
                let most = own * up / (level(at + 1) - case.bed[at + 1]);
                down -= beyond.min(most) * (beyond.min(most) - own) / 9.81;
            }
            let jet = 1.5 * (0.62 + 0.38 * (1.5 / up).powi(3));
            let wanted = (4.0 / jet - 4.0 / down).powi(2) / (2.0 * 9.81);
            let off = (up - down) / wanted - 1.0;
            assert!(off.abs() < 0.01, "{}: {} m, {wanted}", case.name(), up - down);
            let flow = run.floats(Field::DischargeEast).expect("it is kept")[at + 1];
            assert!((flow - 4.0).abs() < 0.01, "{}: {flow} m²/s", case.name());
        }
    }
}

#[test]
fn a_sill_behind_one_cell_drowns_a_weir_by_its_level() {
    for variant in every_timed() {
        let (columns, at) = (40, 30);
        let mut case = Case::new(columns, 1, variant)
            .bed(|column, _| if column == at + 2 { 11.25 } else { 10.0 })
            .water(|_, _| 2.2)
            .source(&[(0, 0)], &[(0.0, 0.2)])
            .runs_out(&[(columns - 1, 0)], 0.01);
        case.forcing.structures.push(Structure {
            cell: at,
            axis: 0,
            kind: StructureKind::Weir,
            crest: 11.0,
            numbers: [1.7, 0.8, 0.0],
            detour: 1.0,
            waits: None,
        });
        let mut run = case.start(CpuOptions::default());
        run.advance_to(7200.0).expect("a run that stays shallow");
        let state = case.state(&run);
        let depth = |cell: usize| f64::from(state.water[cell]) / f64::from(case.grain.per_metre());
        // 2 m²/s, which become a little faster at the depth of the cell between weir and sill.
        let [up, mut down] = [at, at + 1].map(|cell| depth(cell) - 1.0);
        let mut approached = 1.0;
        if case.solver.has_momentum() {
            let [before, beyond] = [at, at + 1].map(|cell| 2.0 / depth(cell));
            approached += 1.5 * before.powi(2) / (2.0 * 9.81) / up;
            down -= beyond * (beyond - before).max(0.0) / 9.81;
        }
        let discharge = 1.7 * approached * up * ((up - down) / 0.2).min(up).sqrt();
        assert!((discharge / 2.0 - 1.0).abs() < 0.01, "{}: {up}, {down}, {discharge}", case.name());
        assert!(down > 0.8 * up, "{}: {up}, {down}", case.name());
    }
}

#[test]
fn a_weir_level_with_rough_ground_does_not_change_the_flow() {
    for variant in every_timed() {
        // 0.3 m²/s at the normal depth of 0.94 m.
        let (columns, at) = (24, 12);
        let mut case = Case::new(columns, 1, variant)
            .cell(50.0, 50.0)
            .bed(|column, _| 10.0 - 0.02 * column as f64)
            .water(|_, _| 0.94)
            .source(&[(0, 0)], &[(0.0, 0.3 / 50.0)]);
        case.roughness = Roughness::Uniform(0.06);
        case.forcing.free.push(NormalDepthOutflow {
            cell: columns - 1,
            conveyance: NormalDepthOutflow::over_side(0.0004, 0.06, 50.0),
            port: ports::EAST,
        });
        let depths = |case: &Case| {
            let mut run = case.start(CpuOptions::default());
            run.advance_to(36_000.0).expect("a run that stays shallow");
            let metre = f64::from(case.grain.per_metre());
            let depth = |water: &i32| f64::from(*water) / metre;
            case.state(&run).water.iter().map(depth).collect::<Vec<f64>>()
        };
        let without = depths(&case);
        case.forcing.structures.push(Structure {
            cell: at,
            axis: 0,
            kind: StructureKind::Weir,
            crest: 0.0,
            numbers: [1.7, 0.8, 0.0],
            detour: 1.0,
            waits: None,
        });
        for (with, without) in depths(&case).iter().zip(&without) {
            assert!((with - without).abs() < 1e-3, "{}: {with}, {without} m", case.name());
        }
    }
}

#[test]
fn a_pressurised_bridge_over_an_uneven_bed_is_steady() {
    const SOFFIT: f64 = 22.8;
    let valley = [3.0, 1.0, 0.0, 1.5, 3.0];
    let (columns, rows, at) = (40, 5, 20);
    // Solvers without stored flow have their own short steps.
    for variant in every_timed().filter(|(solver, _)| solver.name != "aqua-manning") {
        let cells = |column| (0..rows).map(move |row| (column, row)).collect::<Vec<_>>();
        let mut case = Case::new(columns, rows, variant)
            .bed(|column, row| 20.0 + valley[row] - 0.01 * column as f64)
            .water(|_, row| 6.0 - valley[row])
            .source(&cells(0), &[(0.0, 0.8)])
            .runs_out(&cells(columns - 1), 0.001);
        case.keeps_discharge = true;
        let table = Bridge::table(&mut case.forcing.tables, CONTRACTION, 1e9);
        for (column, row) in cells(at) {
            let cell = row * columns + column;
            let height = (SOFFIT - case.bed[cell]) as f32;
            case.forcing.structures.push(Structure {
                cell,
                axis: 0,
                kind: StructureKind::Bridge,
                crest: 0.0,
                numbers: [1.0, height, table],
                detour: 1.0,
                waits: None,
            });
        }
        let mut run = case.start(CpuOptions::default());
        let discharges = (0..30).map(|second| {
            run.advance_to(2400.0 + f64::from(second)).expect("a run that stays shallow");
            let flow = run.floats(Field::DischargeEast).expect("it is kept");
            (0..rows).map(|row| f64::from(flow[row * (columns + 1) + at + 1])).sum::<f64>()
        });
        let discharges: Vec<f64> = discharges.collect();
        let state = case.state(&run);
        let depth = f64::from(state.water[2 * columns + at]) / f64::from(case.grain.per_metre());
        assert!(case.bed[2 * columns + at] + depth > SOFFIT + 0.1, "{}: no pressure", case.name());
        let [least, most] =
            [f64::min, f64::max].map(|of| discharges.iter().copied().reduce(of).expect("some"));
        let mean = discharges.iter().sum::<f64>() / discharges.len() as f64;
        assert!((mean - 40.0).abs() < 0.8, "{}: {mean} of 40 m²/s", case.name());
        assert!(most - least < 0.01 * mean, "{}: {least} to {most} m²/s", case.name());
    }
}
