//! How a CSV is written: what separates its columns, and its decimal sign. Blanks around values do
//! not count, and lines that start with
//! `#` are comments.

use super::fault::Fault;
use csv::{ByteRecord, ReaderBuilder, StringRecord, Terminator, Trim};
use std::path::Path;

/// What some programs put at the start of a text in UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// What may separate columns, the usual one first.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
/// Columns that hold texts, in which a comma is not a decimal sign.
const TEXTS: [&str; 6] = ["name", "id", "point", "gauge", "class", "kind"];

/// Whether a file is a CSV by its name.
pub fn is_a_csv(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

/// A reader of records with any number of fields.
pub(super) fn builder(separator: u8) -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .terminator(Terminator::CRLF)
        .trim(Trim::All)
        .comment(Some(b'#'));
    builder
}

/// The separator that a first line `sep=;`, as spreadsheets write it, names, and where the next
/// line starts.
pub(super) fn separator_line(body: &[u8]) -> (Option<u8>, usize) {
    let end = body.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(body.len());
    let line = body[..end].trim_ascii_end();
    // A tab is a blank.
    let line = if body[..end].ends_with(b"=\t") { &body[..end] } else { line };
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    match line {
        [s, e, p, b'=', separator]
            if [*s, *e, *p].eq_ignore_ascii_case(b"sep") && SEPARATORS.contains(separator) =>
        {
            (Some(*separator), end)
        }
        _ => (None, 0),
    }
}

/// The separators in a header outside of quotes; a comma if there is none.
pub(super) fn separators_in(header: &[u8]) -> Vec<u8> {
    let mut quoted = false;
    let mut found = [false; SEPARATORS.len()];
    for byte in header {
        quoted ^= *byte == b'"';
        if let Some(at) = SEPARATORS.iter().position(|separator| separator == byte)
            && !quoted
        {
            found[at] = true;
        }
    }
    let there: Vec<u8> =
        SEPARATORS.into_iter().zip(found).filter(|(_, found)| *found).map(|(s, _)| s).collect();
    if there.is_empty() { vec![SEPARATORS[0]] } else { there }
}

/// The records of a text as one separator splits it.
pub(super) struct Split<'a> {
    pub separator: u8,
    pub records: &'a [(u64, ByteRecord)],
}

impl Split<'_> {
    fn columns(&self) -> usize {
        self.records.first().map_or(0, |(_, header)| header.len())
    }

    /// Whether all records have the fields of the header, of which there are more than one.
    fn fits(&self) -> bool {
        let columns = self.columns();
        columns > 1 && self.records.iter().all(|(_, record)| record.len() == columns)
    }

    /// Whether another separator splits each record, too, and is not a decimal comma there.
    fn is_split_by(&self, other: u8) -> bool {
        let is_decimal = |field: &[u8]| {
            let text = str::from_utf8(field).unwrap_or_default();
            other == b',' && matches!(written(text), Some(Written::Comma { .. }))
        };
        let splits = |field: &[u8]| field.contains(&other) && !is_decimal(field);
        let has = |record: &ByteRecord| record.iter().any(splits);
        self.records.iter().skip(1).all(|(_, record)| has(record))
    }
}

/// The number of the split that fits.
///
/// # Errors
/// If several fit.
pub(super) fn choose(splits: &[Split]) -> Result<usize, Fault> {
    let fitting: Vec<usize> = (0..splits.len()).filter(|&at| splits[at].fits()).collect();
    match fitting[..] {
        [only] => return Ok(only),
        [] => {
            // The reader will say which record does not fit.
            let most = (0..splits.len()).rev().max_by_key(|&at| splits[at].columns());
            return Ok(most.unwrap_or(0));
        }
        _ => {}
    }
    // Where another is part of texts, it splits some records alone.
    let whole = |at: &&usize| {
        let others = fitting.iter().filter(|other| other != at);
        !others.clone().any(|&other| splits[**at].is_split_by(splits[other].separator))
    };
    let mut whole = fitting.iter().filter(whole);
    match (whole.next(), whole.next()) {
        (Some(only), None) => Ok(*only),
        _ => {
            let line = splits[0].records.first().map_or(1, |(line, _)| *line);
            Err(Fault::new(
                line,
                "it is not clear what separates the columns: several characters do",
            )
            .hint("name the separator in a first line: sep=;"))
        }
    }
}

