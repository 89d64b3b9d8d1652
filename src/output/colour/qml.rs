//! Writes a ramp as a QGIS style (.qml), which QGIS finds beside a raster of the same name and uses
//! in projects.

use super::{Blend, Ramp};
use crate::words::printable;
use quick_xml::escape::escape;
use std::fmt::Write;

impl Blend {
    /// Returns QGIS's name of the interpolation.
    fn name(self) -> &'static str {
        match self {
            Blend::Smooth => "INTERPOLATED",
            Blend::UpTo => "DISCRETE",
            Blend::Exact => "EXACT",
        }
    }
}

impl Ramp {
    /// Returns the text of the style.
    pub fn to_qml(&self) -> String {
        let mut items = String::new();
        for stop in &self.stops {
            let [red, green, blue, opacity] = stop.colour;
            let value = if stop.value.is_finite() { stop.value.to_string() } else { "inf".into() };
            let label = escape(printable(&stop.label));
            writeln!(
                items,
                "          <item value=\"{value}\" label=\"{label}\" color=\"#{red:02x}{green:02x}{blue:02x}\" alpha=\"{opacity}\"/>"
            )
            .expect("a text takes all");
        }
        let finite = || self.stops.iter().map(|stop| stop.value).filter(|value| value.is_finite());
        let (low, high) = (finite().next().unwrap_or(0.0), finite().next_back().unwrap_or(1.0));
        let kind = self.blend.name();
        format!(
            r##"<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="{low}" classificationMax="{high}">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="{kind}" classificationMode="1" clip="0" minimumValue="{low}" maximumValue="{high}">
{items}          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
"##
        )
    }
}
