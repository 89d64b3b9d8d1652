<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="paletted" band="1" opacity="1" alphaBand="-1" nodataColor="">
      <colorPalette>
        <paletteEntry value="0" label="dry in both" color="#ffffff" alpha="0"/>
        <paletteEntry value="1" label="hit" color="#2070b8" alpha="230"/>
        <paletteEntry value="2" label="false alarm" color="#e08214" alpha="230"/>
        <paletteEntry value="3" label="miss" color="#b2182b" alpha="230"/>
      </colorPalette>
    </rasterrenderer>
  </pipe>
</qgis>
