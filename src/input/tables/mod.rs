//! Tables: CSV files of the user, and those bundled with the program.

pub mod bundled;
mod by_class;
pub mod class_table;
pub mod columns;
pub mod damage_curves;
pub mod dialect;
pub mod fault;
pub mod lines;
pub mod loss_table;
pub mod rating;
pub mod records;
pub mod series_table;
