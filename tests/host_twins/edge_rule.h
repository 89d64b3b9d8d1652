// Edge rule (`Flow`).
#include "axis.h"

TWIN(face) { x.give(Flow(constants + 4).face(x.real())); }

TWIN(cross)
{
    const Flow rule(constants + 4);
    Edge edge;
    edge.difference = x.real();
    edge.depth = x.real();
    edge.giver = x.real();
    edge.roughness = x.real();
    edge.transverse = x.real();
    edge.discharge = x.real();
    edge.behind = x.real();
    edge.ahead = x.real();
    const Crossing crossing = rule.cross(rule.terms(axis_of(constants)), edge);
    x.give(crossing.grains);
    x.give(crossing.cut);
    x.give(crossing.discharge);
    x.give(crossing.velocity);
    x.give(crossing.wave);
    x.give(crossing.held);
    x.give(crossing.cfl_rate);
}
