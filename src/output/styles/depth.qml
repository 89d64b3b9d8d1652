<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="0.01" classificationMax="5">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="0.01" maximumValue="5">
          <item value="0.01" label="dry" color="#d3ebfb" alpha="0"/>
          <item value="0.05" label="0.05 m" color="#d3ebfb" alpha="170"/>
          <item value="0.1" label="0.1 m" color="#a6d4f2" alpha="195"/>
          <item value="0.25" label="0.25 m" color="#70b5e6" alpha="215"/>
          <item value="0.5" label="0.5 m" color="#4093d3" alpha="225"/>
          <item value="1" label="1 m" color="#2070b8" alpha="235"/>
          <item value="2" label="2 m" color="#0c4c94" alpha="245"/>
          <item value="5" label="5 m" color="#08244f" alpha="255"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
