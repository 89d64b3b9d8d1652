//! Plan of the losses, from the options, before any raster is read.

use super::options::{DEFAULT_INITIAL_SHARE, LossOptions};
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::series::Series;
use crate::engine::losses::parameter::{Model, Parameter, ParameterUnit, Values};
use crate::error::{Error, Result};
use crate::input::notice::{Notices, Reading};
use crate::input::tables::bundled;
use crate::input::tables::dialect::is_a_csv;
use crate::input::tables::loss_table::{BUNDLED, LossTable};
use crate::input::tables::series_table;
use crate::measures;
use crate::scenario::options::{Options, TableName, ValueOrFile, example};
use crate::scenario::water::Time;
use std::path::{Path, PathBuf};

/// Parameter as given by the options.
#[derive(Clone, Debug)]
pub enum Given {
    /// Uniform value, in the parameter's unit.
    Value(f32),
    /// Raster of values, in the parameter's unit.
    Raster(PathBuf),
}

/// Raster of classes and its table.
#[derive(Debug)]
pub struct Classes {
    /// Key of the raster.
    pub key: &'static str,
    pub raster: PathBuf,
    pub table: LossTable,
    pub table_path: PathBuf,
}

/// Plan of the losses.
#[derive(Debug)]
pub struct Plan {
    /// Options of the parameters, in the order of [`Parameter::ALL`].
    pub given: [Option<Given>; Parameter::ALL.len()],
    /// Model of cells whose class does not set one.
    pub model: Option<Model>,
    /// Initial loss of a curve number as a fraction of its retention.
    pub initial_share: f64,
    pub classes: Option<Classes>,
    /// Evaporation (m/s).
    pub evaporation: Option<Series>,
}

impl Plan {
    /// Returns the plan of the options; `None` if they give no losses.
    pub fn named_in(options: &Options, time: Time) -> Result<Option<Reading<Plan>>> {
        let losses = &options.losses;
        let mut notices = Notices::default();
        let mut plan = Plan {
            given: Default::default(),
            model: None,
            initial_share: initial_share(losses.curve_number_initial)?,
            classes: classes(options)?,
            evaporation: None,
        };
        let named = named_model(losses);
        plan.given = all_given(losses)?;
        plan.model = model(named, &plan.given)?;
        if let Some(said) = &losses.evaporation {
            plan.evaporation = Some(evaporation(said, time, &mut notices)?);
        }
        if losses.curve_number_initial.is_some() && !plan.has_curve_number() {
            return Err(Error::input("curve_number_initial: has no effect without a curve number")
                .hint("give a curve_number, or leave it out"));
        }
        let nothing = plan.given.iter().all(Option::is_none) && plan.model.is_none();
        if nothing && plan.classes.is_none() && plan.evaporation.is_none() {
            return Ok(None);
        }
        time.check_timed(format_args!("{}: losses are rates in time", plan.first_key()))?;
        plan.check_model()?;
        Ok(Some(Reading { value: plan, notices }))
    }

    /// Returns true if a cell can have a curve number.
    fn has_curve_number(&self) -> bool {
        let lines = self.classes.iter().flat_map(|classes| &classes.table.classes);
        self.model == Some(Model::CurveNumber)
            || lines.into_iter().any(|line| line.model == Some(Model::CurveNumber))
    }

