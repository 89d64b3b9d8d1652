<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="{{t0}}" classificationMax="{{t5}}">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="{{t0}}" maximumValue="{{t5}}">
          <item value="{{t0}}" label="{{l0}}" color="#edf8fb" alpha="0"/>
          <item value="{{t1}}" label="{{l1}}" color="#bfd3e6" alpha="200"/>
          <item value="{{t2}}" label="{{l2}}" color="#9ebcda" alpha="215"/>
          <item value="{{t3}}" label="{{l3}}" color="#8c96c6" alpha="230"/>
          <item value="{{t4}}" label="{{l4}}" color="#8856a7" alpha="240"/>
          <item value="{{t5}}" label="{{l5}}" color="#6d016b" alpha="250"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
