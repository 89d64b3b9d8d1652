// Edges of rules that carry momentum: the twin of src/engine/rule/momentum.rs, which explains it.
#pragma once
#include "edge.cuh"

struct Slope {
    float depth;
    float level;
    float wet;
};

struct Passage {
    float rise;
    float depth[2];
    float velocity;
    float line[2];
    Slope slopes[2];
};

struct Turns {
    float along[3];
    float across[3];
    float crossing[4];
};

struct Bend {
    float difference;
    float rise;
    float depth[2];
    float roughness;
    float velocity;
    float line[2];
    float beside[2];
    float discharge;
    float flows[2];
    float crossing[4];
    float goes_on[2];
    Turns turns;
};

struct Turned {
    float velocity;
    float celerity;
    float wave;
    float depth;
};
