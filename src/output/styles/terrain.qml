<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="{{t0}}" classificationMax="{{t5}}">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="{{t0}}" maximumValue="{{t5}}">
          <item value="{{t0}}" label="{{l0}}" color="#e4ecdc" alpha="255"/>
          <item value="{{t1}}" label="{{l1}}" color="#eff0e2" alpha="255"/>
          <item value="{{t2}}" label="{{l2}}" color="#f5eedd" alpha="255"/>
          <item value="{{t3}}" label="{{l3}}" color="#ede0cc" alpha="255"/>
          <item value="{{t4}}" label="{{l4}}" color="#e2d5c6" alpha="255"/>
          <item value="{{t5}}" label="{{l5}}" color="#f8f6f4" alpha="255"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
