// Solver with momentum (`Flow`).
#include "axis.h"

TWIN(discharge)
{
    const Flow solver(constants + 4);
    FluxStencil edge;
    edge.rise = x.real();
    x.reals(edge.depth);
    edge.velocity = x.real();
    x.reals(edge.line);
    for (Slope &slope : edge.slopes) {
        slope.depth = x.real();
        slope.level = x.real();
        slope.wet = x.real();
    }
    x.give(solver.discharge(solver.terms(axis_of(constants)), edge));
}

TWIN(new_velocity)
{
    const Flow solver(constants + 4);
    MomentumStencil edge;
    edge.difference = x.real();
    edge.rise = x.real();
    x.reals(edge.depth);
    edge.roughness = x.real();
    edge.velocity = x.real();
    x.reals(edge.line);
    x.reals(edge.beside);
    edge.discharge = x.real();
    x.reals(edge.flows);
    x.reals(edge.transverse);
    x.reals(edge.across);
    edge.streams.own = x.real();
    x.reals(edge.streams.line);
    x.reals(edge.streams.beside);
    x.reals(edge.far_line);
    x.reals(edge.far_beside);
    x.reals(edge.corners);
    x.reals(edge.shocks);
    x.reals(edge.line_rise);
    for (int k = 0; k < 2; k++) edge.height[k] = edge.depth[k];
    const NewVelocity updated = solver.new_velocity<false>(solver.terms(axis_of(constants)), edge);
    x.give(updated.velocity);
    x.give(Flow::counted(updated.celerity));
    x.give(updated.wave);
    x.give(updated.depth);
}

TWIN(stream)
{
    float u[7];
    x.reals(u);
    x.give(stream(u[0], u[1], u[2], u[3], u[4], u[5], u[6]));
}
