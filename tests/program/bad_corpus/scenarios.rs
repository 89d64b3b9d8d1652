//! Scenario files, as editors and people write them.

use crate::bad_corpus::harness::Expect::{self, Refused, Taken, Warned};
use crate::bad_corpus::harness::{Case, command};
use crate::cli_common::Workshop;

fn scenario(name: &'static str, build: fn(&Workshop), expect: Expect) -> Case {
    command(name, build, "run s.toml", expect)
}

/// Writes a valid scenario with additional lines.
fn with(workshop: &Workshop, more: &str) {
    workshop.file("s.toml", format!("dem = 'dem.tif'\nduration = '2 min'\n{more}\n"));
}

pub fn cases() -> Vec<Case> {
    vec![
        command(
            "a scenario without end",
            |_| {},
            "run /dev/zero",
            Refused(&["cannot open the scenario '/dev/zero': it is a device, not a file"]),
        ),
        scenario(
            "a scenario that is far too large",
            |w| std::fs::File::create(w.path("s.toml")).unwrap().set_len(1 << 40).unwrap(),
            Refused(&["cannot open the scenario 's.toml': it is larger than 16.0 MiB"]),
        ),
        command(
            "a study without end",
            |_| {},
            "study /dev/zero",
            Refused(&["cannot open the study '/dev/zero': it is a device, not a file"]),
        ),
        scenario("a table without end", |w| with(w, "rain = '/dev/zero'"), Refused(&["rain: "])),
        scenario(
            "a key twice",
            |w| with(w, "rain = '5 mm/h'\nrain = '6 mm/h'"),
            Refused(&["'s.toml', line 4: duplicate key", "leave one of the two out"]),
        ),
        scenario(
            "a number as path",
            |w| w.file("s.toml", "dem = 3\nduration = '2 min'\n"),
            Refused(&["'s.toml', line 1: dem: invalid type"]),
        ),
        scenario(
            "rain without a unit",
            |w| with(w, "rain = 50"),
            Refused(&["rain: '50' has no unit"]),
        ),
        scenario(
            "a value without quotes",
            |w| with(w, "rain = 50 mm/h"),
            Refused(&["'s.toml', line 3", "quotes"]),
        ),
        scenario(
            "a word without quotes",
            |w| with(w, "open = all\nrain = '5 mm/h'"),
            Refused(&["'s.toml', line 3", "quotes"]),
        ),
        scenario(
            "a path with backslashes",
            |w| w.file("s.toml", "dem = \"data\\dem.tif\"\nduration = '2 min'\n"),
            Refused(&["'s.toml', line 1", "forward slashes"]),
        ),
        scenario(
            "a section",
            |w| with(w, "[rain]\nrate = '5 mm/h'"),
            Refused(&["'s.toml', line 3: rain: invalid type", "without a section"]),
        ),
        scenario(
            "keys below a section that is none",
            |w| with(w, "[water]\nrain = '5 mm/h'"),
            Refused(&["'s.toml', line 3: unknown key 'water'"]),
        ),
        scenario(
            "a list where one value is meant",
            |w| with(w, "rain = ['5 mm/h', '6 mm/h']"),
            Refused(&["'s.toml', line 3: rain: invalid type", "without brackets"]),
        ),
        scenario(
            "a yes",
            |w| with(w, "rain = '5 mm/h'\nopen = true"),
            Refused(&["'s.toml'", "open"]),
        ),
        scenario(
            "a factor that is no number",
            |w| with(w, "rain = '5 mm/h'\nrain_factor = nan"),
            Refused(&["rain_factor: NaN is not a factor of rain"]),
        ),
        scenario(
            "a byte order mark and carriage returns",
            |w| {
                w.file(
                    "s.toml",
                    "\u{feff}dem = 'dem.tif'\r\nduration = '2 min'\r\nrain = '5 mm/h'\r\n",
                );
            },
            Taken,
        ),
        scenario(
            "a scenario in Latin-1",
            |w| w.file("s.toml", b"# H\xf6he\ndem = 'dem.tif'\nduration = '2 min'\n"),
            Refused(&["'s.toml'", "UTF-8"]),
        ),
        scenario(
            "a scenario in UTF-16",
            |w| {
                let text = "\u{feff}dem = 'dem.tif'\n";
                let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
                w.file("s.toml", bytes);
            },
            Refused(&["'s.toml'", "UTF-8"]),
        ),
        scenario("an empty scenario", |w| w.file("s.toml", ""), Refused(&["no DEM is given"])),
        scenario(
            "a folder as scenario",
            |w| std::fs::create_dir(w.path("s.toml")).unwrap(),
            Refused(&["cannot open the scenario 's.toml': it is a folder"]),
        ),
        command(
            "a DEM in place of the scenario",
            |_| {},
            "run dem.tif",
            Refused(&["the scenario 'dem.tif' is not text", "--dem dem.tif"]),
        ),
        scenario(
            "a scenario in JSON",
            |w| w.file("s.toml", "{\"dem\": \"dem.tif\", \"duration\": \"2 min\"}\n"),
            Refused(&["'s.toml', line 1", "key = "]),
        ),
        scenario(
            "a colon in place of the equals sign",
            |w| w.file("s.toml", "dem: 'dem.tif'\n"),
            Refused(&["'s.toml', line 1", "key = "]),
        ),
        scenario(
            "a quote that is not closed",
            |w| with(w, "rain = '5 mm/h"),
            Refused(&["'s.toml', line 3", "close the text"]),
        ),
        scenario(
            "a key in capitals",
            |w| with(w, "Rain = '5 mm/h'"),
            Refused(&["unknown key 'Rain'", "did you mean 'rain'?"]),
        ),
        scenario(
            "curly quotes",
            |w| with(w, "rain = \u{201c}5 mm/h\u{201d}"),
            Refused(&["'s.toml', line 3", "quotes"]),
        ),
        scenario(
            "a path that is empty",
            |w| w.file("s.toml", "dem = ''\nduration = '2 min'\nrain = '5 mm/h'\n"),
            Refused(&["dem: cannot open ''"]),
        ),
        scenario(
            "rain that is empty",
            |w| with(w, "rain = ''"),
            Refused(&["rain: '' is not a rate of rain"]),
        ),
        scenario(
            "a layer that is not there",
            |w| with(w, "rain = '5 mm/h'\nlayers = 'depth,dept'"),
            Refused(&["layers: there is no layer 'dept'", "did you mean 'depth'?"]),
        ),
        scenario(
            "a run without water",
            |w| with(w, ""),
            Warned(&["there is no water in this run"]),
        ),
        scenario(
            "a home folder by a tilde",
            |w| w.file("s.toml", "dem = '~/dem.tif'\nduration = '2 min'\nrain = '5 mm/h'\n"),
            Refused(&["dem: cannot open '~/dem.tif'", "'~'"]),
        ),
        scenario(
            "a variable of the shell",
            |w| w.file("s.toml", "dem = '$HOME/dem.tif'\nduration = '2 min'\nrain = '5 mm/h'\n"),
            Refused(&["dem: cannot open '$HOME/dem.tif'", "'$HOME'"]),
        ),
    ]
}
