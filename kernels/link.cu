// Links move water between cells at the start of a step: the twin of src/engine/forcing/link.rs,
// which has the documentation. One thread handles all links that share cells, in sequence.
#include "params.cuh"
#include "after_flow.cuh"
#include "structures.cuh"
#include "subgrid.cuh"

// A link; lengths are in grains above the bed's datum, columns and rows are relative to the frame.
struct Link {
    long long beds[2];    // at the inlet and the outlet
    long long crest;      // below it nothing flows through
    double start;         // depth at the inlet above which a pump starts (m)
    double stop;          // depth at which it stops (m)
    Count table;          // offset of its knots and flows
    unsigned heads;       // number of knots of the head
    unsigned differences; // number of knots of the difference
    unsigned columns[2];
    unsigned rows[2];
    unsigned pump;        // whether it is a pump
    unsigned one_way;     // whether water does not flow back
    unsigned drawn;       // whether the flow starts from the levels that the links leave behind
    unsigned sharing;     // number of links at the end that has more of them
    int next;             // next link that shares cells with it, or -1
    unsigned first;       // whether it is the first of them
};

// State of a link.
struct LinkState {
    double carry;   // the fraction of a grain still owed
    double flow;    // discharge in the last step (m3/s)
    double wanted;  // the same, if the cells have enough water and room
    Count forward;  // moved so far (grains)
    Count back;
    bool on;        // whether the pump runs
};

// Finds the knot at or before x, and the fraction of the distance to the next.
__device__ __forceinline__ unsigned find(const double *knots, unsigned count, double x, double &part)
{
    part = 0.0;
    if (x <= knots[0]) return 0;
    if (x >= knots[count - 1]) return count - 1;
    // Invariant: knots[at] <= x < knots[end].
    unsigned at = 0;
    unsigned end = count - 1;
    while (end - at > 1) {
        const unsigned middle = (at + end) / 2;
        if (knots[middle] <= x) {
            at = middle;
        } else {
            end = middle;
        }
    }
    part = (x - knots[at]) / (knots[at + 1] - knots[at]);
    return at;
}

__device__ __forceinline__ double along(const double *row, unsigned j, double t)
{
    return t > 0.0 ? row[j] + t * (row[j + 1] - row[j]) : row[j];
}

// Flow (m3/s) at a head and a difference (m).
__device__ __forceinline__ double flow_of(const Link &link, const double *tables, double head,
                                          double difference)
{
    const double *heads = tables + link.table;
    const double *differences = heads + link.heads;
    const double *flows = differences + link.differences;
    double s, t;
    const unsigned i = find(heads, link.heads, head, s);
    const unsigned j = find(differences, link.differences, difference, t);
    const double *row = flows + (size_t)i * link.differences;
    const double low = along(row, j, t);
    return s > 0.0 ? low + s * (along(row + link.differences, j, t) - low) : low;
}

// Water levels in the cells at both ends, above their lowest ground (grains), and the rise per unit
// of water.
struct Stands {
    long long over[2];
    float rises;
};

// Returns the levels of a frame's cells at `at`.
__device__ __forceinline__ Stands stands_at(const Params &p, const ptrdiff_t (&at)[2])
{
    Stands found = {{p.water[at[0]], p.water[at[1]]}, 1.0f};
    if (!p.tables) return found;
    for (int end = 0; end < 2; end++) {
        float rises = 0.0f;
        const int water = p.water[at[end]];
        const int over = water > 0 ? level_of(CellTable(cell_table(p, at[end])), 0, water, p.metres, rises) : 0;
        found.over[end] = over * (long long)p.bed_step;
        found.rises = fmaxf(found.rises, rises);
    }
    return found;
}

// Discharge of a culvert after a step (m3/s).
__device__ __forceinline__ double culvert(const Link &link, const double *tables, const long long (&levels)[2], double last,
                                          const double (&drawn)[2], double responds, double metres)
{
    const long long datum = min(levels[0], levels[1]);
    const double here = (double)(levels[0] - datum) * metres - drawn[0] * responds;
    const double there = (double)(levels[1] - datum) * metres - drawn[1] * responds;
    const double fall = here - there;
    const double above = (double)(datum - link.crest) * metres;
    const double head = above + (0.0 > fall ? there : here);
    const double drop = fmax(fabs(fall), (double)LEAST_DROP);
    const double rated = head > 0.0 ? flow_of(link, tables, head, fmin(drop, head)) : 0.0;
    if (!(rated > 0.0 && responds > 0.0)) return 0.0;
    const double push = 1.0 / (8.0 * responds * (double)link.sharing);
    return (last + push * fall) / (1.0 + push * (drop / rated));
}

