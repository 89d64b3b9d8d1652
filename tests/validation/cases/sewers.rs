//! Case ak: the exchange between the surface and a sewer network, through the command line.

use super::Case;
use crate::bench::{Bench, INERTIAL, MANNING, Pen, SECOND, SHALLOW};
use crate::cli_common::{CORNER, Raster, Workshop};
use crate::metrics::{at, inefficiency, largest, mean, rises_to};
use crate::plot::Plot;
use inundate::machine::swmm::library::{VARIABLE, swmm};
use inundate::scenario::sewers::Inlet;
use serde_json::json;
use std::f64::consts::PI;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const CASE: Case = Case {
    key: "ak",
    title: "Streets and sewers",
    about: "SWMM 5.2 computes the pipes, `inundate run` the surface and the exchange. **Ten states** of a manhole of \
        0.6 m: water below its crest; free and drowned flow, as a weir and as an orifice, in both directions (basins \
        of 2500 m² and storage units of 2000 m²); a junction that is surcharged by 0.4 m³/s. The mean exchange of a \
        minute is compared with the formulas of the [theory](../theory.md#sewers), implemented here in f64, at the \
        levels on both sides. **Level pool**: a pond of 400 m² (0.5 m³/s for a quarter of an hour, and a loss of 900 \
        mm/h) and a storage unit of 50 m², which fills and drains through an inlet 0.3 m above the pond's bed, and \
        another that empties into the pond from 1.5 m above the crest. The heads are compared with an integration in \
        steps of 0.02 s. **Network alone**: seven links with pressurized pipes, a loop, an orifice and a weir below \
        dry ground; heads and flows in `sewers.out` are compared with those of the library's `swmm_run`, called from \
        Python. **Environment Agency test 8B** (Néelz & Pender 2013): a sewer 1340 m long and 1.4 m in diameter, \
        whose inflow rises from 1.6 to 6.3 m³/s, and a manhole of 1 m²; network, inflow and the discharge of XPSTORM \
        are those of the tests of [Itzï](https://github.com/ItziModel/itzi), here at fewer times and rounded. The \
        terrain of the town was not available: the street is a plane of 1 : 50 with 2 m cells and n = 0.02. No water \
        ponds at the manhole, so the outflow lasts a few minutes longer than in the town. **Experiment**: Rubinato \
        et al. (2017) found coefficients of 0.54 for a free weir, 0.056 for a drowned one (without the factor ⅔) and \
        0.167 for an orifice, at a [manhole](https://co-udlabs.eu/access/research-facilities/a-b-flume/) of 0.24 m \
        over a pipe of 0.075 m; a [review](https://doi.org/10.1515/eng-2022-0598) gives ranges of 0.493 to 0.587 and \
        0.159 to 0.174 for open round inlets. Only these coefficients were available, as quoted by Itzï, and not the \
        measured discharges and depths, so the law is compared with the published relation and not with \
        measurements.",
    solvers: &[(SHALLOW, 40.0), (SECOND, 40.0), (INERTIAL, 30.0), (MANNING, 30.0)],
    plots: &[
        Plot {
            file: "ak_store",
            title: "ak. A storage unit that fills and drains through an inlet",
            x: "time [min]",
            y: "level [m]",
        },
        Plot {
            file: "ak_manhole",
            title: "ak. Environment Agency test 8B: discharge from the manhole",
            x: "time [min]",
            y: "discharge [m³/s]",
        },
    ],
    quick: true,
    run,
};

const G: f64 = 9.81;
/// Opening of a round manhole of 0.6 m [m²] and length of its crest [m].
const AREA: f64 = 0.283;
const LENGTH: f64 = 1.885;
/// Name of the manhole and of the storage unit in the cases with one inlet.
const NODE: &str = "N";

fn run(bench: &mut Bench) {
    if let Err(why) = swmm() {
        let required = std::env::var("INUNDATE_REQUIRE_SWMM").is_ok_and(|value| value == "1");
        assert!(!required, "SWMM is required, but: {}", why.what);
        return bench.not_run(format!("{}: `make setup-swmm` installs it", why.what));
    }
    // Basins of one cell are the same to all solvers.
    if bench.full || bench.solver == SHALLOW {
        ten_states(bench);
    }
    let intervals: &[f64] = if bench.full { &[1.0, 5.0] } else { &[5.0] };
    for &interval in intervals {
        level_pool(bench, interval, &FILLS);
        level_pool(bench, interval, &EMPTIES);
    }
    if bench.solver == SHALLOW {
        alone(bench);
        experiment(bench);
    }
    if bench.full {
        benchmark_8b(bench);
    }
}

