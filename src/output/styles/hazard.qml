<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="0" classificationMax="2.5">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="DISCRETE" classificationMode="1" clip="0" minimumValue="0" maximumValue="2.5">
          <item value="0" label="dry" color="#a6d96a" alpha="0"/>
          <item value="0.75" label="low: caution (below 0.75)" color="#a6d96a" alpha="215"/>
          <item value="1.25" label="moderate: danger for some (0.75 to 1.25)" color="#fee08b" alpha="230"/>
          <item value="2" label="significant: danger for most (1.25 to 2)" color="#f46d43" alpha="240"/>
          <item value="inf" label="extreme: danger for all (above 2)" color="#a50026" alpha="255"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
