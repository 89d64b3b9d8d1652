//! The library's cases: which input they refuse, and that their runs can move to other threads.
//! They are tested from outside, because inside the engine they would be the only tests that
//! compile all solvers a second time.

use inundate_engine::case::Case;

#[test]
fn invalid_input_is_reported_with_its_cell() {
    let case = Case::new(4, 3, 1.0);
    let high = case.clone().bed(|i, j| if (i, j) == (2, 1) { 1e6 } else { 0.0 });
    assert!(high.start().is_err_and(|error| error.what.contains("(2, 1)")));
    let deep = case.clone().water(|_, _| -1.0);
    assert!(deep.start().is_err_and(|error| error.what.contains("(0, 0)")));
    assert!(case.clone().solver("aqua-graph").is_err() && case.clone().solver("no").is_err());
    assert!(case.open("up").is_err());
}

#[test]
fn runs_can_move_between_threads() {
    let mut run = Case::new(20, 10, 5.0).rain(1e-5).start().unwrap();
    let run = std::thread::spawn(move || {
        run.advance_to(60.0).unwrap();
        run
    });
    let rained = run.join().unwrap().backend.ledger().rain;
    assert!(rained > 0);
}
