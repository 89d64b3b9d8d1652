<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="{{t0}}" classificationMax="{{t5}}">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="{{t0}}" maximumValue="{{t5}}">
          <item value="{{t0}}" label="{{l0}}" color="#0d0887" alpha="230"/>
          <item value="{{t1}}" label="{{l1}}" color="#6a00a8" alpha="230"/>
          <item value="{{t2}}" label="{{l2}}" color="#b12a90" alpha="230"/>
          <item value="{{t3}}" label="{{l3}}" color="#e16462" alpha="230"/>
          <item value="{{t4}}" label="{{l4}}" color="#fca636" alpha="230"/>
          <item value="{{t5}}" label="{{l5}}" color="#f0f921" alpha="230"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
