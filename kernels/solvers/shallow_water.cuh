// The full shallow-water equations: the twin of src/engine/solver/shallow_water.rs, statement by
// statement.
#pragma once
#include "momentum.cuh"
#include "roots.cuh"
#include "friction.cuh"

template <int SPACE>
struct ShallowWater {
    static constexpr bool MOMENTUM = true;
    static constexpr bool REMEMBERS = false;
    static constexpr bool CAPPED = false;
    static constexpr int ORDER = SPACE;

    static constexpr float G = 9.81f;
    static constexpr float ROOT_G = 3.132092f;
    static constexpr float COURANT = 0.5f;
    static constexpr float VISCOSITY = SPACE == 1 ? 0.2f : 0.4f;
    static constexpr float FREE_FALL = 0.5443311f;

    struct Terms {
        float steps;
        float push;
        float gravity;
        float shock;
        float over; // 1 / steps
    };

    __device__ explicit ShallowWater(const float *) {}

    __device__ __forceinline__ Terms terms(const Axis &axis) const
    {
        Terms terms;
        terms.steps = axis.dt * axis.inverse_length;
        terms.push = G * terms.steps;
        terms.gravity = G * axis.dt;
        terms.shock = (2.0f * VISCOSITY) * ROOT_G;
        terms.over = reciprocal(terms.steps);
        return terms;
    }

    // (SW 1)
    static __device__ __forceinline__ float donor_depth(float rise, float behind, float ahead, float velocity)
    {
        const float from_behind = behind + lower(rise, 0.0f);
        const float from_ahead = ahead - higher(rise, 0.0f);
        return velocity > 0.0f ? from_behind : from_ahead;
    }

    // (SW2 1)
    static __device__ __forceinline__ float flux_depth(const Terms &terms, const FluxStencil &edge)
    {
        const bool on = edge.velocity > 0.0f;
        const Slope &a = edge.slopes[0];
        const Slope &b = edge.slopes[1];
        const float held = on ? edge.depth[0] : edge.depth[1];
        const float climb = on ? -edge.rise : edge.rise;
        const float level = on ? a.level : -b.level;
        const float slope = on ? a.depth : -b.depth;
        const float their_level = on ? b.level : -a.level;
        const float their_slope = on ? b.depth : -a.depth;
        const float own_bed = 0.5f * (level - slope);
        const float bed = higher(own_bed, fused(-0.5f, their_level - their_slope, climb));
        const float goes = between_0_and_1(terms.steps * fabsf(edge.velocity));
        float h = fused(goes, -0.5f * slope, fused(0.5f, level, held)) - bed;
        const float from = on ? edge.line[0] : -edge.line[1];
        float spreads = (fabsf(edge.velocity) - from) * h - from * (bed - own_bed);
        spreads = (terms.steps * (on ? a.wet : b.wet)) * spreads;
        const float most = 0.5f * h;
        h = h - higher(lower(spreads, most), -most);
        return lower(h, held + held);
    }

    // (SW2 5)
    static __device__ __forceinline__ float half_less(const Terms &terms, float velocity)
    {
        return fused(-0.5f, between_0_and_1(terms.steps * fabsf(velocity)), 0.5f);
    }

    __device__ __forceinline__ float discharge(const Terms &terms, const FluxStencil &edge) const
    {
        const float depth = ORDER == 1 ? donor_depth(edge.rise, edge.depth[0], edge.depth[1], edge.velocity) : flux_depth(terms, edge);
        return depth > DRY ? edge.velocity * depth : 0.0f;
    }

    // Velocity excess of an edge over another, limited by the excess of its stream. (SW 5)
    static __device__ __forceinline__ float faster(float other, float own, float other_stream, float own_stream)
    {
        return minmod(other - own, other_stream - own_stream);
    }

    // The excess, but 0 if the other edge is closed.
    static __device__ __forceinline__ float open_only(float other, float faster) { return other != 0.0f ? faster : 0.0f; }

    // Velocity excess over an edge of the water that enters from across beside a closed edge, whose
    // line has the given velocities behind and ahead; 0 where its own line ends in the donor. (SW 5)
    static __device__ __forceinline__ float turned(float own, float behind, float ahead, float against_behind, float against_ahead)
    {
        const float ran = higher(against_behind, 0.0f) + lower(against_ahead, 0.0f);
        const float least = 0.0f > ran ? lower(ran, ahead) : ran;
        const float most = ran > 0.0f ? higher(ran, behind) : ran;
        const float from = own > 0.0f ? behind : own < 0.0f ? ahead : 0.0f;
        return from != 0.0f ? lower(higher(own, least), most) - own : 0.0f;
    }

