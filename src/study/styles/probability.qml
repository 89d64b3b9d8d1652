<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="0" classificationMax="1">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="0" maximumValue="1">
          <item value="0" label="0 %" color="#fff7bc" alpha="0"/>
          <item value="0.01" label="1 %" color="#fff7bc" alpha="170"/>
          <item value="0.1" label="10 %" color="#fee391" alpha="200"/>
          <item value="0.25" label="25 %" color="#fec44f" alpha="215"/>
          <item value="0.5" label="50 %" color="#fb7a2c" alpha="230"/>
          <item value="0.75" label="75 %" color="#d43d1a" alpha="240"/>
          <item value="1" label="100 %" color="#7f0d26" alpha="255"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
