//! Presentation of the results: title, project, author, date, logo, a background, buildings; in the
//! report, on the sheets and in the project.

use crate::cli_common;

use cli_common::vectors::Shapes;
use cli_common::{CORNER, Raster, Workshop, has, pixels};

const FLOOD: [&str; 4] = ["--rain", "60 mm/h", "--duration", "10min"];

/// The smallest picture that browsers and QGIS read.
const LOGO: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T',
    0x78, 0x9c, 0x62, 0, 1, 0, 0, 5, 0, 1, 0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, b'I', b'E', b'N',
    b'D', 0xae, 0x42, 0x60, 0x82,
];

fn text(workshop: &Workshop, file: &str) -> String {
    std::fs::read_to_string(workshop.path("results").join(file)).unwrap()
}

#[test]
fn long_titles_fit_and_numbers_are_plain() {
    let workshop =
        Workshop::with_dem(&Raster::new(200, 60, |column, _| 50.0 - 0.1 * column as f64));
    let title = "Probable maximum flood with a failure of the old dam at the reservoir of the \
                 mill: inundation for the emergency action plan";
    assert!(title.len() >= 120);
    workshop.run(&[&FLOOD[..], &["--title", title, "--open", "all"]].concat()).done();
    let (page, project) = (text(&workshop, "report.html"), text(&workshop, "project.qgs"));
    // The title of a sheet has two lines.
    let labels: Vec<&str> = project.split("labelText=\"").skip(1).collect();
    let of_sheet = labels.iter().find(|label| label.starts_with("Probable")).unwrap();
    assert!(of_sheet.split('"').next().unwrap().contains("&#10;"), "{of_sheet:.300}");
    assert!(project.contains("style=\"Numeric\""), "the scale as a ratio");
    has(
        &page,
        &[
            "<meta name=\"color-scheme\" content=\"only light\" />",
            "color-scheme: only light",
            "@page",
            "200 × 60 cells of 10 × 10 m",
            "12\u{202f}000 cells",
        ],
    );
    let ledger = page.split("class=\"ledger\"").nth(1).unwrap().split("</table>").next().unwrap();
    assert!(ledger.contains("rain") && ledger.contains("stored"), "{ledger}");
    for absent in ["<td>0 m³</td>", "evaporation", "at the start"] {
        assert!(!ledger.contains(absent), "{absent} in {ledger}");
    }
}

#[test]
fn title_block_appears_on_the_report_the_sheets_and_the_project() {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    workshop.file("logo.data", LOGO);
    let scenario = [
        "dem = 'dem.tif'\nrain = '60 mm/h'\nduration = '10min'\nlogo = 'logo.data'\ndate = 2026-03-01",
        "title = 'The <great> flood'\nproject = 'Dyke 7 & 8'\nauthor = 'Smith'",
    ];
    workshop.file("storm.toml", scenario.join("\n"));
    workshop.inundate("run storm.toml").done();
    let (page, project) = (text(&workshop, "report.html"), text(&workshop, "project.qgs"));
    has(
        &page,
        &[
            "<h1>The &#60;great&#62; flood</h1>",
            "Dyke 7 &#38; 8",
            "Smith, 2026-03-01",
            "src=\"data:image/png;base64,iVBORw0KGgo",
        ],
    );
    has(
        &project,
        &[
            "projectname=\"The &lt;great&gt; flood\"",
            "<author>Smith</author>",
            "labelText=\"The &lt;great&gt; flood\"",
            "Dyke 7 &amp; 8  ·  Smith, 2026-03-01",
            "file=\"base64:iVBORw0KGgo",
        ],
    );
    let inputs = workshop.report("results")["inputs"].to_string();
    assert!(inputs.contains("\"role\":\"logo\""), "{inputs}");
}

#[test]
fn default_title_names_the_source_of_the_water() {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    workshop.file("summer_storm.toml", "dem = 'dem.tif'\nrain = '60 mm/h'\nduration = '5min'\n");
    workshop.inundate("run summer_storm.toml").done();
    has(&text(&workshop, "report.html"), &["<h1>Flood from rain: Summer storm</h1>"]);
    has(&text(&workshop, "project.qgs"), &["<title>Flood from rain: Summer storm</title>"]);
    let source = format!("{},{},1 m3/s", CORNER.0 + 55.0, CORNER.1 - 55.0);
    workshop.run(&[&FLOOD[..], &["--source", &source, "--overwrite"]].concat()).done();
    has(&text(&workshop, "report.html"), &["<h1>Flood from rain and inflow</h1>"]);
}

