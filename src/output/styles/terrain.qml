<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="{{t0}}" classificationMax="{{t5}}">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="{{t0}}" maximumValue="{{t5}}">
          <item value="{{t0}}" label="{{l0}}" color="#dfe6d3" alpha="255"/>
          <item value="{{t1}}" label="{{l1}}" color="#eceadb" alpha="255"/>
          <item value="{{t2}}" label="{{l2}}" color="#f0e6d2" alpha="255"/>
          <item value="{{t3}}" label="{{l3}}" color="#e6d6bf" alpha="255"/>
          <item value="{{t4}}" label="{{l4}}" color="#dacbb8" alpha="255"/>
          <item value="{{t5}}" label="{{l5}}" color="#f4f1ee" alpha="255"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
