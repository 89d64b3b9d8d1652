
  <labeling type="simple">
    <settings calloutType="simple">
      <text-style fieldName="{{field}}" isExpression="0" fontFamily="Sans Serif" fontSize="9" fontSizeUnit="Point" fontWeight="75" textColor="{{ink}},255" textOpacity="1">
        <text-buffer bufferDraw="1" bufferSize="0.8" bufferSizeUnits="MM" bufferColor="255,255,255,255" bufferOpacity="1" bufferNoFill="1" bufferJoinStyle="128"/>
      </text-style>
      <placement placement="{{placement}}" placementFlags="14" overrunDistance="40" overrunDistanceUnit="MM" dist="1.6" distUnits="MM" offsetType="1" predefinedPositionOrder="TR,TL,BR,BL,R,L,TSR,BSR" priority="8"/>
      <rendering drawLabels="1" obstacle="1" obstacleFactor="2" displayAll="{{all}}" scaleVisibility="0" fontLimitPixelSize="0"/>
    </settings>
  </labeling>