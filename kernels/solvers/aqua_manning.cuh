// Manning's equation on every edge: the twin of src/engine/solver/aqua_manning.rs, statement by
// statement, except that dry edges are distinguished here.
#pragma once
#include "edge.cuh"
#include "roots.cuh"

struct AquaManning {
    static constexpr bool REMEMBERS = false;
    static constexpr bool CAPPED = true;
    static constexpr bool MOMENTUM = false;
    static constexpr int ORDER = 1;
    static constexpr float ROOT_G = 3.132092f;

    static constexpr float OF_DIFFERENCE = 0.2f;
    static constexpr float OF_WATER = 0.25f;
    static constexpr float LEAST_SLOPE = 1e-3f;
    static constexpr float LEAST_SLOPE_ROOT = 31.622777f;
    static constexpr float NO_SLOPE = 1e-24f;

    struct Terms {
        float inverse_length;
        float inverse_width;
        float least_difference;
        float grains;
        float per_metre;
        float discharge;
    };

    __device__ explicit AquaManning(const float *) {}

    __device__ __forceinline__ Terms terms(const Axis &axis) const
    {
        Terms terms;
        terms.inverse_length = axis.inverse_length;
        terms.inverse_width = axis.inverse_width;
        terms.least_difference = divide(LEAST_SLOPE, axis.inverse_length);
        terms.grains = axis.dt * axis.per_metre;
        terms.per_metre = axis.per_metre;
        terms.discharge = reciprocal(terms.grains * axis.inverse_length);
        return terms;
    }

    __device__ __forceinline__ float face(float difference) const { return difference; }

    __device__ __forceinline__ FaceFlux flux(const Terms &terms, const Edge &edge) const
    {
        const float size = fabsf(edge.difference);
        const float along = size * terms.inverse_length;
        const float across = edge.transverse * terms.inverse_width;
        const float squared = higher(fused(along, along, across * across), NO_SLOPE);
        const float root = inverse_fourth_root(squared);
        const float s = inverse_sixth_root(edge.depth);
        const float per_roughness = reciprocal(edge.roughness) * terms.inverse_length;
        const float conveyance = ((edge.depth * edge.depth) * (s * s)) * per_roughness;
        const float wanted = edge.wet ? (conveyance * along) * root : 0.0f;
        const float of_water = OF_WATER * edge.donor;
        const float cap = lower(OF_DIFFERENCE * size, of_water);
        const float wanted_grains = wanted * terms.grains;
        const float grains = lower(wanted_grains, cap * terms.per_metre);
        const float counted = (conveyance * higher(along, LEAST_SLOPE)) * lower(root, LEAST_SLOPE_ROOT);
        const float difference = higher(size, terms.least_difference);
        const float allowed = lower(OF_DIFFERENCE * difference, of_water);
        FaceFlux flux;
        flux.cut = wanted_grains - grains;
        flux.grains = 0.0f > edge.difference ? 0.0f - grains : grains;
        flux.discharge = flux.grains * terms.discharge;
        const float s3 = (s * s) * s;
        flux.velocity = flux.discharge * (s3 * s3);
        flux.wave = ROOT_G * (edge.depth * s3);
        flux.critical = false;
        flux.cfl_rate = size > 0.0f && edge.wet ? counted * reciprocal(allowed) : 0.0f;
        return flux;
    }
};
