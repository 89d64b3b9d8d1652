//! Records of a CSV, each with the line number at which it starts. All CSV readers use this module.

use crate::input::endless::why_not_read;
use crate::input::tables::dialect::{self, BYTE_ORDER_MARK, Dialect};
use crate::input::tables::fault::Fault;
use csv::{ByteRecord, StringRecord};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Hint on how to save a readable file.
const SAVE: &str = "save it as CSV in UTF-8, with commas between the columns";
/// Number of bytes in which the header of a file is searched for.
const HEAD: u64 = 1 << 16;

/// Header and records of a CSV. Values are trimmed and have decimal points.
#[derive(Debug)]
pub struct Records {
    /// Names of the columns; empty if there is no header.
    pub header: StringRecord,
    /// Line number of the header, or 1.
    pub header_line: u64,
    /// Other records with their line numbers; each has as many fields as the header.
    pub rows: Vec<(u64, StringRecord)>,
    /// Comments, without the leading `#`.
    pub comments: Vec<String>,
    /// Note on the dialect of the file, if it is unusual: `has columns separated by semicolons`.
    pub note: Option<String>,
}

type Result<T> = std::result::Result<T, Fault>;

/// Records as bytes with their line numbers, and the comments between them.
struct Raw {
    records: Vec<(u64, ByteRecord)>,
    comments: Vec<String>,
}

impl Records {
    /// Reads the contents of a CSV.
    ///
    /// # Errors
    /// If it is not UTF-8 text, the separator or the decimal sign is ambiguous, a record has more
    /// or fewer fields than the header, or two columns have the same name.
    pub fn read(text: &[u8]) -> Result<Records> {
        check_encoding(text)?;
        let text = &with_line_feeds(text)[..];
        let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let (named, start) = dialect::separator_line(body);
        let (separator, Raw { records, comments }) = split(body, start, named)?;
        let mut records = records.into_iter().map(|(line, record)| {
            let text = StringRecord::from_byte_record(record);
            let mut record =
                text.map_err(|_| Fault::new(line, "it is not text in UTF-8").hint(SAVE))?;
            record.trim();
            Ok((line, record))
        });
        let Some(header) = records.next() else {
            return Ok(Records {
                header: StringRecord::new(),
                header_line: 1,
                rows: Vec::new(),
                comments,
                note: None,
            });
        };
        let (header_line, written) = header?;
        let named = used_fields(&written);
        let header: StringRecord = written.iter().take(named).collect();
        check_names(&header, header_line)?;
        let mut rows = Vec::new();
        for record in records {
            let (line, record) = record?;
            rows.push((line, fit(record, line, (&header, written.len()))?));
        }
        let is_decimal = Dialect { separator }.read_numbers(&header, &mut rows)?;
        let by = match separator {
            b';' => Some("has columns separated by semicolons"),
            b'\t' => Some("has columns separated by tabs"),
            _ => None,
        };
        let commas = if is_decimal { " and numbers with decimal commas" } else { "" };
        let note = by.map(|by| format!("{by}{commas}"));
        Ok(Records { header, header_line, rows, comments, note })
    }

    /// Reads the header of a file; `None` if it has no readable header.
    pub fn header_of(path: &Path) -> Option<StringRecord> {
        if why_not_read(path).is_some() {
            return None;
        }
        let mut head = Vec::new();
        File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
        if head.len() as u64 == HEAD {
            head.truncate(head.iter().rposition(|&byte| byte == b'\n' || byte == b'\r')?);
        }
        check_encoding(&head).ok()?;
        let head = with_line_feeds(&head);
        let body = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&head);
        let (named, start) = dialect::separator_line(body);
        let (_, raw) = split(body, start, named).ok()?;
        let (_, header) = raw.records.into_iter().next()?;
        StringRecord::from_byte_record(header).ok()
    }
}

/// Replaces carriage returns by line feeds if all lines end in carriage returns: the reader would
/// not find the end of a comment.
fn with_line_feeds(text: &[u8]) -> Cow<'_, [u8]> {
    if text.contains(&b'\n') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte }).collect())
}

/// Splits a text from `start` on into records, by the separator that it names or else by the one
/// that fits.
fn split(body: &[u8], start: usize, named: Option<u8>) -> Result<(u8, Raw)> {
    if let Some(separator) = named {
        return Ok((separator, raw(body, start, separator)));
    }
    let mut all: Vec<(u8, Raw)> = dialect::separators_in(header_bytes(body, start))
        .into_iter()
        .map(|separator| (separator, raw(body, start, separator)))
        .collect();
    let tables: Vec<dialect::Split> = all
        .iter()
        .map(|(separator, raw)| dialect::Split { separator: *separator, records: &raw.records })
        .collect();
    let chosen = dialect::choose(&tables)?;
    Ok(all.swap_remove(chosen))
}

/// Returns the header line: the first line that is neither empty nor a comment.
fn header_bytes(body: &[u8], start: usize) -> &[u8] {
    let rest = &body[skip_unread(body, start)..];
    let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    &rest[..end]
}

