<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="-2" classificationMax="2">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="-2" maximumValue="2">
          <item value="-2" label="−2 m" color="#67001f" alpha="230"/>
          <item value="-1" label="−1 m" color="#b2182b" alpha="230"/>
          <item value="-0.5" label="−0.5 m" color="#d6604d" alpha="230"/>
          <item value="-0.25" label="−0.25 m" color="#f4a582" alpha="230"/>
          <item value="-0.05" label="−0.05 m" color="#fddbc7" alpha="230"/>
          <item value="0" label="no difference" color="#f7f7f7" alpha="0"/>
          <item value="0.05" label="+0.05 m" color="#d1e5f0" alpha="230"/>
          <item value="0.25" label="+0.25 m" color="#92c5de" alpha="230"/>
          <item value="0.5" label="+0.5 m" color="#4393c3" alpha="230"/>
          <item value="1" label="+1 m" color="#2166ac" alpha="230"/>
          <item value="2" label="+2 m" color="#053061" alpha="230"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
