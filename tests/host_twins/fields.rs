//! Checks that kernels find every field of the table at its place.

use super::compile::Twins;
use super::sheet::argument;
use inundate_engine::backend::cuda::compile::fields::Fields;
use inundate_engine::backend::cuda::compile::source::Unit;
use inundate_engine::backend::cuda::params::Params;
use inundate_engine::field::{Field, TABLE};

#[test]
fn kernels_find_every_field_by_name() {
    let fields: Vec<(Field, bool)> = TABLE
        .iter()
        .filter(|row| !row.numbered)
        .map(|row| ((row.field)(0), row.may_be_doubled()))
        .collect();
    let mut reads = String::new();
    for (field, doubled) in &fields {
        let name = field.row().key.replace(' ', "_");
        reads += &format!("    *to++ = *(const unsigned *)p.{name};\n");
        if *doubled {
            reads += &format!("    *to++ = *(const unsigned *)p.next_{name};\n");
        }
    }
    let source = format!(
        "#include \"params.cuh\"\nextern \"C\" __global__ void see(Params p, unsigned *to)\n{{\n{reads}    p.swap();\n{reads}}}\n"
    );
    let twins = Twins::new(&Unit::new("fields".into(), &source), "see.h");
    // A distinct number for each field, now and next.
    let numbers: Vec<[u32; 2]> = (0..fields.len() as u32).map(|at| [2 * at, 2 * at + 1]).collect();
    let of = |field: Field, way: usize| {
        let at = fields.iter().position(|(known, _)| *known == field).expect("a field");
        &raw const numbers[at][way] as u64
    };
    let params = Params { fields: Fields::of(of), ..Params::default() };
    let lines = |swapped: bool| {
        fields.iter().zip(&numbers).flat_map(move |((_, doubled), [now, next])| match doubled {
            true if swapped => vec![*next, *now],
            true => vec![*now, *next],
            false => vec![*now],
        })
    };
    let expected: Vec<u32> = lines(false).chain(lines(true)).collect();
    let mut seen = vec![u32::MAX; expected.len()];
    let to = seen.as_mut_ptr() as u64;
    // SAFETY: the kernel writes as many numbers as it reads.
    unsafe { twins.launch("see", [1, 1], [1, 1], &[argument(&params), argument(&to)]) };
    assert_eq!(seen, expected);
}
