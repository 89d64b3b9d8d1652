//! Symbols of structures and links, by their kind: the same in the report and in QGIS.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

/// Symbol of a kind of structure or link: a line with a mark on its middle.
#[derive(Debug)]
pub struct KindSymbol {
    /// Kind, as in the input and in `run.json`.
    pub kind: &'static str,
    /// Title in legends.
    pub title: &'static str,
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// Set if the line is dashed, for flow under the ground.
    pub is_dashed: bool,
    /// Shape of the mark: an SVG path around 0, 0, within 9 units.
    pub path: &'static str,
}

const fn over(
    kind: &'static str,
    title: &'static str,
    colour: [u8; 3],
    path: &'static str,
) -> KindSymbol {
    KindSymbol { kind, title, colour, is_dashed: false, path }
}

const fn under(kind: &'static str, title: &'static str, path: &'static str) -> KindSymbol {
    KindSymbol { kind, title, colour: [0, 110, 98], is_dashed: true, path }
}

/// All kinds, in the order of legends.
pub static KINDS: [KindSymbol; 7] = [
    over("weir", "Weir", [74, 20, 140], "M-8 -6 H8 L0 8 Z"),
    over("gate", "Gate", [26, 35, 126], "M-8 -8 H-4 V-2.5 H4 V-8 H8 V8 H4 V2.5 H-4 V8 H-8 Z"),
    over(
        "bridge",
        "Bridge",
        [62, 39, 35],
        "M-9 -8 H-6 L-3 -4.5 H3 L6 -8 H9 L5 -2 V2 L9 8 H6 L3 4.5 H-3 L-6 8 H-9 L-5 2 V-2 Z",
    ),
    over(
        "breach",
        "Breach",
        [198, 0, 20],
        "M0 -9 L2 -4 L7 -7 L5 -2 L9 0 L5 2 L7 7 L2 4 L0 9 L-2 4 L-7 7 L-5 2 L-9 0 L-5 -2 L-7 -7 L-2 -4 Z",
    ),
    under(
        "culvert",
        "Culvert",
        "M-8 0 A8 8 0 1 0 8 0 A8 8 0 1 0 -8 0 Z M-4 0 A4 4 0 1 1 4 0 A4 4 0 1 1 -4 0 Z",
    ),
    under("flap", "Flap gate", "M-8 -8 H8 V-4 L-4 8 H-8 Z"),
    under("pump", "Pump", "M-8 0 A8 8 0 1 0 8 0 A8 8 0 1 0 -8 0 Z M-3 -5 L-3 5 L6 0 Z"),
];

/// Returns the symbol of a kind.
pub fn find(kind: &str) -> Option<&'static KindSymbol> {
    KINDS.iter().find(|symbol| symbol.kind == kind)
}

impl KindSymbol {
    /// Returns the colour (CSS).
    pub fn css(&self) -> String {
        let [red, green, blue] = self.colour;
        format!("rgb({red},{green},{blue})")
    }

    /// Returns the mark as an SVG file.
    fn svg(&self) -> String {
        let (colour, path) = (self.css(), self.path);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-11 -11 22 22\"><path d=\"{path}\" fill=\"{colour}\" fill-rule=\"evenodd\" stroke=\"#fff\" stroke-width=\"1.5\" paint-order=\"stroke\"/></svg>"
        )
    }

    /// Returns the symbol for QGIS, by number.
    fn qml(&self, number: usize) -> String {
        let [red, green, blue] = self.colour;
        let style = if self.is_dashed { "dash" } else { "solid" };
        let mark = STANDARD.encode(self.svg());
        format!(
            r#"
      <symbol type="line" name="{number}" alpha="1" clip_to_extent="1" force_rhr="0">
        <layer class="SimpleLine" enabled="1" pass="0" locked="0">
          <Option type="Map">
            <Option type="QString" name="line_color" value="{red},{green},{blue},255"/>
            <Option type="QString" name="line_style" value="{style}"/>
            <Option type="QString" name="line_width" value="0.8"/>
            <Option type="QString" name="line_width_unit" value="MM"/>
          </Option>
        </layer>
        <layer class="MarkerLine" enabled="1" pass="0" locked="0">
          <Option type="Map">
            <Option type="QString" name="placement" value="centralpoint"/>
            <Option type="QString" name="placements" value="CentralPoint"/>
            <Option type="QString" name="rotate" value="0"/>
          </Option>
          <symbol type="marker" name="@{number}@1" alpha="1" clip_to_extent="1" force_rhr="0">
            <layer class="SvgMarker" enabled="1" pass="0" locked="0">
              <Option type="Map">
                <Option type="QString" name="name" value="base64:{mark}"/>
                <Option type="QString" name="size" value="4.6"/>
                <Option type="QString" name="size_unit" value="MM"/>
              </Option>
            </layer>
          </symbol>
        </layer>
      </symbol>"#
        )
    }
}

/// Returns the QGIS renderer of a layer of lines with a field `kind`, for the kinds that it has.
pub fn renderer(kinds: &[&KindSymbol]) -> String {
    let mut categories = String::new();
    for (number, KindSymbol { kind, title, .. }) in kinds.iter().enumerate() {
        write!(
            categories,
            "\n      <category symbol=\"{number}\" value=\"{kind}\" label=\"{title}\" render=\"true\" type=\"string\"/>"
        )
        .expect("a text takes all");
    }
    let symbols: String =
        kinds.iter().enumerate().map(|(number, symbol)| symbol.qml(number)).collect();
    format!(
        r#"<renderer-v2 type="categorizedSymbol" attr="kind" symbollevels="0" enableorderby="0" forceraster="0">
    <categories>{categories}
    </categories>
    <symbols>{symbols}
    </symbols>
  </renderer-v2>"#
    )
}
