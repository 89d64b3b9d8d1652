//! `report.html` is one well-formed file without external references and has every part, in a
//! browser too; the user's texts are shown as text.

use crate::cli_common;

use cli_common::{CORNER, Raster, Workshop, at};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// Parts of a page.
#[derive(Default)]
struct Parts {
    /// Values of `id`.
    ids: BTreeSet<String>,
    /// Values of all attributes that may refer to other files.
    links: Vec<String>,
    /// Names of elements, one for each occurrence.
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

/// Parts of every page, whatever the run.
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
    // Addresses may occur only as names of namespaces.
    for address in page.split("http").skip(1) {
        assert!(address.starts_with("://www.w3.org/"), "http{}", &address[..40]);
    }
}

/// Takes a screenshot of a page; `None` without a browser.
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

/// Returns a page after its scripts have run, with an additional script at its end; `None` without
/// a browser.
fn after_script(page: &Path, script: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("page.html");
    let text = std::fs::read_to_string(page).unwrap();
    let text = text.replace("</body>", &format!("<script>{script}</script></body>"));
    std::fs::write(&copy, text).unwrap();
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]);
    // No network access, whatever the page requests.
    browser.args(["--disable-background-networking", "--host-resolver-solvers=MAP * ~NOTFOUND"]);
    browser.args(["--virtual-time-budget=20000", "--dump-dom"]);
    browser.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    browser.arg(format!("file://{}", copy.display())).stderr(Stdio::null());
    match browser.output() {
        Err(_) => None,
        Ok(output) => {
            assert!(output.status.success(), "chromium failed: {}", output.status);
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
    }
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
        // A screenshot of an empty page has a few kilobytes.
        Some(picture) => assert!(picture.len() > 100_000, "{} bytes", picture.len()),
        None => eprintln!("skipped the browser: there is no chromium"),
    }
}

#[test]
fn a_run_with_rain_only_has_a_page_too() {
    let workshop = Workshop::new();
    for (arguments, text) in [
        ("--rain '40 mm/h' --duration 10min", "rain [mm/h]"),
        ("--rain '2 mm/step' --steps 20", "rain [mm/step]"),
        ("--rain '40 mm/h' --duration 10min --step 10s", "calibrated"),
    ] {
        workshop.run(&format!("{arguments} --overwrite")).done();
        let (page, parts) = page(&workshop, "results");
        is_complete(&page, &parts, &[]);
        assert!(!parts.ids.contains("gauges") && !parts.ids.contains("sections"));
        assert!(parts.text.contains(text), "no {text}");
    }
    // Without any water there are warnings, and nothing else fails.
    workshop.run("--duration 10min --overwrite").done();
    let (page, parts) = page(&workshop, "results");
    is_complete(&page, &parts, &["warnings"]);
    assert!(parts.text.contains("there is no water in this run"));
}

#[test]
fn shows_links_and_dates() {
    let workshop = Workshop::new();
    let pump = format!("{},{},pump,20 l/s,P & Q", at(2.5, 2.5), at(6.5, 2.5));
    workshop.file("links.csv", format!("x1,y1,x2,y2,kind,capacity,name\n{pump}\n"));
    let gauge = format!("{},ford", at(3.5, 3.5));
    let run = format!("--rain '40 mm/h' --links links.csv --gauges '{gauge}' --overwrite");
    let dated = "--start 2012-06-28T23:30+01:00 --duration 2h";
    workshop.run(&format!("{run} {dated}")).done();
    let (html, parts) = page(&workshop, "results");
    is_complete(&html, &parts, &["gauges", "links"]);
    let report = workshop.report("results");
    let carried = report["links"][0]["forward_m3"].as_f64().unwrap();
    assert!(carried > 0.0);
    let row = format!("<td>pump</td><td>{carried:.2} m³</td><td>0 m³</td>");
    assert!(html.contains(&row), "no {row}");
    // The time of the maximum depth is after midnight, and no time is relative to the start any
    // more.
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

    workshop.run(&format!("{run} --duration 10min")).done();
    let (html, parts) = page(&workshop, "results");
    assert!(parts.text.contains("time since the start [min]") && html.contains("<td>10 min</td>"));
}

#[test]
fn draws_maps_of_any_shape() {
    for (columns, rows) in [(1, 1), (3000, 2), (1, 900)] {
        let workshop = Workshop::with_dem(&Raster::terrain(columns, rows));
        workshop.run("--rain '1 mm/step' --steps 2").done();
        let (page, parts) = page(&workshop, "results");
        is_complete(&page, &parts, &[]);
    }
}

const SERIES: [&str; 8] =
    ["--rain", "60 mm/h", "--duration", "10min", "--output-every", "1 min", "--open", "east"];