/// Splits a text from `start` on into records, without empty records.
fn raw(body: &[u8], start: usize, separator: u8) -> Raw {
    let mut reader = dialect::builder(separator).from_reader(&body[start..]);
    let mut lines = Lines::default();
    let mut records = Vec::new();
    let mut record = ByteRecord::new();
    // Reading bytes from memory cannot fail if records may have any number of fields.
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let before = record.position().map_or(0, |place| place.byte() as usize);
        let at = skip_unread(body, start + before);
        let is_comment = body[at..]
            .iter()
            .find(|byte| !matches!(byte, b' ' | b'\t'))
            .is_some_and(|&byte| byte == b'#');
        if !is_comment && record.iter().any(|field| !field.is_empty()) {
            records.push((lines.of(body, at), record.clone()));
        }
    }
    let comments = body.split(|byte| matches!(byte, b'\n' | b'\r'));
    let comments = comments.filter_map(|line| line.trim_ascii_start().strip_prefix(b"#"));
    let comments = comments.map(|text| String::from_utf8_lossy(text).trim().to_string());
    Raw { records, comments: comments.collect() }
}

/// Returns the position of the first byte of a record from `at` on: after line breaks and comments,
/// which the reader counts as part of the next record.
fn skip_unread(body: &[u8], mut at: usize) -> usize {
    loop {
        match body.get(at) {
            Some(b'\n' | b'\r') => at += 1,
            Some(b'#') => {
                let rest = &body[at..];
                at += rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
            }
            _ => return at,
        }
    }
}

/// Counter of the lines of a text, which end in `\n`, `\r\n` or `\r`.
#[derive(Default)]
struct Lines {
    seen: usize,
    ends: u64,
}

impl Lines {
    /// Returns the line number of the byte `at`, which must not precede the byte of an earlier
    /// call.
    fn of(&mut self, body: &[u8], at: usize) -> u64 {
        for (from, byte) in body[..at].iter().enumerate().skip(self.seen) {
            let ends = *byte == b'\n' || (*byte == b'\r' && body.get(from + 1) != Some(&b'\n'));
            self.ends += u64::from(ends);
        }
        self.seen = at;
        self.ends + 1
    }
}

fn check_encoding(text: &[u8]) -> Result<()> {
    let in_halves = |even: usize| {
        let halves = text.chunks_exact(2).take(64);
        !text.is_empty()
            && text.len() > 3
            && halves.clone().all(|pair| pair[even] == 0 && pair[1 - even] != 0)
    };
    let is_utf16 = text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]);
    if is_utf16 || in_halves(0) || in_halves(1) {
        return Err(Fault::new(1, "it is text in UTF-16, not in UTF-8").hint(SAVE));
    }
    if text.starts_with(b"PK\x03\x04") || text.starts_with(b"\xd0\xcf\x11\xe0") {
        return Err(Fault::new(1, "it is a spreadsheet, not a text").hint(SAVE));
    }
    Ok(())
}

fn check_names(header: &StringRecord, line: u64) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in header.iter().filter(|name| !name.is_empty() && name.parse::<f64>().is_err()) {
        // Some readers ignore case, and databases do.
        if !seen.insert(name.to_lowercase()) {
            let what = format!("the column '{name}' appears twice");
            return Err(Fault::new(line, what).hint("rename or remove one of them"));
        }
    }
    Ok(())
}

/// Counts the fields up to the last one that is not empty.
fn used_fields(record: &StringRecord) -> usize {
    (0..record.len()).rev().find(|&at| !record[at].is_empty()).map_or(0, |last| last + 1)
}

