//! Pointers to a frame's fields in the kernels' parameters, generated from the table of fields, so
//! that kernels access `p.water` and `p.next_water` by name.

use crate::field::{Field, FieldProperty, FieldRole, NumberKind, Row, TABLE};

/// Iterates over the pointers in order: a table row whose field is not numbered, and whether the
/// pointer is to the field's next values.
fn pointers() -> impl Iterator<Item = (&'static Row, bool)> {
    let ways = |row: &Row| if row.may_be_doubled() { &[false, true][..] } else { &[false] };
    TABLE
        .iter()
        .filter(|row| !row.numbered)
        .flat_map(move |row| ways(row).iter().map(move |&next| (row, next)))
}

/// Number of pointers.
const COUNT: usize = {
    let (mut count, mut at) = (0, 0);
    while at < TABLE.len() {
        if !TABLE[at].numbered {
            count += if TABLE[at].may_be_doubled() { 2 } else { 1 };
        }
        at += 1;
    }
    count
};

/// Addresses of column 0, row 0 of every field of a frame, 0 for fields that it does not have.
/// Numbered fields (cell diagnostics) are not included: their users pass them separately.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Fields([u64; COUNT]);

impl Default for Fields {
    fn default() -> Fields {
        Fields([0; COUNT])
    }
}

impl Fields {
    /// Collects the addresses returned for each field, for its current (0) and next (1) values.
    pub fn of(mut address: impl FnMut(Field, usize) -> u64) -> Fields {
        let mut fields = Fields::default();
        for (to, (row, next)) in fields.0.iter_mut().zip(pointers()) {
            *to = address((row.field)(0), next.into());
        }
        fields
    }
}

/// Returns a pointer's name in the kernels.
fn name(row: &Row, next: bool) -> String {
    let key = row.key.replace(' ', "_");
    if next { format!("next_{key}") } else { key }
}

/// Returns C++ that declares the pointers and swaps the current and the next ones: the beginning of
/// kernels/params.cuh.
pub(crate) fn declaration() -> String {
    let mut members = String::new();
    let mut swaps = String::new();
    for (row, next) in pointers() {
        let number = match row.kind {
            NumberKind::Whole => "int",
            NumberKind::Float => "float",
            NumberKind::Bits => "unsigned",
        };
        let fixed =
            if matches!(row.role, FieldProperty::Always(FieldRole::Input)) { "const " } else { "" };
        let name = name(row, next);
        members += &format!("    {fixed}{number} *{name};  // {}\n", row.unit);
        if next {
            let now = row.key.replace(' ', "_");
            swaps += &format!(
                "        {{ {number} *const was = {now}; {now} = {name}; {name} = was; }}\n"
            );
        }
    }
    format!(
        "struct Fields {{\n{members}    __device__ __forceinline__ void swap()\n    {{\n{swaps}    }}\n}};\n"
    )
}

/// Returns C++ that fails to compile unless `Params` begins with the pointers, so that none is
/// hidden by another member of that name.
pub(crate) fn field_assertions() -> String {
    let assertion = |(at, (row, next))| {
        let name = name(row, next);
        format!(
            "static_assert(__INTADDR__(&(((Params *)0)->{name})) == {}, \"{name}\");\n",
            at * size_of::<u64>()
        )
    };
    pointers().enumerate().map(assertion).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_own_place_and_a_name_that_kernels_can_say() {
        let mut requested = Vec::new();
        let fields = Fields::of(|field, next| {
            requested.push((field, next));
            requested.len() as u64
        });
        assert_eq!(requested.len(), COUNT);
        assert!(fields.0.iter().copied().eq(1..=COUNT as u64));
        for row in TABLE.iter().filter(|row| !row.numbered) {
            let field = (row.field)(0);
            assert!(requested.contains(&(field, 0)), "{field:?}");
            assert_eq!(requested.contains(&(field, 1)), row.may_be_doubled(), "{field:?}");
        }
        let text = declaration();
        for line in ["    int *next_water;", "    const int *bed;", "    float *discharge_east;"] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("next_bed") && !text.contains("diagnostic"), "{text}");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(pointers().all(|(row, next)| name(row, next).chars().all(plain)));
    }
}