#[test]
fn refuses_a_bad_logo_and_a_background_elsewhere() {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    workshop.file("logo.gif", "GIF89a");
    workshop.file("photo.tif", "no raster");
    let far = [CORNER.0 + 90_000.0, 10.0, 0.0, CORNER.1, 0.0, -10.0];
    workshop.raster("far.tif", &Raster::terrain(40, 30).transform(far));
    Shapes::new(&[]).with("POLYGON ((2 2, 5 2, 5 4, 2 4, 2 2))", &[]).write(&workshop, "b.gpkg");
    let run = [&["run", "--dem", "dem.tif"][..], &FLOOD].concat();
    for (flag, value, parts) in [
        (
            "--logo",
            "logo.gif",
            &["logo: 'logo.gif' is not a PNG, JPEG or SVG", "hint: save it"][..],
        ),
        ("--logo", "none.png", &["logo: 'none.png' cannot be read", "hint: check the path"]),
        ("--background", "none.tif", &["background: cannot open 'none.tif'"]),
        ("--background", "photo.tif", &["background: ", "'photo.tif'"]),
        (
            "--background",
            "far.tif",
            &["background: 'far.tif' does not touch the DEM", "hint: the DEM"],
        ),
        (
            "--background",
            "b.gpkg",
            &["background: 'b.gpkg' holds features or a table, not a raster"],
        ),
        ("--title", " ", &["title: the text is empty"]),
        ("--author", "a\nb", &["author: the text has more than one line"]),
    ] {
        workshop.refuses(&[&run[..], &[flag, value]].concat(), parts);
    }
}

#[test]
fn background_is_drawn_under_the_maps_and_buildings_over_them() {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    // Dark in the west, light in the east, larger than the DEM.
    let place = [CORNER.0 - 100.0, 5.0, 0.0, CORNER.1 + 100.0, 0.0, -5.0];
    let photo = Raster::new(120, 100, |column, _| if column < 60 { 20.0 } else { 220.0 });
    workshop.raster("photo.tif", &photo.transform(place));
    Shapes::new(&[])
        .with("POLYGON ((12 12, 15 12, 15 14, 12 14, 12 12))", &[])
        .write(&workshop, "b.gpkg");
    workshop.run(&[&FLOOD[..], &["--output-every", "5min"]].concat()).done();
    let bare = text(&workshop, "report.html");
    assert!(!bare.contains("<use ") && !bare.contains("id=\"ground\""));
    let more = ["--background", "photo.tif", "--buildings", "b.gpkg", "--overwrite"];
    workshop.run(&[&FLOOD[..], &["--output-every", "5min"], &more].concat()).done();
    let (page, project) = (text(&workshop, "report.html"), text(&workshop, "project.qgs"));
    // Once each, for any number of maps: two, and the series.
    assert_eq!(page.matches("<image id=\"ground\" href=\"data:image/").count(), 1);
    assert_eq!(page.matches("<image id=\"obstacles\" href=\"data:image/png").count(), 1);
    assert_eq!(page.matches("<use href=\"#ground\"").count(), 3);
    assert_eq!(page.matches("<use href=\"#obstacles\"").count(), 3);
    assert_eq!(page.matches("</span>buildings</div>").count(), 3);
    has(&project, &["<datasource>../photo.tif</datasource>", "<layername>Background</layername>"]);
    // The hillshade is above it, and the elevation tint below.
    let place = |id: &str| project.find(&format!("<id>inundate_{id}")).unwrap();
    assert!(place("hillshade") < place("background") && place("background") < place("elevation"));
}

