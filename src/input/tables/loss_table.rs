//! Tables of losses by class of soil or land cover: a user's CSV, or a bundled table.

use crate::engine::losses::parameter::{Model, NOTHING, Parameter, ParameterUnit, Values};
use crate::error::{Error, Result};
use crate::input::tables::bundled::{self, Bundled};
use crate::input::tables::by_class::{by_class, find, whole};
use crate::measures::header_unit;
use crate::measures::quantity::{CAPACITY, DECAY, LOSS, NUMBER, Quantity};
use csv::StringRecord;
use std::path::Path;

/// Bundled tables: name, purpose, contents. The head of each names the source of its values.
pub const BUNDLED: [Bundled; 1] = [(
    "usda-texture",
    "soil texture classes of the USDA (1 clay to 12 sand): Green and Ampt's conductivity and suction",
    include_str!("../../../data/losses/usda_texture.csv"),
)];

/// Line of a table.
#[derive(Clone, Debug)]
pub struct LossClass {
    /// Number in the raster.
    pub class: i64,
    /// Name of the class, if the table has one.
    pub name: Option<String>,
    /// Values of the table, in the units of its columns.
    pub values: Values,
    /// Model to which the values belong.
    pub model: Option<Model>,
    /// Line number in the file.
    pub line: u64,
}

impl LossClass {
    /// Returns its number, and its name if it has one: `class 2 (Lawn)`.
    pub fn named(&self) -> String {
        match &self.name {
            Some(name) => format!("class {} ({name})", self.class),
            None => format!("class {}", self.class),
        }
    }
}

/// Losses by class.
#[derive(Clone, Debug)]
pub struct LossTable {
    /// Lines, ascending by class.
    pub classes: Vec<LossClass>,
    /// Name in messages.
    name: String,
}

/// Content of a column.
#[derive(Clone, Copy)]
enum Column {
    Class,
    Name,
    /// A parameter, and the factor from the column's unit to the parameter's unit.
    Of(Parameter, f64),
}

impl LossTable {
    /// Reads a file, or the bundled table of that name (a file of the same name is
    /// `./usda-texture`).
    pub fn read(path: &Path) -> Result<LossTable> {
        let (text, name) = bundled::read(path, &BUNDLED, "loss_table")?;
        LossTable::parse(&text, &name)
    }

    /// Parses the contents of a file: a header with `class`, any columns of [`Parameter::column`]
    /// and `name`, then one line per class. An empty field sets nothing. Lines that start with `#`
    /// are comments.
    ///
    /// # Errors
    /// Errors name the line: an unknown column, a class that appears twice, a value out of range,
    /// or values of two models in a line.
    pub fn parse(text: &[u8], name: &str) -> Result<LossTable> {
        let mut table = LossTable { classes: Vec::new(), name: name.into() };
        let wrong = |line: u64, what: String| table.wrong(line, what);
        let parse =
            |columns: &Vec<Column>, record: &StringRecord, line| parse_line(record, columns, line);
        let number = |class: &LossClass| (class.class, class.line);
        table.classes = by_class(text, wrong, header, parse, number)?;
        Ok(table)
    }

    /// Returns the name of the table in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the error for a line.
    pub fn wrong(&self, line: u64, what: String) -> Error {
        Error::input(format!("loss_table: '{}', line {line}: {what}", self.name)).hint(example())
    }

    /// Returns the index of a raster's value in [`LossTable::classes`]; `None` if it has no line.
    pub fn find(&self, value: f64) -> Option<usize> {
        find(&self.classes, value, |line| line.class)
    }
}

/// Returns an example of such a table.
fn example() -> String {
    let columns = Parameter::ALL.map(Parameter::column).join(", ");
    format!(
        "the file starts like this:\n    class,name,initial_loss_mm,infiltration_mm_h\n    1,Lawn,5,20\n    2,Asphalt,1,0\n  columns: class, name, {columns}"
    )
}

