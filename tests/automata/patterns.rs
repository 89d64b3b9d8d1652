//! Texts of patterns.

use inundate_automata::grid::Grid;
use inundate_automata::pattern::{mcl, rle};

#[test]
fn reads_patterns_with_and_without_a_header() {
    let glider = Grid { columns: 3, rows: 3, layers: 1, states: vec![0, 1, 0, 0, 0, 1, 1, 1, 1] };
    let with = "#C a glider\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\nanything";
    assert_eq!(rle::read(with, "g").unwrap(), glider);
    assert_eq!(rle::read("bob$2bo\n$3o!", "g").unwrap(), glider);
    let wires = rle::read("x=4,y=2\n.ABC$2$!", "w").unwrap();
    assert_eq!(wires.states, [0, 1, 2, 3, 0, 0, 0, 0]);
}

#[test]
fn rejects_malformed_patterns() {
    for (text, part) in [
        ("x = 3\nbo!", "has no size"),
        ("x = 1, y = 1\n2o!", "the header says 1 x 1"),
        ("bo?", "'?' is not a state"),
        ("99999999999999999999o!", "more than"),
        ("x = 99999999, y = 99999999\no!", "more than"),
        ("9999999999$o!", "more than"),
    ] {
        let error = rle::read(text, "f").unwrap_err();
        assert!(error.what.contains(part) && error.exit_code() == 2, "{text}: {error}");
    }
}

#[test]
fn centres_a_pattern_on_its_board() {
    let text = "#MCell 4.20\n#GAME Special rules\n#RULE WireWorld\n#BOARD 5x3\n#L .A\n#L B$C\n";
    let grid = mcl::read(text, "w").unwrap();
    assert_eq!((grid.columns, grid.rows), (5, 3));
    assert_eq!(grid.states, [0, 0, 1, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0]);
    for (text, part) in [
        ("#MCell 4.20", "no line that begins with #L"),
        ("#BOARD 1x1\n#L 2A", "do not fit the board"),
        ("#BOARD wide\n#L A", "not the size of a board"),
    ] {
        let error = mcl::read(text, "f").unwrap_err();
        assert!(error.what.contains(part), "{error}");
    }
}
