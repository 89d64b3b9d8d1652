//! Every map format: GDAL reads back what is written.

use gdal::Dataset;
use inundate::engine::grid::Grid;
use inundate::output::colour::NODATA;
use inundate::output::format::{FORMATS, Format, Labels, Sheet};
use inundate::output::statistics::Statistics;
use std::borrow::Cow;

#[test]
fn written_files_can_be_read_back() {
    for (number, format) in FORMATS.iter().enumerate() {
        assert!(format.endings.iter().all(|end| Format::of(end_of(end).as_ref()).is_some()));
        // Non-square cells; writing bands of rows must equal writing everything at once.
        let transform = [500.0, 10.0, 0.0, 900.0, 0.0, -5.0];
        let grid = Grid { dy: 5.0, transform, ..Grid::plain(30, 20, 10.0) };
        let value = |cell: usize| if cell % 7 == 3 { NODATA } else { cell as f32 / 8.0 };
        let values: Vec<f32> = (0..grid.cells()).map(value).collect();
        let folder = tempfile::tempdir().unwrap();
        let labels = Labels::of("depth", "m");
        for bands in [1, 3] {
            let path = folder.path().join(format.file(&format!("map_{number}_{bands}")));
            let mut writer = (format.open)(Sheet::new(&path, &grid, &labels)).unwrap();
            let band = grid.rows.div_ceil(bands) * grid.columns;
            values.chunks(band).for_each(|rows| writer.rows(Cow::Borrowed(rows)).unwrap());
            writer.finish(Statistics::of(&values, grid.columns)).unwrap();
            let read = Dataset::open(&path).unwrap();
            assert_eq!(read.geo_transform().unwrap(), grid.transform, "{}", format.name);
            let band = read.rasterband(1).unwrap();
            assert_eq!(band.no_data_value(), Some(f64::from(NODATA)));
            let size = (grid.columns, grid.rows);
            let found = band.read_as::<f32>((0, 0), size, size, None).unwrap();
            assert_eq!(found.data(), values, "{}, {bands} bands", format.name);
        }
    }
}

fn end_of(ending: &str) -> String {
    format!("map.{}", ending.to_uppercase())
}
