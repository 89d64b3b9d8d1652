//! Presentation of finished runs: the report, its pages, the QGIS project, animations, and
//! comparison with observations.

pub mod animate;
pub mod compare;
pub mod headline;
pub mod page;
pub mod project;
pub mod report;
