// Local inertia: the twin of src/engine/solver/inertial.rs, statement by statement, except that dry
// edges are distinguished here.
#pragma once
#include "edge.cuh"
#include "roots.cuh"
#include "friction.cuh"

struct Inertial {
    static constexpr bool REMEMBERS = true;
    static constexpr bool CAPPED = false;
    static constexpr bool MOMENTUM = false;
    static constexpr int ORDER = 1;

    static constexpr float G = 9.81f;
    static constexpr float ROOT_G = 3.132092f;
    static constexpr float BLEND = 0.05f;
    static constexpr float COURANT = 0.5f;

    struct Terms {
        float push;
        float push_over_length;
        float blend;
        float grains;
        float per_speed;
    };

    __device__ explicit Inertial(const float *) {}

    __device__ __forceinline__ Terms terms(const Axis &axis) const
    {
        const float steps = axis.dt * axis.inverse_length;
        Terms terms;
        terms.push = G * axis.dt;
        terms.push_over_length = G * steps;
        terms.blend = BLEND * ROOT_G * steps;
        terms.grains = steps * axis.per_metre;
        terms.per_speed = axis.inverse_length * (1.0f / COURANT);
        return terms;
    }

    __device__ __forceinline__ float face(float) const { return 0.0f; }

    // The discharge of an edge, or of another one if it is closed.
    static __device__ __forceinline__ float open(float edge, float other) { return edge != 0.0f ? edge : other; }

    __device__ __forceinline__ FaceFlux flux(const Terms &terms, const Edge &edge) const
    {
        const float h = edge.depth;
        const float s = inverse_sixth_root(TABLES ? higher(edge.ground.friction, DRY) : h);
        const float s2 = s * s;
        const float s3 = s2 * s;
        const float one_inverse = s3 * s3;
        const float hydraulic = TABLES ? edge.ground.wave(h) : h;
        const float root_of_h = TABLES ? root_of_positive(hydraulic) : h * s3;
        const float inverse = TABLES ? reciprocal(h) : one_inverse;
        const float steep = (inverse * one_inverse) * s2;
        // de Almeida et al. 2012, eq. 7
        const float blend = lower(terms.blend * root_of_h, 1.0f);
        const float mean = 0.5f * (open(edge.behind, edge.discharge) + open(edge.ahead, edge.discharge));
        const float before = fused(blend, mean - edge.discharge, edge.discharge);
        // Bates et al. 2010, eq. 7
        const float free = before_friction(fused(terms.push_over_length * h, edge.difference, before), edge.wet);
        const float resistance = (terms.push * (edge.roughness * edge.roughness)) * steep;
        const float wanted = with_friction(fabsf(free), edge.transverse, resistance);
        const float wave = ROOT_G * root_of_h;
        const float critical = wave * h;
        const float most = hydraulic > DEEP ? critical : 3.40282347e38f;
        const float size = lower(wanted, most);
        const float discharge = with_sign_of(free, size);
        const float velocity = discharge * inverse;
        float speed = fused(size, inverse, wave);
        if (TABLES) speed = higher(speed, (size * inverse) * edge.ground.empties(h));
        FaceFlux flux;
        flux.grains = discharge * terms.grains;
        flux.cut = 0.0f;
        flux.discharge = discharge;
        flux.velocity = velocity;
        flux.wave = wave;
        flux.critical = wanted > most;
        flux.cfl_rate = edge.wet ? speed * terms.per_speed : 0.0f;
        return flux;
    }
};