/// Returns the discharge into the sewer [m³/s] at a level and a head over the crest [m].
fn formula(level: f64, head: f64) -> f64 {
    let root = (2.0 * G).sqrt();
    let up = level.max(head);
    if up <= 0.0 {
        return 0.0;
    }
    let drop = up.min((level - head).abs());
    let weir = 2.0 / 3.0 * 0.6 * LENGTH * root * up * drop.sqrt();
    let orifice = 0.6 * AREA * root * drop.sqrt();
    weir.min(orifice).copysign(level - head)
}

/// Level in the basin of a storage unit over the crest, and head of the storage unit over it [m].
const STATES: [(f64, f64); 9] = [
    (-0.1, -0.5),
    (0.1, -0.8),
    (0.5, -2.0),
    (0.2, 0.15),
    (1.0, 0.5),
    (-1.0, 0.1),
    (-0.7, 0.5),
    (0.15, 0.2),
    (0.5, 1.0),
];
/// Level in the basin of the surcharged junction over the crest [m], and inflow of the junction [m³/s].
const SURCHARGED: (f64, f64) = (0.3, 0.4);

fn ten_states(bench: &mut Bench) {
    const CELL: f64 = 50.0;
    const GROUND: f64 = 10.0;
    const CREST: f64 = 11.0;
    let columns = 2 * STATES.len() + 3;
    // Every second cell of the middle row is a basin; the others are walls.
    let raster = |wall: f64, basin: &dyn Fn(usize) -> f64| {
        let value = |column: usize, row: usize| {
            if row == 1 && column % 2 == 1 { basin(column / 2) } else { wall }
        };
        on_cells(Raster::new(columns, 3, value), CELL)
    };
    let level = |basin: usize| STATES.get(basin).map_or(SURCHARGED.0, |state| state.0);
    let workshop = Workshop::with_dem(&raster(GROUND + 10.0, &|_| GROUND));
    workshop.raster("depth.tif", &raster(0.0, &|basin| level(basin) + CREST - GROUND));
    let (mut inp, mut conduits, mut sections) = (options(1.0), String::new(), String::new());
    inp += "[STORAGE]\n";
    for (store, (_, head)) in STATES.iter().enumerate() {
        writeln!(inp, "S{store} 5 20 {} FUNCTIONAL 0 0 2000 0 0", CREST + head - 5.0).unwrap();
        // Dry conduits, because SWMM demands a way to an outfall.
        let (to, offset) = match store + 1 {
            last if last == STATES.len() => ("O1".to_string(), 0),
            next => (format!("S{next}"), 19),
        };
        writeln!(conduits, "C{store} S{store} {to} 100 0.013 19 {offset}").unwrap();
        writeln!(sections, "C{store} CIRCULAR 0.5 0 0 0").unwrap();
    }
    let inflow = SURCHARGED.1;
    write!(
        inp,
        "[JUNCTIONS]\nJ 8 3 0 0 0\n[OUTFALLS]\nO1 4 FREE NO\nO2 4 FREE NO\n\
         [CONDUITS]\n{conduits}CJ J O2 100 0.013 0 0\n[XSECTIONS]\n{sections}CJ CIRCULAR 0.01 0 0 0\n\
         [INFLOWS]\nJ FLOW \"\" FLOW 1.0 1.0 {inflow}\n"
    )
    .unwrap();
    workshop.file("town.inp", inp);
    let names: Vec<String> =
        (0..STATES.len()).map(|store| format!("S{store}")).chain(["J".to_string()]).collect();
    let point =
        |basin: usize| [CORNER.0 + (2.0 * basin as f64 + 1.5) * CELL, CORNER.1 - 1.5 * CELL];
    let inlets = names.iter().enumerate().map(|(basin, name)| {
        inlet(point(basin), json!({ "name": name, "crest": CREST, "area": AREA, "length": LENGTH }))
    });
    workshop.file("inlets.geojson", layer(inlets.collect()));
    let gauges = names.iter().enumerate().map(|(basin, name)| {
        let [x, y] = point(basin);
        format!("--gauges {x},{y},{name} ")
    });
    let gauges: Vec<String> = gauges.collect();
    let gauges = gauges.concat();
    let options = format!("--initial-depth depth.tif --duration '2 min' --gauge-every 1s {gauges}");
    compute(bench, &workshop, &options);
    let mut off = Vec::new();
    for name in &names {
        let found = column(&workshop, "sewers.csv", &format!("{name} exchange [m3/s]"));
        let heads = column(&workshop, "sewers.csv", &format!("{name} head [m]"));
        let levels = column(&workshop, "gauges.csv", &format!("{name} level [m]"));
        // An exchange is the mean of the second before it.
        let over = |values: &[f64], at: usize| 0.5 * (values[at - 1] + values[at]) - CREST;
        let second_minute = 61..found.len();
        let expected =
            mean(second_minute.clone().map(|at| formula(over(&levels, at), over(&heads, at))));
        let found = mean(found[second_minute].iter().copied());
        off.push(match (expected, found) {
            (0.0, 0.0) => 0.0,
            _ => 100.0 * (found / expected - 1.0).abs(),
        });
        if name == "J" {
            let off = 100.0 * (-found / SURCHARGED.1 - 1.0).abs();
            bench.check("surcharged junction: discharge, deviation from its inflow [%]", off, 0.2);
        }
    }
    bench.check("ten states: exchange, maximum deviation from the formula [%]", largest(off), 0.2);
}

