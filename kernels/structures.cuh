// Structures on edges: the twin of src/engine/forcing/structures/mod.rs; the law of a kind is a header in structures/.
#pragma once
#include "edge.cuh"
#include "sites.cuh"

// A structure on the edge east (0) or south (1) of a cell of a frame.
struct Structure {
    unsigned column;
    unsigned row;
    unsigned axis;
    unsigned kind;     // which law it has
    int crest;         // above the datum (2^-16 m)
    float numbers[3];  // what its law has as parameters
};

// Those of a frame, and what laws know of the step.
struct Structures {
    const Structure *structures;
    const Increment *rates;
    const long long *levels;
    const float *tables;
    Count count;
    Count told; // whether the water moves with the discharges that edges have
};