#[test]
fn a_dam_break_reports_initial_and_released_water() {
    let bed = Raster::new(40, 30, |column, _| if column < 10 { 20.0 } else { 10.0 });
    let workshop = Workshop::with_dem(&bed);
    let stands = |column: usize| column < 10;
    let water = Raster::new(40, 30, |column, _| if stands(column) { 5.0 } else { 0.0 });
    workshop.raster("water.tif", &water);
    workshop.run("--initial-depth water.tif --duration 5min --open east").done();
    let report = workshop.report("results");
    let depths = pixels(workshop.path("results/depth.tif"));
    let left = depths.iter().enumerate().filter(|(cell, _)| stands(cell % 40));
    let left: f64 = left.map(|(_, depth)| 100.0 * f64::from(*depth)).sum();
    let released = report["released_m3"].as_f64().unwrap();
    assert!((150_000.0 - left - released).abs() < 1.0 && released > 10_000.0, "{released}");
    let page = text(&workshop, "report.html");
    let cards =
        page.split("<dl class=\"highlights\">").nth(1).unwrap().split("</dl>").next().unwrap();
    has(cards, &["water at the start", "released from where it stood", "outflow from the area"]);
    assert!(!cards.contains("rain and inflow"), "{cards}");
    has(&page, &["<h1>Flood from released water</h1>"]);
    has(
        &text(&workshop, "project.qgs"),
        &["Water at the start: ", "Released from where it stood: "],
    );
    // The table has the speed of the quality figures.
    let speed = &report["quality"]["max_speed"];
    let row = format!(
        "<td>Velocity, in water deeper than 0.1 m</td><td>{:.2} m/s</td><td>{}</td>",
        speed["value"].as_f64().unwrap(),
        speed["x"].as_f64().unwrap()
    );
    assert!(page.contains(&row), "no {row}");
    // With rain it cannot be determined.
    let rain = "--initial-depth water.tif --rain '9 mm/h' --duration 1min";
    workshop.run(&format!("{rain} --overwrite")).done();
    assert!(workshop.report("results")["released_m3"].is_null());
}

#[test]
fn sheets_follow_the_aspect_ratio_of_the_area_and_show_its_coordinates() {
    for (columns, rows, page) in
        [(60, 30, "297,210,mm"), (30, 36, "210,297,mm"), (20, 60, "210,297,mm")]
    {
        let workshop = Workshop::with_dem(&Raster::terrain(columns, rows));
        workshop.run(&FLOOD).done();
        let project = text(&workshop, "project.qgs");
        has(&project, &[&format!("size=\"{page}\"")]);
        assert_eq!(project.matches("<ComposerMapGrid ").count(), 3, "one a sheet");
        has(&project, &["intervalX=\"", "CRS: WGS 84 / UTM zone 33N (EPSG:32633)"]);
    }
}

#[test]
fn titles_and_names_are_shown_verbatim_and_never_evaluated() {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    Shapes::texts("name").with("POINT (5 5)", &[None]).write(&workshop, "[% env('HOME') %].gpkg");
    let title = "[% env('HOME') %] flood";
    let names = ["--gauges", "500025,4999955,[% 1 %]\u{fffe}\u{2}", "--title", title];
    let points = ["--points", "[% env('HOME') %].gpkg"];
    workshop.run(&[&FLOOD[..], &names, &points].concat()).done();
    let project = text(&workshop, "project.qgs");
    for part in
        ["labelText=\"", "<layername>", "<layer-tree-layer id=", "legend/title-label\" value=\""]
    {
        for rest in project.split(part).skip(1) {
            let shown = rest.split(['\n', '<']).next().unwrap();
            let name = shown.split("source=").next().unwrap();
            assert!(!name.contains("[%"), "{part}{name}");
        }
    }
    has(&project, &["labelText=\"[ % env("]);
    let is_none = |c: char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    for file in workshop.names("results") {
        if [".qgs", ".html", ".qml", ".csv"].iter().any(|ending| file.ends_with(ending)) {
            assert!(!text(&workshop, &file).contains(is_none), "{file}");
        }
    }
    has(&text(&workshop, "report.html"), &["[% 1 %]\u{fffd}\u{fffd}", "env("]);
}

#[test]
fn a_truncated_background_costs_the_report_only_the_background() {
    let workshop = Workshop::with_dem(&Raster::terrain(40, 30));
    let place = [CORNER.0, 4.0, 0.0, CORNER.1, 0.0, -4.0];
    let photo = Raster::new(120, 100, |column, row| (column + row) as f64);
    workshop.raster("photo.tif", &photo.transform(place));
    let whole = std::fs::read(workshop.path("photo.tif")).unwrap();
    // The middle, which is read first, exists; part of the area below the DEM does not.
    workshop.file("photo.tif", &whole[..whole.len() * 3 / 5]);
    let ran = workshop.run(&[&FLOOD[..], &["--background", "photo.tif"]].concat()).done();
    ran.says(&["warning: the report has no background: ", "photo.tif"]);
    let page = text(&workshop, "report.html");
    assert!(page.contains("<h1>") && !page.contains("id=\"ground\"") && !page.contains("#ground"));
    let warnings = workshop.report("results")["warnings"].to_string();
    assert!(warnings.contains("the report has no background"), "{warnings}");
}