/// A pond and a storage unit that exchange water.
struct Pool {
    name: &'static str,
    /// Initial depth of the pond and of the storage unit [m].
    depths: [f64; 2],
    /// Inflow of the pond in the first 15 minutes [m³/s], and its loss [mm/h].
    inflow: f64,
    loss: f64,
    minutes: usize,
}

const FILLS: Pool =
    Pool { name: "fills and drains", depths: [0.1, 2.0], inflow: 0.5, loss: 900.0, minutes: 40 };
const EMPTIES: Pool =
    Pool { name: "empties", depths: [0.1, 6.8], inflow: 0.0, loss: 0.0, minutes: 10 };

impl Pool {
    const POND: f64 = 400.0;
    const STORE: f64 = 50.0;
    const BED: f64 = 10.0;
    const CREST: f64 = 10.3;
    const INVERT: f64 = 5.0;
    /// Time at which the inflow ends [s].
    const UNTIL: f64 = 900.0;

    /// Integrates the levels of the pond and the storage unit. Returns them every 10 s.
    fn levels(&self) -> Vec<[f64; 2]> {
        const STEPS: usize = 500;
        let dt = 10.0 / STEPS as f64;
        let mut levels = [Pool::BED + self.depths[0], Pool::INVERT + self.depths[1]];
        let mut all = vec![levels];
        for step in 0..6 * self.minutes * STEPS {
            let inflow = if step as f64 * dt < Pool::UNTIL - 0.5 * dt { self.inflow } else { 0.0 };
            let rates = |[pond, store]: [f64; 2]| {
                let flow = formula(pond - Pool::CREST, store - Pool::CREST);
                [(inflow - flow) / Pool::POND - self.loss / 3.6e6, flow / Pool::STORE]
            };
            let moved =
                |rates: [f64; 2], by: f64| [levels[0] + by * rates[0], levels[1] + by * rates[1]];
            levels = moved(rates(moved(rates(levels), 0.5 * dt)), dt);
            if (step + 1) % STEPS == 0 {
                all.push(levels);
            }
        }
        all
    }
}

