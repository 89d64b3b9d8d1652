//! Subgrid tables: cells that see the finer ground in them.
//!
//! A cell of r × r pixels of a fine DEM has a table of the level that its water stands at, so that it fills its lowest pixels first
//! (Casulli 2009, doi:10.1002/fld.1896; finite volumes with the pixels' roughness: Volp, van Prooijen & Stelling 2013,
//! doi:10.1002/wrcr.20324; Sehili, Lang & Lippert 2014, doi:10.1007/s10236-014-0693-x). An edge has one of the section and of the depth of
//! conveyance by the level, as the tables of SFINCS (van Ormondt et al. 2025, doi:10.5194/gmd-18-843-2025). There an edge sees half of each
//! of its cells, and the weaker half counts. Here it is the weakest section between the lowest columns of both cells, and
//! nothing crosses below the pass between their lowest pixels: channels keep their width and walls hold, whatever way they
//! run.
//!
//! Rivers that are narrower than a cell, or than a pixel, are no pixels: [`reaches`] lays their lines through the cells, and their
//! [`channels`] are added to the tables.
//!
//! [`layout`] says how tables lie, [`build`] makes them ([`cell_table`] and [`edge_table`], of [`pixels`], by the [`pass`],
//! the [`sections`] and the [`course`]), [`tables`] holds them and [`lookup`] asks them. Levels are whole (2⁻¹⁶ m), and so are the sums of depths: the
//! same DEM makes the same tables on every machine and with any number of threads.

pub mod build;
pub mod cell_table;
pub mod channels;
pub mod course;
pub mod edge_table;
pub mod layout;
mod lines;
pub mod lookup;
pub mod pass;
pub mod pixels;
pub mod reaches;
pub mod river;
mod runs;
pub mod sections;
pub mod tables;
pub mod way;
