<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="{{t0}}" classificationMax="{{t5}}">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="{{t0}}" maximumValue="{{t5}}">
          <item value="{{t0}}" label="{{l0}}" color="#f6e8c3" alpha="0"/>
          <item value="{{t1}}" label="{{l1}}" color="#dfc27d" alpha="140"/>
          <item value="{{t2}}" label="{{l2}}" color="#a6c28a" alpha="155"/>
          <item value="{{t3}}" label="{{l3}}" color="#5ab4ac" alpha="170"/>
          <item value="{{t4}}" label="{{l4}}" color="#1f8a80" alpha="185"/>
          <item value="{{t5}}" label="{{l5}}" color="#01665e" alpha="200"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