fn level_pool(bench: &mut Bench, interval: f64, pool: &Pool) {
    let workshop = Workshop::with_dem(&Raster::new(2, 2, |_, _| Pool::BED));
    let mut inp = options(interval);
    write!(
        inp,
        "[STORAGE]\n{NODE} {} 8 {} FUNCTIONAL 0 0 {} 0 0\n[OUTFALLS]\nO 4 FREE NO\n\
         [CONDUITS]\nC {NODE} O 100 0.013 7.9 0\n[XSECTIONS]\nC CIRCULAR 0.05 0 0 0\n",
        Pool::INVERT,
        pool.depths[1],
        Pool::STORE
    )
    .unwrap();
    workshop.file("town.inp", inp);
    let properties = json!({ "name": NODE, "crest": Pool::CREST, "area": AREA, "length": LENGTH });
    let west_cell = [CORNER.0 + 5.0, CORNER.1 - 5.0];
    workshop.file("inlets.geojson", layer(vec![inlet(west_cell, properties)]));
    workshop.file(
        "inflow.csv",
        format!("time [s],discharge [m3/s]\n0,{0}\n899.95,{0}\n900.05,0\n9000,0\n", pool.inflow),
    );
    let source = format!("{},{},inflow.csv", CORNER.0 + 15.0, CORNER.1 - 15.0);
    let gauge = format!("{},{},pond", west_cell[0], west_cell[1]);
    let water = match pool.inflow > 0.0 {
        true => format!("--source {source} --infiltration '{} mm/h'", pool.loss),
        false => String::new(),
    };
    let (depth, minutes) = (pool.depths[0], pool.minutes);
    let options = format!(
        "--initial-depth '{depth} m' --duration '{minutes} min' --gauge-every 10s --gauges {gauge}"
    );
    compute(bench, &workshop, &format!("{options} {water}"));
    let exact = pool.levels();
    let heads = column(&workshop, "sewers.csv", &format!("{NODE} head [m]"));
    assert_eq!(heads.len(), exact.len(), "heads every 10 s");
    let highest = largest(exact.iter().map(|levels| levels[1]));
    let range = highest + largest(exact.iter().map(|levels| -levels[1]));
    let off = |(head, exact): (&f64, &[f64; 2])| 100.0 * (head - exact[1]).abs() / range;
    let name = format!("storage unit that {}, exchange every {interval} s", pool.name);
    let pairs = || heads.iter().zip(&exact);
    // The exchange of an interval follows the heads at its beginning.
    let limit = if interval > 1.0 { 4.0 } else { 1.0 };
    bench
        .check(
            format!("{name}: head, maximum deviation from the level pool [% of its range]"),
            largest(pairs().map(off)),
            limit,
        )
        .peers(format!("range {range:.2} m"));
    let last = pairs().next_back().map(off);
    bench.check(
        format!("{name}: head, deviation at the end [% of its range]"),
        last.unwrap_or(f64::NAN),
        0.05,
    );
    if pool.inflow > 0.0 && interval == 5.0 {
        let minutes = |at: usize| at as f64 / 6.0;
        let curve = |values: &[f64]| -> Vec<(f64, f64)> {
            values.iter().enumerate().map(|(at, value)| (minutes(at), *value)).collect()
        };
        let exact =
            |which: usize| -> Vec<f64> { exact.iter().map(|levels| levels[which]).collect() };
        bench.curve("ak_store", "level pool: storage unit", Pen::Reference, curve(&exact(1)));
        bench.curve("ak_store", "level pool: pond", Pen::ReferenceDots, curve(&exact(0)));
        bench.curve("ak_store", bench.solver, Pen::Solver(bench.solver), curve(&heads));
    }
}

/// A network with pressurized pipes, a loop, an orifice and a weir. Its inflow is in litres per second.
const NETWORK: &str = "\
[OPTIONS]
FLOW_UNITS LPS
FLOW_ROUTING DYNWAVE
START_DATE 01/01/2020
END_DATE 01/01/2020
END_TIME 01:00:00
ROUTING_STEP 5
VARIABLE_STEP 0.75
REPORT_STEP 00:00:30
[REPORT]
NODES ALL
LINKS ALL
[JUNCTIONS]
A 6.0 4.0 0 0 0
B 5.6 4.4 0 0 0
C 5.2 4.8 0 0 0
D 5.0 5.0 0 0 0
[STORAGE]
S 4.5 5.5 0 FUNCTIONAL 0 0 60 0 0
[OUTFALLS]
O 4.0 FREE NO
P 6.0 FREE NO
[CONDUITS]
AB A B 90 0.013 0 0
BC B C 90 0.013 0 0
CD C D 60 0.013 0 0
AD A D 150 0.013 0.3 0
DS D S 40 0.013 0 0
[ORIFICES]
SO S O SIDE 0 0.65 NO 0
[WEIRS]
SP S P TRANSVERSE 2.0 1.84 NO 0 0 YES
[XSECTIONS]
AB CIRCULAR 0.5 0 0 0
BC CIRCULAR 0.5 0 0 0
CD CIRCULAR 0.4 0 0 0
AD CIRCULAR 0.3 0 0 0
DS CIRCULAR 0.6 0 0 0
SO CIRCULAR 0.3 0 0 0
SP RECT_OPEN 1 1 0 0
[INFLOWS]
A FLOW storm
B FLOW storm FLOW 1.0 0.5
[TIMESERIES]
storm 0:00 20
storm 0:20 300
storm 0:40 60
storm 1:00 20
";

