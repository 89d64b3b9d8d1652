// Edge solver (`Flow`).
#include "axis.h"

TWIN(face) { x.give(Flow(constants + 4).face(x.real())); }

TWIN(flux)
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
    const FaceFlux flux = solver.flux(solver.terms(axis_of(constants)), edge);
    x.give(flux.grains);
    x.give(flux.cut);
    x.give(flux.discharge);
    x.give(flux.velocity);
    x.give(flux.wave);
    x.give(flux.critical);
    x.give(flux.cfl_rate);
}