fn header(record: &StringRecord) -> std::result::Result<Vec<Column>, String> {
    let mut columns: Vec<(String, Column)> = Vec::new();
    for title in record {
        let title = title.to_lowercase();
        let column = match title.as_str() {
            "class" => Column::Class,
            "name" => Column::Name,
            _ => column(&title)?
                .ok_or_else(|| format!("'{title}' is not a column of a table of losses"))?,
        };
        if columns.iter().any(|(known, _)| *known == title) {
            return Err(format!("the column '{title}' appears twice"));
        }
        columns.push((title, column));
    }
    if !columns.iter().any(|(_, column)| matches!(column, Column::Class)) {
        let titles: Vec<&str> = columns.iter().map(|(title, _)| title.as_str()).collect();
        return Err(format!("there is no column 'class'; the columns are: {}", titles.join(", ")));
    }
    if !columns.iter().any(|(_, column)| matches!(column, Column::Of(..))) {
        return Err("there is no column with a loss".into());
    }
    Ok(columns.into_iter().map(|(_, column)| column).collect())
}

/// Parses the column of a parameter: `infiltration_mm_h`, or `infiltration [in/h]` with its own
/// unit.
fn column(title: &str) -> std::result::Result<Option<Column>, String> {
    let (bare, unit) = header_unit(title);
    let named = |p: &Parameter| p.column() == title || (unit.is_some() && p.key() == bare);
    let Some(parameter) = Parameter::ALL.into_iter().find(named) else { return Ok(None) };
    let factor = match unit {
        None => 1.0,
        Some(unit) => loss_quantity(parameter).factor(unit).map_err(|error| {
            format!("column '{title}': {} ({})", error.what, error.hint.unwrap_or_default())
        })?,
    };
    Ok(Some(Column::Of(parameter, factor)))
}

/// Returns the quantity of a parameter, held in the parameter's unit.
pub fn loss_quantity(parameter: Parameter) -> &'static Quantity {
    match parameter.unit() {
        ParameterUnit::Millimetre => &LOSS,
        ParameterUnit::MillimetrePerHour => &CAPACITY,
        ParameterUnit::PerHour => &DECAY,
        ParameterUnit::One => &NUMBER,
    }
}

fn parse_line(record: &StringRecord, columns: &[Column], line: u64) -> Result<LossClass> {
    let mut found = LossClass { class: 0, name: None, values: NOTHING, model: None, line };
    for (text, column) in record.iter().zip(columns) {
        match column {
            Column::Class => found.class = whole(text)?,
            Column::Name => found.name = Some(text.to_string()).filter(|name| !name.is_empty()),
            Column::Of(..) if text.is_empty() => {}
            Column::Of(parameter, factor) => {
                let value = text.parse::<f64>().ok().map(|value| (value * factor) as f32);
                let value = value.filter(|value| parameter.range().contains(value));
                found.values[*parameter as usize] = value.ok_or_else(|| {
                    Error::input(format!("{} is '{text}'", parameter.column()))
                        .hint(parameter.allowed())
                })?;
            }
        }
    }
    let given = |model: &Model| model.parameters().any(|p| !p.of(&found.values).is_nan());
    let models: Vec<Model> = Model::ALL.into_iter().filter(given).collect();
    if let [first, second, ..] = models[..] {
        return Err(Error::input(format!(
            "class {} has values of two models, {first} and {second}",
            found.class
        ))
        .hint("leave the fields of one of them empty"));
    }
    found.model = models.first().copied();
    if found.model == Some(Model::CurveNumber) && !Parameter::InitialLoss.of(&found.values).is_nan()
    {
        return Err(Error::input(format!(
            "class {} has an initial loss in addition to its curve number",
            found.class
        ))
        .hint("leave it empty: with a curve number, the initial loss is curve_number_initial times the retention"));
    }
    Ok(found)
}