fn alone(bench: &mut Bench) {
    let workshop = Workshop::with_dem(&Raster::new(5, 2, |_, _| 10.0));
    let mut inp = NETWORK.to_string() + "[COORDINATES]\n";
    for (column, name) in ["A", "B", "C", "D", "S"].iter().enumerate() {
        let x = CORNER.0 + 10.0 * column as f64 + 5.0;
        writeln!(inp, "{name} {x} {}", CORNER.1 - 5.0).unwrap();
    }
    workshop.file("town.inp", inp);
    compute_without_inlets(bench, &workshop, "--duration '1 h'");
    let script = "import ctypes, sys\n\
        sys.exit(ctypes.CDLL(sys.argv[1]).swmm_run(b'town.inp', b'alone.rpt', b'alone.out'))";
    let mut python = Command::new("python3");
    python.args(["-c", script]).arg(library()).current_dir(workshop.path("."));
    let output = python.output().expect("python3 is needed to run SWMM alone");
    assert!(output.status.success(), "SWMM alone: {}", String::from_utf8_lossy(&output.stderr));
    let [ours, theirs] =
        ["results/sewers.out", "alone.out"].map(|name| Results::read(&workshop.path(name)));
    let deepest = largest(theirs.heads.iter().map(|heads| heads[0] - 6.0));
    assert!(deepest > 1.0, "the pipes of 0.5 m are under pressure: {deepest} m");
    let differ = |ours: &[Vec<f64>], theirs: &[Vec<f64>]| {
        assert_eq!(ours.len(), theirs.len(), "number of times");
        largest(ours.concat().iter().zip(theirs.concat()).map(|(a, b)| (a - b).abs()))
    };
    let remark = format!(
        "{} nodes, {} links, {} times",
        ours.heads[0].len(),
        ours.flows[0].len(),
        ours.heads.len()
    );
    bench
        .check(
            "network alone: heads, maximum deviation from SWMM's own run [m]",
            differ(&ours.heads, &theirs.heads),
            0.0,
        )
        .peers(remark);
    let off = differ(&ours.flows, &theirs.flows);
    bench.check("network alone: flows, maximum deviation from SWMM's own run [l/s]", off, 0.0);
}

/// Returns the file of SWMM's library, or its name if the dynamic linker finds it.
fn library() -> PathBuf {
    let name = "libswmm5.so";
    let Some(place) = std::env::var_os(VARIABLE).filter(|place| !place.is_empty()) else {
        return name.into();
    };
    let place = std::path::absolute(place).expect("a path");
    let within = [place.join(name), place.join("swmm/toolkit").join(name)];
    within.into_iter().find(|path| path.is_file()).unwrap_or(place)
}

/// Heads of all nodes and flows of all links by time, in the units of the network.
struct Results {
    heads: Vec<Vec<f64>>,
    flows: Vec<Vec<f64>>,
}