/// Returns a record with as many fields as the header; `written` also counts empty names at the end
/// of the header.
fn fit(
    record: StringRecord,
    line: u64,
    (header, written): (&StringRecord, usize),
) -> Result<StringRecord> {
    let named = header.len();
    let used = used_fields(&record);
    if record.len() == named {
        return Ok(record);
    }
    if used > named && record.len() <= written {
        let what = format!("'{}' is in column {used}, which has no name", &record[used - 1]);
        return Err(Fault::new(line, what).hint("name the column in the header, or remove it"));
    }
    if used > named || record.len() < named {
        let columns = crate::words::counted(record.len(), "column", "columns");
        return Err(Fault::new(
            line,
            format!(
                "{columns}, but the header has {named} (numbers need a decimal point, and a text with a comma double quotes)"
            ),
        ));
    }
    Ok(record.iter().take(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<u64> {
        Records::read(text.as_bytes()).unwrap().rows.iter().map(|(line, _)| *line).collect()
    }

    #[test]
    fn lines_are_counted_as_editors_count_them() {
        for end in ["\n", "\r\n", "\r"] {
            for (text, expected) in [
                ("a,b|1,2|3,4|", &[2, 3][..]),
                ("# c||a,b|# d||1,2||# e|3,4", &[6, 9]),
                ("sep=,|a,b|1,2", &[3]),
                ("||a,b|\"1\",2| # indented|3,4|,|5,6|", &[4, 6, 8]),
                ("\u{feff}a,b|\"x|y\",2|3,4|", &[2, 4]),
            ] {
                assert_eq!(lines(&text.replace('|', end)), expected, "{text} with {end:?}");
            }
        }
    }

    #[test]
    fn empty_columns_and_records_at_the_end_do_not_count() {
        let read = Records::read(b"a,b,,\n1,2,,\n3,4\n,,,\n").unwrap();
        assert_eq!(read.header, vec!["a", "b"]);
        assert_eq!(read.rows, [(2, vec!["1", "2"].into()), (3, vec!["3", "4"].into())]);
        let fault = |text: &str| Records::read(text.as_bytes()).unwrap_err();
        let named = fault("a,b,\n1,2,\n3,4,5\n");
        assert_eq!((named.line, named.what.contains("'5' is in column 3")), (3, true));
        assert!(fault("a,b\n1,2,3\n").what.starts_with("3 columns, but the header has 2"));
        assert!(fault("a,b\n1\n").what.starts_with("1 column, but the header has 2"));
        assert!(fault("a,b,a\n1,2,3\n").what.contains("'a' appears twice"));
        assert!(fault("a,b,A\n1,2,3\n").what.contains("'A' appears twice"));
    }

    #[test]
    fn other_encodings_are_named() {
        for big in [false, true] {
            for mark in ["", "\u{feff}"] {
                let halves = format!("{mark}a,b\n1,2\n");
                let to_bytes =
                    |half: u16| if big { half.to_be_bytes() } else { half.to_le_bytes() };
                let bytes: Vec<u8> = halves.encode_utf16().flat_map(to_bytes).collect();
                assert!(Records::read(&bytes).unwrap_err().what.contains("UTF-16"));
            }
        }
        let fault = Records::read(b"a,b\n1,2\n3,\xfc\n").unwrap_err();
        assert_eq!((fault.line, &fault.what[..]), (3, "it is not text in UTF-8"));
        assert!(Records::read(b"PK\x03\x04\x14").unwrap_err().what.contains("spreadsheet"));
    }

    /// The second record of a text, its fields separated by bars.
    fn second(text: &str) -> std::result::Result<String, String> {
        let read = Records::read(text.as_bytes()).map_err(|fault| fault.what)?;
        Ok(read.rows[0].1.iter().collect::<Vec<_>>().join("|"))
    }

    #[test]
    fn separators_and_decimal_signs_are_recognized() {
        for (text, expected) in [
            ("a,b\n1,2\n", "1|2"),
            ("a;b\n0;10,5\n0,5;0\n", "0|10.5"),
            ("a\tb\n0\t10,5 mm/h\n", "0|10.5 mm/h"),
            ("a;b\n1.5;2\n", "1.5|2"),
            ("a;b [m, datum]\n0;1,5\n0;2\n", "0|1.5"),
            ("a;b [m, datum]\n0;1,5\n", "0|1.5"),
            ("a,b;c\n1,2\n", "1|2"),
            ("sep=;\na,x;b,y\n1,5;2\n", "1.5|2"),
            ("SEP=\t\r\na\tb\r\n1\t2\r\n", "1|2"),
            ("\"sep=;\"\na;b\n1;2\n", "1|2"),
            ("\u{feff}a;b\n1e3;-2,5E-3\n", "1e3|-2.5E-3"),
            // Commas in texts and points in dates are kept.
            ("name;x\nkm 1,5;2,5\n", "km 1,5|2.5"),
            ("name;x\n1,5;2,5\n", "1,5|2.5"),
            ("time;x\n14.07.2021 13:05;2,5\n", "14.07.2021 13:05|2.5"),
            // Coordinates with points beside values with commas.
            ("x;depth\n500120.5;0,85\n", "500120.5|0.85"),
            ("a;b\n1;2,125\n", "1|2.125"),
        ] {
            assert_eq!(second(text).as_deref(), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn what_may_mean_two_things_is_refused() {
        for (text, expected) in [
            ("a,b;c\nx,y;z\n", "the column separator is ambiguous"),
            ("a;b\n1;1.234,5\n", "'1.234,5' has a decimal sign and thousands separators"),
            ("a;b\n1;1,234,567\n", "'1,234,567' has a decimal sign and thousands"),
            ("a;b\n1;2,5\n2;3.5\n", "'3.5' has a point, but '2,5' (line 2) a decimal comma"),
            ("a;b\n1,5;1.234\n", "'1.234' has a point, but '1,5' (line 2) a decimal comma"),
            ("a\tb\n1\t1,234\n", "'1,234' may have a decimal comma or a thousands separator"),
        ] {
            let what = second(text).unwrap_err();
            assert!(what.starts_with(expected), "{text:?}: {what}");
        }
    }
}
