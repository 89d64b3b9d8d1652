// A rule with momentum, `Flow`.
#include "axis.h"

TWIN(discharge)
{
    const Flow rule(constants + 4);
    Passage edge;
    edge.rise = x.real();
    x.reals(edge.depth);
    edge.velocity = x.real();
    x.reals(edge.line);
    for (Slope &slope : edge.slopes) {
        slope.depth = x.real();
        slope.level = x.real();
        slope.wet = x.real();
    }
    x.give(rule.discharge(rule.terms(axis_of(constants)), edge));
}

TWIN(turn)
{
    const Flow rule(constants + 4);
    Bend edge;
    edge.difference = x.real();
    edge.rise = x.real();
    x.reals(edge.depth);
    edge.roughness = x.real();
    edge.velocity = x.real();
    x.reals(edge.line);
    x.reals(edge.beside);
    edge.discharge = x.real();
    x.reals(edge.flows);
    x.reals(edge.crossing);
    x.reals(edge.goes_on);
    x.reals(edge.turns.along);
    x.reals(edge.turns.across);
    x.reals(edge.turns.crossing);
    const Turned turned = rule.turn(rule.terms(axis_of(constants)), edge);
    x.give(turned.velocity);
    x.give(turned.celerity);
    x.give(turned.wave);
    x.give(turned.depth);
}
