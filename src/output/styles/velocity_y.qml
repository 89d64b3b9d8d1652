<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="-4" classificationMax="4">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="-4" maximumValue="4">
          <item value="-4" label="4 m/s south" color="#4d004b" alpha="255"/>
          <item value="-2" label="2 m/s south" color="#810f7c" alpha="250"/>
          <item value="-1" label="1 m/s south" color="#8c6bb1" alpha="235"/>
          <item value="-0.5" label="0.5 m/s south" color="#9ebcda" alpha="210"/>
          <item value="-0.1" label="0.1 m/s south" color="#d3dcec" alpha="150"/>
          <item value="-0.01" label="still" color="#f7f7f7" alpha="0"/>
          <item value="0.01" label="still" color="#f7f7f7" alpha="0"/>
          <item value="0.1" label="0.1 m/s north" color="#fde8c8" alpha="150"/>
          <item value="0.5" label="0.5 m/s north" color="#fdbb84" alpha="210"/>
          <item value="1" label="1 m/s north" color="#ef6548" alpha="235"/>
          <item value="2" label="2 m/s north" color="#b30000" alpha="250"/>
          <item value="4" label="4 m/s north" color="#67000d" alpha="255"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