    fn first_key(&self) -> &'static str {
        let given = Parameter::ALL.into_iter().find(|&p| self.given[p as usize].is_some());
        match given {
            Some(parameter) => parameter.key(),
            None if self.model.is_some() => "infiltration",
            None if self.classes.is_some() => "loss_table",
            None => "evaporation",
        }
    }

    /// Checks that every model has its parameters, from the options or a line of the table.
    fn check_model(&self) -> Result<()> {
        let lacks = |model: Option<Model>, values: Option<&Values>| {
            let needs = model.into_iter().flat_map(Model::parameters);
            needs.into_iter().find(|parameter| {
                let in_line = values.is_some_and(|values| !parameter.of(values).is_nan());
                !in_line && self.given[*parameter as usize].is_none()
            })
        };
        if let (Some(Classes { table, .. }), model) = (&self.classes, self.model) {
            for line in &table.classes {
                let model = line.model.or(model);
                if let (Some(parameter), Some(model)) = (lacks(model, Some(&line.values)), model) {
                    let what = format!(
                        "class {} uses {model} but has no {}",
                        line.class,
                        parameter.column()
                    );
                    return Err(table
                        .wrong(line.line, what)
                        .hint(format!("fill it in, or give {} for all classes", parameter.key())));
                }
            }
        } else if let (Some(parameter), Some(model)) = (lacks(self.model, None), self.model) {
            let needs: Vec<&str> = model.parameters().map(Parameter::key).collect();
            return Err(Error::input(format!("infiltration: {model} lacks {}", parameter.key()))
                .hint(format!("{model} takes {}", needs.join(", "))));
        }
        let initial = self.given[Parameter::InitialLoss as usize].is_some();
        if initial && self.model == Some(Model::CurveNumber) {
            return Err(Error::input("initial_loss: a curve number has its own initial loss")
                .hint("leave initial_loss out; curve_number_initial (0.2) sets its fraction of the retention"));
        }
        Ok(())
    }
}

fn initial_share(share: Option<f64>) -> Result<f64> {
    let share = share.unwrap_or(DEFAULT_INITIAL_SHARE);
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(Error::input(format!("curve_number_initial: {share} is out of range"))
        .hint("give the fraction of the retention that is lost first, 0 to 1; the handbook's value is 0.2"))
}

fn classes(options: &Options) -> Result<Option<Classes>> {
    let (own, table) = (&options.losses.loss_classes, &options.losses.loss_table);
    let Some(TableName(table_path)) = table else {
        return match own {
            None => Ok(None),
            Some(_) => Err(Error::input(
                "loss_classes: the classes have no losses without loss_table",
            )
            .hint(format!(
                "bundled tables: {}; or a CSV file with a column class and columns of losses",
                bundled::names(&BUNDLED)
            ))),
        };
    };
    let (key, raster) = match (own, &options.land_cover) {
        (Some(raster), _) => ("loss_classes", raster),
        (None, Some(raster)) => ("land_cover", raster),
        (None, None) => {
            return Err(Error::input("loss_table: has no effect without a raster of classes")
                .hint("give the raster of classes as loss_classes (or land_cover), or leave the table out"));
        }
    };
    let table = LossTable::read(table_path)?;
    let (raster, table_path) = (raster.clone(), table_path.clone());
    Ok(Some(Classes { key, raster, table, table_path }))
}

/// Returns the parameters that the options give.
pub(super) fn all_given(losses: &LossOptions) -> Result<[Option<Given>; Parameter::ALL.len()]> {
    let mut all: [Option<Given>; Parameter::ALL.len()] = Default::default();
    for parameter in Parameter::ALL {
        let is_name = parameter == Parameter::Infiltration && named_model(losses).is_some();
        if let Some(said) = losses.of(parameter).filter(|_| !is_name) {
            all[parameter as usize] = Some(given(parameter, said)?);
        }
    }
    Ok(all)
}

/// Returns the model that the options name as the infiltration.
fn named_model(losses: &LossOptions) -> Option<Model> {
    losses.infiltration.as_ref().and_then(|infiltration| model_named(&infiltration.to_string()))
}

/// Returns the model with this name.
fn model_named(text: &str) -> Option<Model> {
    Model::ALL
        .into_iter()
        .find(|model| model.name() == text.trim())
        .filter(|m| *m != Model::Constant)
}