/// How a CSV is written.
pub(super) struct Dialect {
    pub separator: u8,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Written {
    /// With a decimal point; whether it may mark thousands instead.
    Point { thousands: bool },
    /// With a decimal comma; whether it may mark thousands instead.
    Comma { thousands: bool },
    /// With both.
    Both,
}

impl Dialect {
    /// Gives numbers with decimal commas decimal points, and returns whether there are any. Only
    /// where columns are not separated by commas: there, a comma in a number may be anything, and
    /// its reader refuses it.
    ///
    /// # Errors
    /// If commas or points may mark thousands.
    pub fn read_numbers(
        &self,
        header: &StringRecord,
        rows: &mut [(u64, StringRecord)],
    ) -> Result<bool, Fault> {
        if self.separator == b',' {
            return Ok(false);
        }
        let holds_text =
            |column: usize| TEXTS.iter().any(|text| header[column].eq_ignore_ascii_case(text));
        let columns: Vec<usize> = (0..header.len()).filter(|&at| !holds_text(at)).collect();
        // The first number with a comma and the first with a point of each column, with their lines.
        let mut firsts: Vec<[Option<(u64, String)>; 2]> = vec![[None, None]; header.len()];
        let mut point_for_thousands = None;
        let mut is_clear = self.separator == b';';
        let thousands = "write numbers without marks of thousands, and with a decimal point";
        for (line, record) in rows.iter() {
            for &column in &columns {
                let text = &record[column];
                let Some(written) = written(text) else { continue };
                let found = || Some((*line, text.to_string()));
                match written {
                    Written::Both => {
                        let what = format!("'{text}' has a decimal sign and marks of thousands");
                        return Err(Fault::new(*line, what).hint(thousands));
                    }
                    Written::Comma { thousands } => {
                        is_clear |= !thousands;
                        if firsts[column][0].is_none() {
                            firsts[column][0] = found();
                        }
                    }
                    Written::Point { thousands } => {
                        if thousands && point_for_thousands.is_none() {
                            point_for_thousands = found();
                        }
                        if firsts[column][1].is_none() {
                            firsts[column][1] = found();
                        }
                    }
                }
            }
        }
        let Some((first, comma)) = firsts.iter().find_map(|[comma, _]| comma.clone()) else {
            return Ok(false);
        };
        let mixed = firsts.iter().find_map(|[comma, point]| Some((comma.clone()?, point.clone()?)));
        let both = mixed.map(|(_, point)| point).or(point_for_thousands);
        if let Some((line, point)) = both {
            let what =
                format!("'{point}' has a point, but '{comma}' (line {first}) a decimal comma");
            return Err(Fault::new(line, what).hint(thousands));
        }
        if !is_clear {
            let what = format!("'{comma}' may have a decimal comma or a mark of thousands");
            return Err(Fault::new(first, what).hint(thousands));
        }
        for (_, record) in rows.iter_mut() {
            let point = |(at, text): (usize, &str)| match written(text) {
                Some(Written::Comma { .. }) if columns.contains(&at) => text.replacen(',', ".", 1),
                _ => text.to_string(),
            };
            *record = record.iter().enumerate().map(point).collect();
        }
        Ok(true)
    }
}

/// How the number at the start of a text is written, which may have a unit behind it; `None` if it
/// has no decimal sign or is none.
fn written(text: &str) -> Option<Written> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let (number, rest) = unsigned.split_at(end.unwrap_or(unsigned.len()));
    let exponent = rest.strip_prefix(['e', 'E']).map(|rest| rest.trim_start_matches(['+', '-']));
    let is_unit =
        |rest: &str| rest.is_empty() || rest.starts_with(|c: char| c == ' ' || c.is_alphabetic());
    let is_exponent = exponent.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if !number.contains(|c: char| c.is_ascii_digit()) || !(is_exponent || is_unit(rest)) {
        return None;
    }
    let (points, commas) = (number.matches('.').count(), number.matches(',').count());
    let groups: Vec<&str> = number.split(['.', ',']).collect();
    let thousands = !groups[0].is_empty()
        && groups[0].len() <= 3
        && !groups[0].starts_with('0')
        && groups[1..].iter().all(|group| group.len() == 3);
    match (points, commas) {
        (1, 0) => Some(Written::Point { thousands }),
        (0, 1) => Some(Written::Comma { thousands }),
        (1.., 1..) => Some(Written::Both),
        // 1.234.567 and 1,234,567; others are dates and the like.
        (2.., 0) | (0, 2..) if thousands => Some(Written::Both),
        _ => None,
    }
}
