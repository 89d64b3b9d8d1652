//! Dialect of a CSV: column separator and decimal sign. Blanks around values are ignored, and lines
//! that start with `#` are comments.

use crate::input::tables::fault::Fault;
use csv::{ByteRecord, ReaderBuilder, StringRecord, Terminator, Trim};
use std::path::Path;

/// Byte order mark that some programs write at the start of UTF-8 text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Possible column separators, the most common first.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
/// Columns that hold text, in which a comma is not a decimal sign.
const TEXTS: [&str; 6] = ["name", "id", "point", "gauge", "class", "kind"];

/// Returns `true` if a file has the extension of a CSV.
pub fn is_a_csv(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

/// Returns a builder for readers of records with any number of fields.
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

/// Returns the separator named by a first line `sep=;`, which spreadsheets write, and the position
/// at which the next line starts.
pub(super) fn separator_line(body: &[u8]) -> (Option<u8>, usize) {
    let end = body.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(body.len());
    let line = body[..end].trim_ascii_end();
    // A separator that is a tab must not be trimmed as a blank.
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

/// Lists the separators in a header outside quotes; a comma if there are none.
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

/// Records of a text, split by one separator.
pub(super) struct Split<'a> {
    pub separator: u8,
    pub records: &'a [(u64, ByteRecord)],
}

impl Split<'_> {
    fn columns(&self) -> usize {
        self.records.first().map_or(0, |(_, header)| header.len())
    }

    /// Returns `true` if all records have as many fields as the header, and more than one.
    fn fits(&self) -> bool {
        let columns = self.columns();
        columns > 1 && self.records.iter().all(|(_, record)| record.len() == columns)
    }

    /// Returns `true` if another separator also splits every record and is not a decimal comma
    /// there.
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

/// Returns the index of the split that fits.
///
/// # Errors
/// If several fit equally well.
pub(super) fn choose(splits: &[Split]) -> Result<usize, Fault> {
    let fitting: Vec<usize> = (0..splits.len()).filter(|&at| splits[at].fits()).collect();
    match fitting[..] {
        [only] => return Ok(only),
        [] => {
            // The reader reports which record does not fit.
            let most = (0..splits.len()).rev().max_by_key(|&at| splits[at].columns());
            return Ok(most.unwrap_or(0));
        }
        _ => {}
    }
    // A separator that is merely part of texts splits only some records.
    let whole = |at: &&usize| {
        let others = fitting.iter().filter(|other| other != at);
        !others.clone().any(|&other| splits[**at].is_split_by(splits[other].separator))
    };
    let mut whole = fitting.iter().filter(whole);
    match (whole.next(), whole.next()) {
        (Some(only), None) => Ok(*only),
        _ => {
            let line = splits[0].records.first().map_or(1, |(line, _)| *line);
            Err(Fault::new(line, "the column separator is ambiguous: several characters fit")
                .hint("name the separator in a first line: sep=;"))
        }
    }
}

/// Dialect of a CSV.
pub(super) struct Dialect {
    pub separator: u8,
}

/// Notation of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Written {
    /// With a decimal point; `thousands` if the point may separate thousands instead.
    Point { thousands: bool },
    /// With a decimal comma; `thousands` if the comma may separate thousands instead.
    Comma { thousands: bool },
    /// With both signs.
    Both,
}

impl Dialect {
    /// Replaces decimal commas in numbers by points, and returns `true` if there were any. Only
    /// where columns are not separated by commas: elsewhere a comma in a number is ambiguous, and
    /// the reader of the number rejects it.
    ///
    /// # Errors
    /// If commas or points may separate thousands.
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
        // First number with a comma and first number with a point in each column, with their lines.
        let mut firsts: Vec<[Option<(u64, String)>; 2]> = vec![[None, None]; header.len()];
        let mut point_for_thousands = None;
        let mut is_clear = self.separator == b';';
        let thousands = "write numbers without thousands separators, and with a decimal point";
        for (line, record) in rows.iter() {
            for &column in &columns {
                let text = &record[column];
                let Some(written) = written(text) else { continue };
                let found = || Some((*line, text.to_string()));
                match written {
                    Written::Both => {
                        let what = format!("'{text}' has a decimal sign and thousands separators");
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
            let what = format!("'{comma}' may have a decimal comma or a thousands separator");
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

/// Determines the notation of the number at the start of a text, which may end with a unit; `None`
/// if there is no number or it has no decimal sign.
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
        // 1.234.567 and 1,234,567; other texts are, for example, dates.
        (2.., 0) | (0, 2..) if thousands => Some(Written::Both),
        _ => None,
    }
}