#[test]
fn shows_the_extremes_with_places_and_times() {
    let workshop = Workshop::with_dem(&Raster::terrain(60, 40).with(3, 3, -9999.0));
    let layers = ["--layers", "max_depth,max_velocity,max_hazard,time_of_max", "--overwrite", "-q"];
    workshop.run(&[&SERIES[..4], &layers].concat()).done();
    let report = workshop.report("results");
    let greatest = report["greatest"].as_array().unwrap();
    assert_eq!(greatest.len(), 3, "{greatest:?}");
    let (html, parts) = page(&workshop, "results");
    assert!(parts.ids.contains("greatest"));
    for (one, (layer, what, unit)) in greatest.iter().zip([
        ("max_depth", "Depth", " m"),
        ("max_velocity", "Velocity", " m/s"),
        ("max_hazard", "Hazard rating", ""),
    ]) {
        assert_eq!(one["layer"], layer);
        let values = cli_common::pixels(workshop.path(&format!("results/{layer}.tif")));
        let largest = values.iter().copied().fold(0.0, f32::max);
        let cell = values.iter().position(|value| *value == largest).unwrap();
        assert_eq!(one["value"].as_f64().unwrap() as f32, largest);
        let (column, row) = (cell % 60, cell / 60);
        assert_eq!((&one["column"], &one["row"]), (&column.into(), &row.into()));
        let (x, y) = (CORNER.0 + 10.0 * column as f64 + 5.0, CORNER.1 - 10.0 * row as f64 - 5.0);
        assert_eq!((one["x"].as_f64(), one["y"].as_f64()), (Some(x), Some(y)));
        let (time, within) = (one["time"].as_f64().unwrap(), one["within"].as_f64().unwrap());
        assert!(time > 0.0 && time <= 600.0 && within <= 20.0, "{one}");
        // The speed is taken from the quality figures, of deep water only (presentation.rs).
        let row = format!("<td>{what}</td><td>{largest:.2}{unit}</td><td>{x}</td><td>{y}</td>");
        assert!(html.contains(&row) || layer == "max_velocity", "no {row}");
        if layer == "max_depth" {
            let times = cli_common::pixels(workshop.path("results/time_of_max.tif"));
            assert_eq!(within, 0.0);
            assert!((time - 3600.0 * f64::from(times[cell])).abs() < 0.01);
        }
    }
    // Observations change no bit, and their times do not depend on the machine; automata have
    // steps.
    let before = std::fs::read(workshop.path("results/max_velocity.tif")).unwrap();
    let tiles = ["--threads", "1", "--tile", "17"];
    workshop.run(&[&SERIES[..4], &layers, &tiles].concat()).done();
    assert_eq!(std::fs::read(workshop.path("results/max_velocity.tif")).unwrap(), before);
    assert_eq!(workshop.report("results")["greatest"], report["greatest"]);
    workshop.run("--rain '2 mm/step' --steps 40 --overwrite -q").done();
    let report = workshop.report("results");
    let time = &report["greatest"][0]["time"];
    let (html, _) = page(&workshop, "results");
    assert!(html.contains(&format!("step {}</td>", time.as_f64().unwrap())), "{time}");
    workshop.run("--duration '1 min' --overwrite -q").done();
    assert!(!page(&workshop, "results").1.ids.contains("greatest"), "all is dry");
}

#[test]
fn the_series_plays_without_a_network() {
    let workshop = Workshop::with_dem(&Raster::terrain(60, 40).with(3, 3, -9999.0));
    workshop.run(&[&SERIES[..], &["-q"]].concat()).done();
    let (html, parts) = page(&workshop, "results");
    for id in ["play", "play-slider", "play-button", "play-time"] {
        assert!(parts.ids.contains(id), "no {id}");
    }
    // Two maps, the ground, and a picture for each time, all inside the page.
    assert_eq!(parts.count("image"), 2 + 1 + 10);
    assert!(parts.links.iter().all(|link| link.starts_with("data:image/png;base64,")));
    assert_eq!((parts.count("script"), parts.count("input"), parts.count("button")), (1, 1, 1));
    assert!(!html.contains("src=") && !html.contains("fetch(") && !html.contains("import"));
    for time in ["1 min", "5 min", "10 min"] {
        assert!(html.contains(&format!("data-time=\"{time}\"")), "no {time}");
    }
    assert_eq!(html.matches("style=\"display:none\"").count(), 9, "one is shown");
    // Pictures are small enough for a page to be mailed.
    let largest = parts.links[1..].iter().map(String::len).max().unwrap();
    assert!(html.len() < 400_000, "{} bytes, a picture {largest}", html.len());

    let script = r##"
      const said = document.createElement("p");
      document.body.append(said);
      const seen = () => {
        const shown = Array.from(document.querySelectorAll("#play image.frame"))
          .filter((frame) => getComputedStyle(frame).display !== "none");
        said.textContent += "[" + shown.map((frame) => frame.dataset.time).join() + "|"
          + document.getElementById("play-time").textContent + "|"
          + document.getElementById("play-button").textContent + "]";
      };
      const slider = document.getElementById("play-slider");
      slider.value = 3;
      slider.dispatchEvent(new Event("input"));
      seen();
      slider.value = 9;
      slider.dispatchEvent(new Event("input"));
      seen();
      document.getElementById("play-button").click();
      seen();
      setTimeout(seen, 600);
      setTimeout(seen, 6000);
    "##;
    let Some(dom) = after_script(&workshop.path("results/report.html"), script) else {
        eprintln!("skipped the browser: there is no chromium");
        return;
    };
    for seen in [
        // The slider shows one time, with its label.
        "[4 min|4 min|Play][10 min|10 min|Play]",
        // From the end it starts again, plays, and stops at the end.
        "[1 min|1 min|Pause][3 min|3 min|Pause][10 min|10 min|Play]",
    ] {
        assert!(dom.contains(seen), "no {seen} in {}", &dom[dom.len().saturating_sub(600)..]);
    }
}