impl Results {
    /// Reads SWMM's binary results, as described in the appendix of its interface guide.
    fn read(path: &Path) -> Results {
        let bytes = std::fs::read(path).expect("SWMM's results");
        let word = |at: usize| -> [u8; 4] { bytes[at..at + 4].try_into().expect("four bytes") };
        let count = |at: usize| i32::from_le_bytes(word(at)) as usize;
        let number = |at: usize| f64::from(f32::from_le_bytes(word(at)));
        let [areas, nodes, links] = [12, 16, 20].map(count);
        assert_eq!((areas, nodes, links), (0, 7, 7), "nodes and links in {}", path.display());
        let end = bytes.len() - 24;
        let (start, times) = (count(end + 8), count(end + 12));
        let record = (end - start) / times;
        // A record has the date, six numbers per node, and five per link.
        let (of_nodes, of_links) = (8, 8 + 24 * nodes);
        let begins = (0..times).map(|time| start + time * record);
        let read = |first: usize, size: usize, count: usize| -> Vec<Vec<f64>> {
            let all = begins.clone().map(|begin| {
                (0..count).map(|index| number(begin + first + size * index)).collect()
            });
            all.collect()
        };
        Results { heads: read(of_nodes + 4, 24, nodes), flows: read(of_links, 20, links) }
    }
}

/// Compares the law of an inlet with the coefficients of Rubinato et al. (2017).
fn experiment(bench: &mut Bench) {
    /// Diameter of the manhole [m]; coefficients of a free weir, a drowned weir and an orifice.
    const DIAMETER: f64 = 0.24;
    const FREE: f64 = 0.54;
    const DROWNED: f64 = 0.056;
    const ORIFICE: f64 = 0.167;
    let (area, length, root) = (0.25 * PI * DIAMETER * DIAMETER, PI * DIAMETER, (2.0 * G).sqrt());
    let ours = |shares: [f64; 2], level: f64, head: f64| {
        let (area, length) = (shares[0] * area, shares[1] * length);
        let inlet = Inlet { node: 0, cell: 0, ground: 0.0, crest: 0.0, area, length };
        let mut numbers = inlet.numbers();
        (numbers.head, numbers.idle_head) = (head as f32, head as f32);
        f64::from(numbers.discharge(level as f32, 0.0).abs())
    };
    let free = |level: f64| 2.0 / 3.0 * FREE * length * root * level.powf(1.5);
    let drowned = |level: f64, head: f64| DROWNED * length * root * level * (level - head).sqrt();
    let orifice = |drop: f64| ORIFICE * area * root * drop.sqrt();
    let states = [
        ("draining, free weir 20 mm deep", ours([1.0; 2], 0.02, -0.1) / free(0.02)),
        (
            "draining, drowned weir 20 mm deep, level difference of 10 mm",
            ours([1.0; 2], 0.02, 0.01) / drowned(0.02, 0.01),
        ),
        (
            "surcharging, 60 mm deep, level difference of 50 mm",
            ours([1.0; 2], 0.06, 0.11) / orifice(0.05),
        ),
    ];
    let remarks = [
        "0.6 : 0.54; the range of the review gives 1.02 to 1.22",
        "⅔ · 0.6 : 0.056",
        "0.6 : 0.167; the pipe of the experiment has a tenth of the manhole's area",
    ];
    for ((name, ratio), remark) in states.into_iter().zip(remarks) {
        let name = format!("experiment, {name}: discharge relative to the published relation");
        bench.note(name, ratio).peers(remark);
    }
    // Shares of the area and the length that stand for other coefficients.
    let shares = [ORIFICE / 0.6, FREE / 0.6];
    let off = [
        ours(shares, 0.01, -0.1) / free(0.01),
        ours(shares, 0.02, -0.1) / free(0.02),
        ours(shares, 0.06, 0.11) / orifice(0.05),
        ours(shares, 0.03, 0.2) / orifice(0.17),
    ];
    let off = off.iter().map(|ratio| 100.0 * (ratio - 1.0).abs());
    bench
        .check(
            "experiment, area × 0.278 and length × 0.9: discharge, maximum deviation from the published relation [%]",
            largest(off),
            0.01,
        )
        .peers("free weirs and surcharge; no factor of the length represents its drowned weir");
}