    // The part of a discharge that starts from rest: the part not fed from across, if the line ends
    // there. (SW 5)
    static __device__ __forceinline__ float unfed(float discharge, float behind, float ahead, float fed_behind, float fed_ahead)
    {
        const bool on = discharge > 0.0f;
        const float unfed = higher(fabsf(discharge) - higher(on ? fed_behind : fed_ahead, 0.0f), 0.0f);
        return (on ? behind : ahead) != 0.0f ? 0.0f : unfed;
    }

    // A crest: the height by which the climb on an edge exceeds that on the edge behind or that on the edge ahead,
    // whichever is less, and the velocity on the edge behind, 0 if it is not towards the edge. There is none if the
    // height is not positive. (SW 12)
    struct Crest {
        float height;
        float from;
    };

    // The least flows along an edge's line, through the cells behind and ahead, that keep the head where the bed climbs and
    // the flow becomes faster, twice; otherwise 0. (SW 4)
    struct Least {
        float behind;
        float ahead;
    };

    // Finds these flows, and a crest. `depth` is the mean one of both cells. OPEN as below.
    template <bool OPEN>
    static __device__ __forceinline__ Crest climb(float own, float line_behind, float line_ahead, float rise, float rise_behind, float rise_ahead,
                                                  float depth, Least &least)
    {
        const bool on = own > 0.0f;
        const float from = on ? line_behind : -line_ahead;
        const float to = on ? line_ahead : -line_behind;
        const float climb = on ? -rise : OPEN || own < 0.0f ? rise : 0.0f;
        const float size = fabsf(own);
        const float keeps = from > 0.0f && size > from && climb > 0.0f ? (from + size) * depth : 0.0f;
        least = {on ? keeps : 0.0f, on ? 0.0f : keeps};
        // A closed edge may have any bed beyond it.
        const float before = from > 0.0f ? on ? -rise_behind : rise_ahead : 0.0f;
        const float after = to > 0.0f ? on ? -rise_ahead : rise_behind : climb;
        return {climb - lower_or_0(before, after), higher(from, 0.0f)};
    }

    // Limits a speed to that of the critical discharge over a crest, given the celerity before it, and one
    // divided by the depth for friction. (SW 12)
    static __device__ __forceinline__ float over_crest(float speed, float wave, float inverse, const Crest &crest)
    {
        const float head = ((0.5f / G) * crest.from) * (crest.from * inverse);
        const float of_head = fused(fused(0.375f * FREE_FALL, head, 1.5f * FREE_FALL), head, FREE_FALL);
        const float low = between_0_and_1(fused(-4.0f * crest.height, inverse, 1.0f)); // over a crest it is never more
        const float most = (of_head + low) * wave;
        return crest.height > 0.0f ? lower(speed, most) : speed;
    }

    // Depth of a cell's water above the higher bed at an edge; negative if its level is lower.
    static __device__ __forceinline__ float over_edge(float depth, float height, float climb)
    {
        const float over = height - higher(climb, 0.0f);
        return TABLES ? lower(over, depth) : over; // which is never more without tables
    }

    // Flow across an edge into the cell ahead, as far as it counts as compression, given the depth of its
    // water and that above the higher bed at the edge; and the flow out of the cell behind. (SW 6)
    static __device__ __forceinline__ float enters(float velocity, float depth, float over)
    {
        return velocity * (velocity > 0.0f ? over : depth);
    }
    static __device__ __forceinline__ float leaves(float velocity, float depth, float over)
    {
        return velocity * (velocity > 0.0f ? depth : over);
    }

    // Compression along the line in a cell. (SW 6)
    static __device__ __forceinline__ float squeezed(float along, float across)
    {
        return lower_or_0(along, along + across);
    }

    // Limited slopes of an edge's velocity and of those before and after it. (SW2 5)
    struct Slopes {
        float before;
        float own;
        float after;
    };

    static __device__ __forceinline__ Slopes slopes(float behind, float ahead, float excess_behind, float excess_ahead, float far_behind,
                                                    float far_ahead)
    {
        const float first = -excess_behind;
        const float from_far = far_behind != 0.0f ? behind - far_behind : 0.0f;
        const float to_far = far_ahead != 0.0f ? far_ahead - ahead : 0.0f;
        return {minmod(from_far, first), minmod(first, excess_ahead), minmod(excess_ahead, to_far)};
    }

    // Velocity half a cell ahead of an edge (1) or behind it (-1), given its slope. (SW2 5)
    template <int WAY>
    static __device__ __forceinline__ float half_way(float velocity, float slope)
    {
        return ORDER == 1 ? velocity : fused(0.5f * WAY, slope, velocity);
    }

    // What the momentum of an edge depends on at second order: slopes of the velocity along its line
    // and beside it, (SW2 5)'s part of the way for the edges along the line, and for the transverse
    // ones before and after.
    struct SecondOrder {
        Slopes line;
        Slopes beside;
        Slopes half;
        float north;
        float south;
    };

