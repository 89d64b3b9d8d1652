// Edge solver (`Flow`).
#include "axis.h"

TWIN(face) { x.give(Flow(constants + 4).face(x.real())); }

TWIN(cross)
{
    const Flow solver(constants + 4);
    Edge edge;
    edge.difference = x.real();
    edge.depth = x.real();
    edge.donor = x.real();
    edge.roughness = x.real();
    edge.transverse = x.real();
    edge.discharge = x.real();
    edge.behind = x.real();
    edge.ahead = x.real();
    const FaceFlux crossing = solver.cross(solver.terms(axis_of(constants)), edge);
    x.give(crossing.grains);
    x.give(crossing.cut);
    x.give(crossing.discharge);
    x.give(crossing.velocity);
    x.give(crossing.wave);
    x.give(crossing.held);
    x.give(crossing.cfl_rate);
}
