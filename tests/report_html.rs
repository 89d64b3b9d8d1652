//! `report.html` is one well-formed file that needs no other and has every part, in a browser too, and
//! texts of the user's come out as text.

mod cli_common;

use cli_common::{CORNER, Raster, Workshop};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a page is made of.
#[derive(Default)]
struct Parts {
    /// Values of `id`.
    ids: BTreeSet<String>,
    /// Values of everything that may point elsewhere.
    links: Vec<String>,
    /// Names of elements, one by one.
    elements: Vec<String>,
    /// All text.
    text: String,
}

impl Parts {
    fn add(&mut self, element: &BytesStart) {
        self.elements.push(element.name().as_ref().to_string());
        for attribute in element.attributes() {
            let attribute = attribute.expect("attributes are well-formed");
            let value = attribute.value.to_string();
            match attribute.key.as_ref() {
                "id" => assert!(self.ids.insert(value.clone()), "two elements are called {value}"),
                "href" | "src" | "xlink:href" | "data" | "action" | "srcset" => {
                    self.links.push(value);
                }
                "style" => assert!(!value.contains("url("), "{value}"),
                _ => {}
            }
        }
    }

    fn count(&self, element: &str) -> usize {
        self.elements.iter().filter(|name| *name == element).count()
    }
}

/// Reads a page as XML, which is stricter than HTML.
fn parts(page: &str) -> Parts {
    let mut reader = Reader::from_str(page);
    reader.config_mut().check_end_names = true;
    let (mut parts, mut open) = (Parts::default(), 0);
    loop {
        match reader.read_event().expect("the page is well-formed") {
            Event::Start(element) => {
                parts.add(&element);
                open += 1;
            }
            Event::Empty(element) => parts.add(&element),
            Event::End(_) => open -= 1,
            Event::Text(text) => parts.text += &text,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0, "every element ends");
    parts
}

fn page(workshop: &Workshop, folder: &str) -> (String, Parts) {
    let page = std::fs::read_to_string(workshop.path(folder).join("report.html")).unwrap();
    let parts = parts(&page);
    (page, parts)
}

/// Every part that a page has whatever the run.
const ALWAYS: [&str; 8] =
    ["summary", "maps", "water", "balance", "run", "scenario", "inputs", "outputs"];

#[track_caller]
fn is_complete(page: &str, parts: &Parts, more: &[&str]) {
    for id in ALWAYS.iter().chain(more) {
        assert!(parts.ids.contains(*id), "there is no {id}: {:?}", parts.ids);
    }
    assert!(
        parts.links.iter().all(|link| link.starts_with("data:image/png;base64,")),
        "{:?}",
        parts.links
    );
    assert_eq!(parts.count("image"), 2, "two maps");
    for none in ["script", "link", "iframe", "object"] {
        assert_eq!(parts.count(none), 0, "{none}");
    }
    let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    assert!(!style.contains("@import") && !style.contains("url("));
    // Addresses may only name what a namespace is.
    for address in page.split("http").skip(1) {
        assert!(address.starts_with("://www.w3.org/"), "http{}", &address[..40]);
    }
}

/// Takes a picture of a page and says how tall what is on it is; none without a browser.
fn in_browser(page: &Path) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("page.png");
    let flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        "--window-size=1200,3000",
    ];
    let mut browser = Command::new("chromium");
    browser.args(flags).stdout(Stdio::null()).stderr(Stdio::null());
    browser.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    browser.arg(format!("--screenshot={}", picture.display()));
    browser.arg(format!("file://{}", page.display()));
    match browser.status() {
        Err(_) => None,
        Ok(status) => {
            assert!(status.success(), "chromium failed: {status}");
            Some(std::fs::read(&picture).expect("a picture"))
        }
    }
}

/// Columns and rows of cells of 10 m about the middle of the terrain.
fn at(column: f64, row: f64) -> String {
    format!("{},{}", CORNER.0 + 10.0 * column, CORNER.1 - 10.0 * row)
}