    // Values of an edge computed before its velocity is updated; values of a cell are shared by
    // both its edges.
    struct Drive {
        float difference;
        float a; // depths behind and ahead
        float b;
        float over_a; // above the higher bed
        float over_b;
        float roughness;
        float u;
        float momentum; // momentum of the inflow, divided by the water's depth
        float unfed; // discharge that starts from rest
        float most;  // upper bound on the inflow
        float shock;
        float beside; // transverse discharge
        Crest crest;
        Tabled ground; // with subgrid tables
    };

    // Velocity excess of the water from around an edge.
    struct Excess {
        float behind;
        float ahead;
        float north;
        float south;
    };

    // Flow through the cells behind and ahead of an edge and across the transverse edges before and
    // after: what flows towards it is positive.
    struct FlowsTo {
        float behind;
        float ahead;
        float north;
        float south;
    };

    // The momentum that flows to an edge, and the bound on the flow. (SW 4), (SW2 5)
    static __device__ __forceinline__ void bring(const FlowsTo &to, const Least &least, const Excess &excess, const SecondOrder &second, Drive &drive)
    {
        const float ib = higher(to.behind, least.behind);
        const float ia = higher(to.ahead, least.ahead);
        const float i_n = higher(to.north, 0.0f);
        const float i_s = higher(to.south, 0.0f);
        const float flows_in = (ib + ia) + (i_n + i_s);
        if (ORDER == 1) {
            drive.momentum = (ib * excess.behind + ia * excess.ahead) + (i_n * excess.north + i_s * excess.south);
            drive.most = flows_in;
            return;
        }
        const float ob = higher(-to.behind, 0.0f);
        const float oa = higher(-to.ahead, 0.0f);
        const float on = higher(-to.north, 0.0f);
        const float os = higher(-to.south, 0.0f);
        const Slopes &l = second.line;
        const Slopes &t = second.beside;
        const float from_behind = fused(second.half.before, l.before, excess.behind);
        const float from_ahead = fused(-second.half.after, l.after, excess.ahead);
        const float along = fused(ob - oa, second.half.own * l.own, ib * from_behind + ia * from_ahead);
        const float from_north = fused(second.north, t.before, excess.north);
        const float from_south = fused(-second.south, t.after, excess.south);
        const float across = fused(on * second.north - os * second.south, t.own, i_n * from_north + i_s * from_south);
        const float flows_out = (ob + oa) + (on + os);
        drive.momentum = along + across;
        drive.most = higher(flows_in, flows_out);
    }

    // A celerity as far as it limits the step: one above that on a dry edge, which has no velocity.
    static __device__ __forceinline__ float counted(float celerity) { return TABLES || celerity > ROOT_G * root(DRY) ? celerity : 0.0f; }

    // (SW 3), (SW 7) to (SW 10), (SW 12). OPEN as below.
    template <bool OPEN>
    __device__ __forceinline__ NewVelocity driven(const Terms &terms, const Drive &edge) const
    {
        const float a = edge.a;
        const float b = edge.b;
        // (SW 7)
        const float holds = highest(terms.over * (a + b), terms.over * DRY, edge.most);
        const float carried = OPEN ? edge.momentum : fused(-edge.unfed, edge.u, edge.momentum);
        const float brought = fused(terms.shock, edge.shock, carried);
        const float mixed = fused(reciprocal(holds), brought, edge.u);
        const float free = fused(terms.push, edge.difference, mixed);
        // (SW 8)
        const float flat_donor = free > 0.0f ? edge.over_a : edge.over_b;
        const Section section = TABLES ? edge.ground.given(free) : Section{flat_donor, flat_donor};
        const float given = section.depth;
        // (SW 3)
        const float face = TABLES ? given : higher(edge.over_a, edge.over_b);
        // (SW 9)
        const float c = rough_inverse_cube_root(higher(section.friction, DRY));
        const float inverse = (c * c) * c;
        const float resistance = (terms.gravity * (edge.roughness * edge.roughness)) * (inverse * c);
        const float slow = before_friction(free, given > DRY);
        const float per_depth = TABLES ? reciprocal(higher(given, DRY)) : inverse;
        float size = with_friction(fabsf(slow), edge.beside * per_depth, resistance);
        // (SW 10)
        NewVelocity updated;
        const float held = higher(face, DRY);
        updated.wave = ROOT_G * root_of_positive(TABLES ? edge.ground.wave(held) : held);
        // (SW 12)
        const float over = TABLES ? higher(free > 0.0f ? edge.ground.over[0] : edge.ground.over[1], 0.0f) : 0.0f;
        const float before = TABLES ? (ROOT_G * root(over)) * (over * inverse) : updated.wave;
        size = over_crest(size, before, inverse, edge.crest);
        updated.velocity = with_sign_of(slow, size);
        float fastest = size + updated.wave;
        if (TABLES) fastest = higher(fastest, size * edge.ground.empties(given, free));
        updated.celerity = TABLES && !(face > DRY) ? 0.0f : fastest;
        updated.depth = face;
        updated.discharge = updated.velocity * given;
        return updated;
    }

