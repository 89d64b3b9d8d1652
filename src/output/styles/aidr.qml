<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="0" classificationMax="6">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="EXACT" classificationMode="1" clip="0" minimumValue="0" maximumValue="6">
          <item value="0" label="dry" color="#a6cee3" alpha="0"/>
          <item value="1" label="H1: generally safe" color="#a6cee3" alpha="230"/>
          <item value="2" label="H2: unsafe for small vehicles" color="#7fc97f" alpha="230"/>
          <item value="3" label="H3: unsafe for vehicles, children and the elderly" color="#ffeb7f" alpha="230"/>
          <item value="4" label="H4: unsafe for people and vehicles" color="#fdae61" alpha="230"/>
          <item value="5" label="H5: unsafe for people and vehicles; buildings need special design" color="#e6550d" alpha="230"/>
          <item value="6" label="H6: unsafe for people and vehicles; all buildings may fail" color="#8b1a1a" alpha="230"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