// Adds what a link took in the last step from cells of a frame (m3/s).
__device__ __forceinline__ void add_drawn(const Link &other, double flow, const Link &link, double (&drawn)[2])
{
    for (int end = 0; end < 2; end++) {
        for (int of = 0; of < 2; of++) {
            if (other.rows[of] == link.rows[end] && other.columns[of] == link.columns[end]) drawn[end] += of ? -flow : flow;
        }
    }
}

// Discharge in a step (m3/s), negative from the outlet to the inlet, for cells from which all links took
// `drawn` (m3/s) in the last step.
__device__ __forceinline__ double discharge(const Link &link, LinkState &state, const double *tables, const Stands &stands,
                                            const double (&drawn)[2], double grains, double metres)
{
    if (link.pump) {
        const double depth = (double)stands.over[0] * metres;
        state.on = depth > (state.on ? link.stop : link.start);
        return state.on ? flow_of(link, tables, 0.0, 0.0) : 0.0;
    }
    const long long levels[2] = {link.beds[0] + stands.over[0], link.beds[1] + stands.over[1]};
    const double responds = grains * metres * (double)stands.rises;
    double flow = culvert(link, tables, levels, state.flow, drawn, responds, metres);
    flow = link.one_way && 0.0 > flow ? 0.0 : flow;
    long long half = max(levels[0.0 > flow] - link.crest, 0ll) >> 1;
    if (stands.rises > 1.0f) half = (long long)((float)half / stands.rises);
    const double most = (double)half / (grains * (double)link.sharing);
    return copysign(fmin(fabs(flow), most), flow);
}

// Returns the transfer from the inlet to the outlet (grains), negative if it goes back.
__device__ __forceinline__ int moves(LinkState &state, long long here, long long there, double grains)
{
    state.flow = state.wanted;
    const bool back = 0.0 > state.flow;
    const long long donor = back ? there : here;
    const long long receiver = back ? here : there;
    const long long most = min(donor, (long long)MAX_WATER - receiver);
    const double wanted = fabs(state.flow) * grains + state.carry;
    const long long whole = (long long)fmin(wanted, (double)MAX_WATER);
    // Cells outside the counted part of a frame may hold more than the maximum.
    const long long moved = max(min(whole, most), 0ll);
    state.carry = moved == whole ? wanted - (double)whole : 0.0;
    if (moved < whole) state.flow = copysign((double)moved / grains, state.flow);
    if (back) {
        state.back += (Count)moved;
        return -(int)moved;
    }
    state.forward += (Count)moved;
    return (int)moved;
}

extern "C" __global__ void link(Params p, const Link *links, int count, const double *tables,
                                LinkState *states, double metres, double per_cubic_metre)
{
    wait_for_previous_kernel();
    const StepConstants now = *p.step_constants;
    const int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= count || !links[number].first || !begin(p, now)) return;
    const double grains = (double)now.dt * per_cubic_metre;
    const auto place = [&](const Link &link, int end) { return (ptrdiff_t)link.rows[end] * p.stride + link.columns[end]; };
    for (int at = number; at >= 0; at = links[at].next) {
        const Link link = links[at];
        double drawn[2] = {0.0, 0.0};
        for (int other = number; link.drawn && other >= 0; other = links[other].next) {
            add_drawn(links[other], states[other].flow, link, drawn);
        }
        const ptrdiff_t cells[2] = {place(link, 0), place(link, 1)};
        LinkState state = states[at];
        state.wanted = discharge(link, state, tables, stands_at(p, cells), drawn, grains, metres);
        states[at] = state;
    }
    for (int at = number; at >= 0; at = links[at].next) {
        const Link link = links[at];
        int &here = p.water[place(link, 0)];
        int &there = p.water[place(link, 1)];
        LinkState state = states[at];
        const int moved = moves(state, here, there, grains);
        states[at] = state;
        if (moved == 0) continue;
        here -= moved;
        there += moved;
        const int receiver = moved > 0 ? 1 : 0;
        const size_t down = link.rows[receiver] / p.chunk_rows;
        atomicMax(&p.deepest[down * p.chunks_across + link.columns[receiver] / p.chunk_columns], receiver ? there : here);
    }
}