    // OPEN: no edge along the line or beside it is closed, and each is its own stream.
    template <bool OPEN>
    __device__ __forceinline__ NewVelocity new_velocity(const Terms &terms, const MomentumStencil &edge) const
    {
        Drive drive;
        drive.difference = edge.difference;
        drive.a = edge.depth[0];
        drive.b = edge.depth[1];
        drive.roughness = edge.roughness;
        drive.u = edge.velocity;
        const float u = edge.velocity;
        // (SW 4)
        Least least;
        drive.crest = climb<OPEN>(u, edge.line[0], edge.line[1], edge.rise, edge.line_rise[0], edge.line_rise[1], 0.5f * (drive.a + drive.b),
                                  least);
        const FlowsTo to = {edge.flows[0] + edge.discharge, -(edge.discharge + edge.flows[1]), edge.transverse[0] + edge.transverse[1], -(edge.transverse[2] + edge.transverse[3])};
        // (SW 5)
        const Streams &streams = edge.streams;
        const auto compared = [&](float other, float other_stream) {
            return OPEN ? other - u : open_only(other, faster(other, u, other_stream, streams.own));
        };
        Excess excess = {compared(edge.line[0], streams.line[0]), compared(edge.line[1], streams.line[1]),
                               compared(edge.beside[0], streams.beside[0]), compared(edge.beside[1], streams.beside[1])};
        SecondOrder second = {};
        if (ORDER > 1) {
            second.line = slopes(edge.line[0], edge.line[1], excess.behind, excess.ahead, edge.far_line[0], edge.far_line[1]);
            second.beside = slopes(edge.beside[0], edge.beside[1], excess.north, excess.south, edge.far_beside[0], edge.far_beside[1]);
            second.half = {half_less(terms, edge.line[0]), half_less(terms, u), half_less(terms, edge.line[1])};
            second.north = half_less(terms, 0.5f * (edge.across[0] + edge.across[1]));
            second.south = half_less(terms, 0.5f * (edge.across[2] + edge.across[3]));
        }
        if (!OPEN) {
            const auto turned_to = [&](int k) { return turned(u, edge.line[0], edge.line[1], edge.corners[2 * k], edge.corners[2 * k + 1]); };
            if (edge.beside[0] == 0.0f) excess.north = turned_to(0);
            if (edge.beside[1] == 0.0f) excess.south = turned_to(1);
        }
        bring(to, least, excess, second, drive);
        drive.unfed = OPEN ? 0.0f
                           : unfed(edge.discharge, edge.line[0], edge.line[1], edge.transverse[0] - edge.transverse[2],
                                   edge.transverse[1] - edge.transverse[3]);
        // (SW 6)
        const Slopes &line = second.line;
        drive.over_a = over_edge(drive.a, edge.height[0], -edge.rise);
        drive.over_b = over_edge(drive.b, edge.height[1], edge.rise);
        const float over_behind = over_edge(drive.a, edge.height[0], edge.line_rise[0]);
        const float over_ahead = over_edge(drive.b, edge.height[1], -edge.line_rise[1]);
        const float gains_a = enters(half_way<1>(edge.line[0], line.before), drive.a, over_behind) -
                              leaves(half_way<-1>(u, line.own), drive.a, drive.over_a);
        const float gains_b = enters(half_way<1>(u, line.own), drive.b, drive.over_b) -
                              leaves(half_way<-1>(edge.line[1], line.after), drive.b, over_ahead);
        const float along_a = squeezed(gains_a, drive.a * (edge.across[0] - edge.across[2]));
        const float along_b = squeezed(gains_b, drive.b * (edge.across[1] - edge.across[3]));
        const float squeezed_a = edge.shocks[0] * (OPEN ? along_a : open_only(edge.line[0], along_a));
        const float squeezed_b = edge.shocks[1] * (OPEN ? along_b : open_only(edge.line[1], along_b));
        if (TABLES) drive.ground = edge.ground;
        const float wave_a = TABLES ? edge.ground.celerity(0) : root(drive.a);
        const float wave_b = TABLES ? edge.ground.celerity(1) : root(drive.b);
        drive.shock = wave_a * squeezed_a - wave_b * squeezed_b;
        drive.beside = agreed(range_of(range_of_open(edge.transverse[0], edge.transverse[1]), range_of_open(edge.transverse[2], edge.transverse[3])));
        return driven<OPEN>(terms, drive);
    }
};
