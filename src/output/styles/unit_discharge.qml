<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="0.005" classificationMax="5">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="0.005" maximumValue="5">
          <item value="0.005" label="none" color="#e5f5e0" alpha="0"/>
          <item value="0.02" label="0.02 m²/s" color="#e5f5e0" alpha="160"/>
          <item value="0.1" label="0.1 m²/s" color="#bae4bc" alpha="200"/>
          <item value="0.25" label="0.25 m²/s" color="#7bccc4" alpha="215"/>
          <item value="0.5" label="0.5 m²/s" color="#43a2ca" alpha="230"/>
          <item value="1" label="1 m²/s" color="#2171b5" alpha="240"/>
          <item value="2" label="2 m²/s" color="#54278f" alpha="250"/>
          <item value="5" label="5 m²/s" color="#3f007d" alpha="255"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