/// Length of the pipes of test 8B [m], and invert of their upper nodes and of the outfall [m].
const PIPES: [f64; 7] = [467.0, 104.0, 106.0, 200.0, 114.0, 154.0, 195.0];
const INVERTS: [f64; 8] = [39.17, 29.46, 27.70, 26.37, 25.70, 24.64, 24.29, 23.49];
/// Inflow at the upper end [min, m³/s].
const INFLOW: [(usize, f64); 29] = [
    (0, 1.6),
    (10, 1.63),
    (20, 1.72),
    (30, 1.8),
    (40, 1.95),
    (50, 2.15),
    (60, 2.48),
    (65, 2.72),
    (70, 3.01),
    (75, 3.37),
    (80, 3.79),
    (85, 4.25),
    (90, 4.67),
    (95, 5.07),
    (100, 5.41),
    (105, 5.71),
    (110, 6.0),
    (115, 6.21),
    (119, 6.281),
    (123, 6.21),
    (128, 6.0),
    (133, 5.71),
    (138, 5.41),
    (143, 5.07),
    (148, 4.67),
    (153, 4.25),
    (158, 3.79),
    (163, 3.37),
    (168, 3.01),
];
/// Discharge from the manhole by XPSTORM [min, m³/s].
const XPSTORM: [(f64, f64); 18] = [
    (80.0, 0.0),
    (86.0, 0.0),
    (90.0, 0.21),
    (95.0, 0.77),
    (100.0, 1.10),
    (105.0, 1.41),
    (110.0, 1.68),
    (115.0, 1.90),
    (121.5, 2.00),
    (125.0, 1.93),
    (130.0, 1.82),
    (135.0, 1.44),
    (140.0, 1.12),
    (145.0, 0.80),
    (150.0, 0.41),
    (155.0, 0.06),
    (160.0, -0.07),
    (165.0, 0.0),
];

fn benchmark_8b(bench: &mut Bench) {
    const CELL: f64 = 2.0;
    const MANHOLE: (usize, usize) = (50, 15);
    let rim = INVERTS[1] + 2.0;
    let plane = |column: usize, _| rim + 0.02 * CELL * (column as f64 - MANHOLE.0 as f64);
    let workshop = Workshop::with_dem(&on_cells(Raster::new(60, 30, plane), CELL));
    let mut inp = options(1.0).replace("VARIABLE_STEP 0", "VARIABLE_STEP 0.5");
    inp += "MIN_SURFAREA 1\nINERTIAL_DAMPING NONE\nNORMAL_FLOW_LIMITED FROUDE\n[JUNCTIONS]\n";
    let (mut conduits, mut sections) = (String::new(), String::new());
    for (pipe, length) in PIPES.iter().enumerate() {
        // All nodes but the manhole are sealed.
        let sealed = if pipe == 1 { 0 } else { 100 };
        let name = |node: usize| if node == 1 { NODE.to_string() } else { format!("J{node}") };
        writeln!(inp, "{} {} 2 0 {sealed} 0", name(pipe), INVERTS[pipe]).unwrap();
        writeln!(conduits, "P{pipe} {} {} {length} 0.017 0 0", name(pipe), name(pipe + 1)).unwrap();
        writeln!(sections, "P{pipe} CIRCULAR 1.4 0 0 0").unwrap();
    }
    let outfall = format!("J{} {} FREE NO", PIPES.len(), INVERTS[PIPES.len()]);
    write!(inp, "[OUTFALLS]\n{outfall}\n[CONDUITS]\n{conduits}[XSECTIONS]\n{sections}").unwrap();
    inp += "[INFLOWS]\nJ0 FLOW inflow\n[TIMESERIES]\n";
    for (minute, flow) in INFLOW {
        writeln!(inp, "inflow {}:{:02} {flow}", minute / 60, minute % 60).unwrap();
    }
    workshop.file("town.inp", inp);
    let [x, y] =
        [CORNER.0 + (MANHOLE.0 as f64 + 0.5) * CELL, CORNER.1 - (MANHOLE.1 as f64 + 0.5) * CELL];
    let options = "--open west --roughness 0.02 --duration '168 min' --gauge-every 30s";
    let discharges = |bench: &mut Bench, area: f64| -> Vec<(f64, f64)> {
        let properties = json!({ "name": NODE, "area": area, "length": 4.0 });
        workshop.file("inlets.geojson", layer(vec![inlet([x, y], properties)]));
        compute(bench, &workshop, options);
        let times = column(&workshop, "sewers.csv", "time [s]");
        let exchange = column(&workshop, "sewers.csv", &format!("{NODE} exchange [m3/s]"));
        times.iter().zip(exchange).map(|(time, flow)| (time / 60.0, -flow)).collect()
    };
    let peak = |curve: &[(f64, f64)]| {
        let most = largest(curve.iter().map(|point| point.1));
        (curve.iter().find(|point| point.1 == most).map_or(f64::NAN, |point| point.0), most)
    };
    let ours = discharges(bench, 1.0);
    let (ours_at, ours_most) = peak(&ours);
    let (theirs_at, theirs_most) = peak(&XPSTORM);
    bench
        .check(
            "test 8B: peak discharge of the manhole, deviation from XPSTORM [%]",
            100.0 * (ours_most / theirs_most - 1.0).abs(),
            4.0,
        )
        .peers(format!("{ours_most:.2} m³/s, {theirs_most:.2} m³/s"));
    bench.check(
        "test 8B: peak time, deviation from XPSTORM [min]",
        (ours_at - theirs_at).abs(),
        2.0,
    );
    let begins = |curve: &[(f64, f64)]| rises_to(curve, 0.1);
    let off = (begins(&ours) - begins(&XPSTORM)).abs();
    bench.check(
        "test 8B: time at which the discharge reaches 0.1 m³/s, deviation from XPSTORM [min]",
        off,
        2.0,
    );
    let pairs: Vec<(f64, f64)> =
        XPSTORM.iter().map(|&(minute, flow)| (at(&ours, minute), flow)).collect();
    bench.check(
        "test 8B: 1 − NSE (Nash–Sutcliffe efficiency) of the discharge",
        inefficiency(&pairs),
        0.04,
    );
    if bench.solver == SHALLOW {
        let (_, most) = peak(&discharges(bench, 0.278));
        bench
            .note(
                "test 8B with the orifice coefficient of the experiment: peak discharge [m³/s]",
                most,
            )
            .peers(format!("XPSTORM {theirs_most:.2}"));
        bench.curve("ak_manhole", "XPSTORM", Pen::ReferenceDots, XPSTORM.to_vec());
    }
    let shown = ours.into_iter().filter(|point| point.0 >= XPSTORM[0].0).collect();
    bench.curve("ak_manhole", bench.solver, Pen::Solver(bench.solver), shown);
}