/// Returns the model of the options: as named, otherwise the model of the given parameters.
fn model(named: Option<Model>, given: &[Option<Given>]) -> Result<Option<Model>> {
    let mut found = named.map(|model| (model, "infiltration"));
    for parameter in Parameter::ALL.into_iter().filter(|&p| given[p as usize].is_some()) {
        let Some(model) = parameter.model() else { continue };
        match found {
            Some((first, key)) if first != model => {
                return Err(Error::input(format!(
                    "{}: it belongs to {model}, but {key} asks for {first}",
                    parameter.key()
                ))
                .hint("a cell has one infiltration model: leave out the keys of the other, or choose models by class in a loss_table"));
            }
            _ => found = Some((model, found.map_or(parameter.key(), |(_, key)| key))),
        }
    }
    Ok(found.map(|(model, _)| model))
}

fn given(parameter: Parameter, said: &ValueOrFile) -> Result<Given> {
    let key = parameter.key();
    let text = match said {
        ValueOrFile::File(path) if is_a_csv(path) => {
            return Err(Error::input(format!(
                "{key}: '{said}' is a table, but this parameter is constant in time"
            ))
            .hint(format!(
                "give one value like {}, a raster, or a table of classes as loss_table",
                example(key).unwrap_or_default()
            )));
        }
        ValueOrFile::File(path) => return Ok(Given::Raster(path.clone())),
        ValueOrFile::Value(text) => text,
    };
    value(parameter, text).map(Given::Value).map_err(|error| {
        let unit = match parameter.unit().symbol() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let models = match parameter {
            Parameter::Infiltration => ", or a model: horton, green-ampt, curve-number",
            _ => "",
        };
        let or = if error.hint.is_some() { "or " } else { "" };
        error.of(key).hint_also(format_args!("{or}give a raster{unit}{models}"))
    })
}

/// Parses a value with its unit, converts it to [`Parameter::unit`] and checks its range.
fn value(parameter: Parameter, text: &str) -> Result<f32> {
    let value = match parameter.unit() {
        ParameterUnit::Millimetre => 1e3 * measures::parse_loss(text)?,
        ParameterUnit::MillimetrePerHour => 3.6e6 * measures::parse_capacity(text)?,
        ParameterUnit::PerHour => 3600.0 * measures::parse_decay(text)?,
        ParameterUnit::One => text
            .trim()
            .parse::<f64>()
            .map_err(|_| Error::input(format!("'{text}' is not a number")))?,
    };
    let value = value as f32;
    if parameter.range().contains(&value) {
        return Ok(value);
    }
    Err(Error::input(format!("'{text}' is out of range")).hint(parameter.allowed()))
}

fn evaporation(said: &ValueOrFile, time: Time, notices: &mut Notices) -> Result<Series> {
    match said {
        ValueOrFile::Value(text) => measures::parse_evaporation(text)
            .map(Series::constant)
            .map_err(|error| error.of("evaporation").hint_also("or give a CSV file")),
        ValueOrFile::File(path) if is_a_csv(path) => evaporation_over_time(path, time, notices),
        ValueOrFile::File(_) => {
            Err(Error::input(format!("evaporation: '{said}' is neither a rate nor a CSV"))
                .hint("evaporation is the same everywhere: write it like \"5 mm/day\", or give a CSV of time and rate"))
        }
    }
}

/// Reads evaporation from a CSV of time and rate.
fn evaporation_over_time(path: &Path, time: Time, notices: &mut Notices) -> Result<Series> {
    let course = series_table::EVAPORATION.read(path, time.clock)?;
    let text = path.to_string_lossy();
    let whose = format!("evaporation: '{text}'");
    // A run whose steps have no duration cannot have losses, and is refused elsewhere.
    if time.unit == TimeUnit::Seconds {
        if let Some(dated) = course.dated {
            notices.warn_all(time.covered("evaporation", &text, dated, None)?);
        }
        let (last, rate) = course.series.last();
        // A single line is a constant rate.
        if rate > 0.0 && course.series.pieces().len() > 1 && last < time.end {
            notices.warn(format!(
                "{whose} ends {}, before the run does; its last rate is kept to the end",
                time.clock.show(last)
            ));
        }
    }
    time.until(&whose, course.series.last().0);
    course.report(notices);
    notices.read("evaporation", path)?;
    Ok(course.series)
}
