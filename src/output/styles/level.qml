<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" classificationMin="{{t0}}" classificationMax="{{t5}}">
      <minMaxOrigin>
        <limits>None</limits>
      </minMaxOrigin>
      <rastershader>
        <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="{{t0}}" maximumValue="{{t5}}">
          <item value="{{t0}}" label="{{l0}}" color="#440154" alpha="225"/>
          <item value="{{t1}}" label="{{l1}}" color="#414487" alpha="225"/>
          <item value="{{t2}}" label="{{l2}}" color="#2a788e" alpha="225"/>
          <item value="{{t3}}" label="{{l3}}" color="#22a884" alpha="225"/>
          <item value="{{t4}}" label="{{l4}}" color="#7ad151" alpha="225"/>
          <item value="{{t5}}" label="{{l5}}" color="#fde725" alpha="225"/>
          <rampLegendSettings useContinuousLegend="0"/>
        </colorrampshader>
      </rastershader>
    </rasterrenderer>
  </pipe>
</qgis>