/// Returns the options of a SWMM input file, with the routing step [s].
fn options(step: f64) -> String {
    format!(
        "[OPTIONS]\nFLOW_UNITS CMS\nFLOW_ROUTING DYNWAVE\nSTART_DATE 01/01/2020\nEND_DATE 01/02/2020\n\
         REPORT_STEP 00:01:00\nROUTING_STEP {step}\nVARIABLE_STEP 0\n"
    )
}

/// Sets the cell size of a raster [m].
fn on_cells(raster: Raster, cell: f64) -> Raster {
    raster.transform([CORNER.0, cell, 0.0, CORNER.1, 0.0, -cell])
}

/// Returns an inlet at a point.
fn inlet(point: [f64; 2], properties: serde_json::Value) -> serde_json::Value {
    let geometry = json!({ "type": "Point", "coordinates": point });
    json!({ "type": "Feature", "properties": properties, "geometry": geometry })
}

/// Returns a layer of inlets as GeoJSON.
fn layer(inlets: Vec<serde_json::Value>) -> String {
    let crs = json!({ "type": "name", "properties": { "name": "urn:ogc:def:crs:EPSG::32633" } });
    json!({ "type": "FeatureCollection", "crs": crs, "features": inlets }).to_string()
}

/// Runs the program with the inlets of `inlets.geojson`.
fn compute(bench: &mut Bench, workshop: &Workshop, options: &str) {
    compute_without_inlets(bench, workshop, &format!("{options} --sewer-nodes inlets.geojson"));
}

fn compute_without_inlets(bench: &mut Bench, workshop: &Workshop, options: &str) {
    let common = "--sewers town.inp --device cpu --threads 1 --quiet --overwrite";
    workshop.run(&format!("{common} {options} {}", bench.options())).done();
    bench.tally_volume(workshop.volume("results", "error_m3"));
}

/// Returns a column of a table of the results.
fn column(workshop: &Workshop, table: &str, name: &str) -> Vec<f64> {
    workshop.table(&format!("results/{table}")).remove(name).expect(name)
}
