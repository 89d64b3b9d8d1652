//! What the results of finished runs are told and shown by: the report, its pages, the QGIS project, pictures that move, and how they
//! compare with what was observed.

pub mod animate;
pub mod compare;
pub mod headline;
pub mod page;
pub mod project;
pub mod report;
