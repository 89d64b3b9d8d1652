<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="0.01" classificationMax="4">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="0.01" maximumValue="4">
          <item value="0.01" label="still" color="#fff3b8" alpha="0"/>
          <item value="0.1" label="0.1 m/s" color="#fff3b8" alpha="160"/>
          <item value="0.25" label="0.25 m/s" color="#fee391" alpha="200"/>
          <item value="0.5" label="0.5 m/s" color="#fec44f" alpha="220"/>
          <item value="1" label="1 m/s" color="#f98b2d" alpha="235"/>
          <item value="2" label="2 m/s" color="#d7301f" alpha="245"/>
          <item value="4" label="4 m/s" color="#7f0000" alpha="255"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
