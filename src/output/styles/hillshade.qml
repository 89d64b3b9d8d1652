<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
  <pipe>
    <rasterrenderer type="hillshade" band="1" opacity="0.8" alphaBand="-1" nodataColor="" azimuth="315" angle="45" zfactor="{{z}}" multidirection="1"/>
    <brightnesscontrast brightness="38" contrast="15" gamma="1"/>
    <rasterresampler zoomedInResampler="bilinear" zoomedOutResampler="cubic" maxOversampling="2"/>
    <resamplingStage>resamplingFilter</resamplingStage>
  </pipe>
  <blendMode>6</blendMode>
</qgis>
