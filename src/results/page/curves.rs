//! Charts of a page, from the records of the run.

use super::PageInputs;
use super::chart::{COLOURS, Chart, Curve, Pen};
use super::ticks::TimeAxis;
use crate::engine::clock::TimeUnit;
use crate::engine::ledger::{LINES, LedgerLine, Side, Term};
use crate::error::Result;
use crate::output::watch::{Balance, Gauge, Reading};
use crate::scenario::{BreachFacts, StructureFacts};
use crate::words::capital;

/// Maximum number of gauges or sections with charts of their own.
pub const MOST_CHARTS: usize = 30;

/// A chart with its heading and the names of its curves.
#[derive(Debug)]
pub struct Figure {
    /// Heading of the chart.
    pub title: String,
    /// Names and colours (CSS) of its curves, if there are several.
    pub legend: Vec<(String, String)>,
    /// The chart itself (SVG).
    pub svg: String,
}

impl PageInputs<'_> {
    fn time(&self) -> TimeAxis {
        TimeAxis::of(self.clock, self.facts.start.as_ref())
    }

    fn curve(
        &self,
        name: &str,
        number: usize,
        pen: Pen,
        values: impl Iterator<Item = f64>,
    ) -> Curve {
        let unit = self.time().unit;
        let points = self.records.times.iter().map(|time| time / unit).zip(values);
        let colour = COLOURS[number % COLOURS.len()];
        Curve { name: name.into(), colour, pen, points: points.collect() }
    }

    fn figure(
        &self,
        title: String,
        y: String,
        curves: Vec<Curve>,
        right: Option<(String, f64)>,
    ) -> Result<Figure> {
        let css = |[red, green, blue]: [u8; 3]| format!("rgb({red},{green},{blue})");
        let legend = match curves.len() {
            1 => Vec::new(),
            _ => curves.iter().map(|curve| (curve.name.clone(), css(curve.colour))).collect(),
        };
        let svg = Chart { time: self.time(), values: y, curves, right }.svg()?;
        Ok(Figure { title, legend, svg })
    }

    /// Draws depth and level at a gauge.
    fn gauge(&self, gauge: &Gauge, readings: &[Reading]) -> Result<Figure> {
        let depths = readings.iter().map(|reading| reading.depth);
        let curve = self.curve(&gauge.name, 0, Pen::Filled, depths);
        let right = Some(("level [m]".into(), gauge.bed));
        self.figure(gauge.name.clone(), "depth [m]".into(), vec![curve], right)
    }

    /// Draws one chart per gauge.
    pub fn gauges(&self) -> Result<Vec<Figure>> {
        let all = self.facts.watched.gauges.iter().zip(&self.records.gauges).take(MOST_CHARTS);
        all.map(|(gauge, readings)| self.gauge(gauge, readings)).collect()
    }

    /// Draws the speeds at the first gauges in one chart.
    pub fn speeds(&self) -> Result<Option<Figure>> {
        if !self.facts.watched.flows || self.facts.watched.gauges.is_empty() {
            return Ok(None);
        }
        let all = self.facts.watched.gauges.iter().zip(&self.records.gauges).take(COLOURS.len());
        let curves = all.enumerate().map(|(number, (gauge, readings))| {
            self.curve(&gauge.name, number, Pen::Line, readings.iter().map(Reading::speed))
        });
        let title = match self.facts.watched.gauges.len() {
            1 => format!("Velocity at {}", self.facts.watched.gauges[0].name),
            many if many > COLOURS.len() => {
                format!("Velocity at the first {} gauges", COLOURS.len())
            }
            _ => "Velocity at the gauges".into(),
        };
        self.figure(title, "velocity [m/s]".into(), curves.collect(), None).map(Some)
    }

    /// Draws one chart of the discharge per section, or per structure.
    fn discharges(&self, of_structures: bool) -> Result<Vec<Figure>> {
        let all = self.facts.watched.sections.iter().zip(&self.records.sections);
        let wanted = |name: &str| self.facts.structure(name).is_some() == of_structures;
        all.filter(|(section, _)| wanted(&section.name))
            .take(MOST_CHARTS)
            .map(|(section, flow)| {
                let discharges = flow.discharges.iter().copied();
                let curve = self.curve(&section.name, 0, Pen::Filled, discharges);
                let y = "discharge [m³/s]".into();
                self.figure(section.name.clone(), y, vec![curve], None)
            })
            .collect()
    }

    /// Draws one chart per section.
    pub fn sections(&self) -> Result<Vec<Figure>> {
        self.discharges(false)
    }

    /// Draws the discharge of each structure, and the growth of each breach that began.
    /// `structures` are those of the report, with the starts of their breaches.
    pub fn structures(&self, structures: &[StructureFacts]) -> Result<Vec<Figure>> {
        let mut figures = self.discharges(true)?;
        for structure in structures.iter().take(MOST_CHARTS) {
            let Some(breach) = structure.breach else { continue };
            let (Some(began), Some(crest)) = (breach.began_s, structure.levels_m.get("crest"))
            else {
                continue;
            };
            figures.push(self.growth(&structure.name, &breach, began, *crest)?);
        }
        Ok(figures)
    }

    /// Draws the growth of a breach, which is linear from its start to its final size.
    fn growth(&self, name: &str, breach: &BreachFacts, began: f64, crest: f64) -> Result<Figure> {
        let TimeAxis { unit, end, .. } = self.time();
        let depth = crest - breach.bottom_level_m;
        let curve = |number: usize, name: &str, size: f64| {
            let at = |time: f64| {
                (time / unit, size * ((time - began) / breach.formation_s).clamp(0.0, 1.0))
            };
            let end = end * unit;
            let bends = [began, began + breach.formation_s];
            let bends = bends.into_iter().filter(|time| (0.0..end).contains(time));
            let points = [0.0].into_iter().chain(bends).chain([end]).map(at).collect();
            Curve { name: name.into(), colour: COLOURS[number], pen: Pen::Line, points }
        };
        let curves = vec![
            curve(0, "width at the crest", breach.bottom_width_m + 2.0 * breach.side_slope * depth),
            curve(1, "width of the bottom", breach.bottom_width_m),
            curve(2, "depth below the crest", depth),
        ];
        self.figure(format!("Growth of {name}"), "size [m]".into(), curves, None)
    }

    /// Iterates over the volume of a term of the mass balance at each time (m³).
    fn volume(&self, line: &'static LedgerLine) -> impl Iterator<Item = f64> + Clone {
        let metres = f64::from(self.facts.flow.grain.metres()) * self.facts.grid.cell_area();
        let balance = self.records.balance.iter();
        balance.map(move |balance| balance.ledger.of(line.term) as f64 * metres)
    }

    /// Selects terms of the mass balance that are not always 0.
    fn lines(&self, wanted: impl Fn(&LedgerLine) -> bool) -> Vec<&'static LedgerLine> {
        let moves = |line: &&'static LedgerLine| self.volume(line).any(|volume| volume != 0.0);
        LINES.iter().filter(|line| wanted(line)).filter(moves).collect()
    }

    /// Returns a term's mean rate between successive times, drawn as steps or from middle to
    /// middle.
    fn rate(&self, number: usize, line: &'static LedgerLine, per: f64, stepped: bool) -> Curve {
        let unit = self.time().unit;
        let volumes: Vec<f64> = self.volume(line).collect();
        let times = &self.records.times;
        let mut points = Vec::new();
        for at in 1..times.len() {
            let rate = (volumes[at] - volumes[at - 1]) / (times[at] - times[at - 1]) * per;
            let ends = [times[at - 1], times[at]].map(|time| (time / unit, rate));
            if stepped {
                points.extend(ends);
            } else {
                points.push((0.5 * (ends[0].0 + ends[1].0), rate));
            }
        }
        let (colour, pen) =
            (COLOURS[number % COLOURS.len()], if stepped { Pen::Filled } else { Pen::Line });
        Curve { name: line.about.into(), colour, pen, points }
    }

    /// Draws the rain on the domain, and the inflow and outflow.
    pub fn rates(&self) -> Result<Vec<Figure>> {
        let steps = self.clock.unit == TimeUnit::Steps;
        let mut figures = Vec::new();
        for line in self.lines(|line| line.term == Term::Rain) {
            let (per, unit) = if steps { (1e3, "mm/step") } else { (3.6e6, "mm/h") };
            let curve = self.rate(0, line, per / self.facts.domain_area(), true);
            let y = format!("rain [{unit}]");
            figures.push(self.figure("Rain, mean of the domain".into(), y, vec![curve], None)?);
        }
        let moving = |line: &LedgerLine| {
            line.term != Term::Rain && matches!(line.side, Side::In | Side::Out)
        };
        let curves: Vec<Curve> = self
            .lines(moving)
            .into_iter()
            .enumerate()
            .map(|(number, line)| self.rate(number, line, 1.0, false))
            .collect();
        if !curves.is_empty() {
            let title = match &curves[..] {
                [one] => capital(&one.name),
                _ => "Inflow, outflow and losses".into(),
            };
            let y = if steps { "flow [m³/step]" } else { "flow [m³/s]" };
            figures.push(self.figure(title, y.into(), curves, None)?);
        }
        Ok(figures)
    }

    /// Draws the mass balance over time, and the wet area.
    pub fn balance(&self) -> Result<Vec<Figure>> {
        let lines = self.lines(|_| true);
        let most = lines.iter().flat_map(|line| self.volume(line)).fold(0.0, f64::max);
        let (unit, scale) = match most {
            most if most >= 2e6 => ("million m³", 1e6),
            most if most >= 2e3 => ("1000 m³", 1e3),
            _ => ("m³", 1.0),
        };
        let curves = lines.iter().enumerate().map(|(number, line)| {
            self.curve(line.about, number, Pen::Line, self.volume(line).map(|v| v / scale))
        });
        let volumes = self.figure(
            "Volumes over time".into(),
            format!("volume [{unit}]"),
            curves.collect(),
            None,
        )?;
        let cell = self.facts.grid.cell_area();
        let area = |balance: &Balance| balance.wet_cells as f64 * cell;
        let most = self.records.balance.iter().map(area).fold(0.0, f64::max);
        let (unit, scale) = if most >= 1e6 { ("km²", 1e6) } else { ("m²", 1.0) };
        let areas = self.records.balance.iter().map(|balance| area(balance) / scale);
        let curve = self.curve("wet area", 0, Pen::Filled, areas);
        let wet =
            self.figure("Cells with water".into(), format!("area [{unit}]"), vec![curve], None)?;
        Ok(vec![volumes, wet])
    }
}