#[test]
fn a_run_with_everything_has_every_part() {
    let workshop = Workshop::with_dem(&Raster::terrain(60, 40).with(3, 3, -9999.0));
    workshop.file("storm.csv", "time [h],rain [mm/h]\n0,40\n0.5,0\n");
    let odd = format!("{},Fish & <b>Chips</b> \"2\"", at(40.5, 20.5));
    let (east, weir) = (
        format!("{},östlich", at(58.5, 10.5)),
        format!("{},{},weir", at(30.0, 40.0), at(30.0, 0.0)),
    );
    let inflow = format!("{},2 m3/s", at(10.5, 20.5));
    let arguments =
        ["--rain", "storm.csv", "--source", &inflow, "--open", "east", "--duration", "1h"];
    let watched = ["--gauges", &odd, "--gauges", &east, "--sections", &weir];
    workshop.run(&[&arguments[..], &watched].concat()).done();
    let (page, parts) = page(&workshop, "results");
    is_complete(&page, &parts, &["gauges", "sections"]);
    // Depth at each gauge, speeds, a section, rain, flows, volume, wet area; and the two maps.
    assert_eq!(parts.count("svg"), 2 + 1 + 1 + 2 + 2 + 2);
    assert!(!page.contains("<b>"), "names are text");
    for text in [
        "östlich",
        "weir",
        "storm.csv",
        "discharge [m³/s]",
        "depth [m]",
        "level [m]",
        "rain [mm/h]",
    ] {
        assert!(parts.text.contains(text), "no {text}");
    }
    let report = workshop.report("results");
    for input in report["inputs"].as_array().unwrap() {
        assert!(parts.text.contains(input["sha256"].as_str().unwrap()));
    }
    for (key, _) in report["parameters"].as_object().unwrap() {
        assert!(parts.text.contains(key.as_str()), "no {key}");
    }
    for file in report["outputs"].as_array().unwrap() {
        assert!(parts.text.contains(file.as_str().unwrap()), "no {file}");
    }
    let deepest = format!("{:.2}", report["gauges"][0]["max_depth_m"].as_f64().unwrap());
    assert!(parts.text.contains(&deepest));
    match in_browser(&workshop.path("results/report.html")) {
        // An empty page is a picture of some kilobytes.
        Some(picture) => assert!(picture.len() > 100_000, "{} bytes", picture.len()),
        None => eprintln!("skipped the browser: there is no chromium"),
    }
}

#[test]
fn a_run_with_nothing_but_rain_has_its_page_too() {
    let workshop = Workshop::new();
    for (arguments, text) in [
        (&["--rain", "40 mm/h", "--duration", "10min"][..], "rain [mm/h]"),
        (&["--rain", "2 mm/step", "--steps", "20"], "rain [mm/step]"),
        (&["--rain", "40 mm/h", "--duration", "10min", "--step", "10s"], "calibrated"),
    ] {
        workshop.run(&[arguments, &["--overwrite"]].concat()).done();
        let (page, parts) = page(&workshop, "results");
        is_complete(&page, &parts, &[]);
        assert!(!parts.ids.contains("gauges") && !parts.ids.contains("sections"));
        assert!(parts.text.contains(text), "no {text}");
    }
    // Without any water there are warnings, and nothing else is amiss.
    workshop.run(&["--duration", "10min", "--overwrite"]).done();
    let (page, parts) = page(&workshop, "results");
    is_complete(&page, &parts, &["warnings"]);
    assert!(parts.text.contains("there is no water in this run"));
}

#[test]
fn links_and_dates_are_told() {
    let workshop = Workshop::new();
    let pump = format!("{},{},pump,20 l/s,P & Q", at(2.5, 2.5), at(6.5, 2.5));
    workshop.file("links.csv", format!("x1,y1,x2,y2,kind,capacity,name\n{pump}\n"));
    let gauge = format!("{},ford", at(3.5, 3.5));
    let run = ["--rain", "40 mm/h", "--links", "links.csv", "--gauges", &gauge, "--overwrite"];
    let dated = ["--start", "2012-06-28T23:30+01:00", "--duration", "2h"];
    workshop.run(&[&run[..], &dated].concat()).done();
    let (html, parts) = page(&workshop, "results");
    is_complete(&html, &parts, &["gauges", "links"]);
    let report = workshop.report("results");
    let carried = report["links"][0]["forward_m3"].as_f64().unwrap();
    assert!(carried > 0.0);
    let row = format!("<td>pump</td><td>{carried:.2} m³</td><td>0 m³</td>");
    assert!(html.contains(&row), "no {row}");
    // The time of the greatest depth goes over midnight, and no time is told from the start any more.
    let peak = report["gauges"][0]["time_of_max"].as_f64().unwrap().round() as u64 / 60;
    assert!((30..=120).contains(&peak), "after {peak} min");
    let peak = format!("<td>2012-06-29 {:02}:{:02}</td>", (peak - 30) / 60, (peak - 30) % 60);
    assert!(html.contains(&peak), "no {peak}");
    // Every chart has dates along its axis.
    let axis = "date and time, 2012 [+01:00]";
    assert!(parts.text.matches(axis).count() >= 5, "gauge, speed, rain, volume and wet area");
    for tick in ["28 Jun 23:30", "29 Jun 00:00", "29 Jun 01:30"] {
        assert!(parts.text.contains(tick), "no {tick}");
    }

    workshop.run(&[&run[..], &["--duration", "10min"]].concat()).done();
    let (html, parts) = page(&workshop, "results");
    assert!(parts.text.contains("time since the start [min]") && html.contains("<td>10 min</td>"));
}

#[test]
fn maps_of_any_shape_can_be_drawn() {
    for (columns, rows) in [(1, 1), (3000, 2), (1, 900)] {
        let workshop = Workshop::with_dem(&Raster::terrain(columns, rows));
        workshop.run(&["--rain", "1 mm/step", "--steps", "2"]).done();
        let (page, parts) = page(&workshop, "results");
        is_complete(&page, &parts, &[]);
    }
}
