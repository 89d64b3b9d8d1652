//! Subgrid tables: cells that resolve the finer ground within them.
//!
//! A cell of r × r pixels of a fine DEM has a table of its water level, so that it fills its lowest
//! pixels first (Casulli 2009, doi:10.1002/fld.1896; finite volumes with the pixels' roughness:
//! Volp, van Prooijen & Stelling 2013, doi:10.1002/wrcr.20324; Sehili, Lang & Lippert 2014,
//! doi:10.1007/s10236-014-0693-x). An edge has a table of section and depth of conveyance by level,
//! like the tables of SFINCS (van Ormondt et al. 2025, doi:10.5194/gmd-18-843-2025). There an edge
//! covers half of each of its cells, and the weaker half counts. Here it is the weakest section
//! between the lowest columns of both cells, and nothing crosses below the pass between their
//! lowest pixels: channels keep their width and walls hold, whatever their direction.
//!
//! Rivers narrower than a cell, or than a pixel, are not part of the pixels: [`reaches`] traces
//! their lines through the cells, and their [`channels`] are added to the tables.
//!
//! [`layout`] defines the bit layout of tables; [`build`] builds them ([`cell_table`] and
//! [`edge_table`], from [`pixels`], using the [`pass`], the [`sections`] and the [`course`]);
//! [`tables`] stores them and [`lookup`] evaluates them. Levels and sums of depths are integers
//! (2⁻¹⁶ m): the same DEM gives the same tables on every machine and with any number of threads.

pub mod build;
pub mod cell_table;
pub mod channels;
pub mod course;
pub mod edge_table;
pub mod layout;
pub mod line_path;
mod lines;
pub mod lookup;
pub mod main_pool;
pub mod pass;
pub mod pixels;
pub mod reaches;
pub mod river;
mod runs;
pub mod sections;
pub mod tables;
