/* Mass update of `shallow-water` at second order, (SW2 1) and (SW 2) of docs/theory.md: in the shared specification, the
   inflow from behind has the depth at the edge instead of the full depth of its cell. */

/* Slopes of the cell in column i and row j along axis k. */
static sw_slope slope_of(const sw_grid *g, sw_terms t, int k, int i, int j) {
  int place = k ? j : i, last = (k ? g->ny : g->nx) - 1, d = k ? g->nx : 1, c = j * g->nx + i;
  if (place == 0 || place == last) return (sw_slope){0};
  return sw_cell_slope(t, g->z[c - d], g->z[c], g->z[c + d], g->W[c - d], g->W[c], g->W[c + d]);
}

/* (SW2 1) */
static sw_real moved_depth(const sw_grid *g, sw_terms t, int k, int i, int j) {
  int d = k ? g->nx : 1, a = j * g->nx + i, b = a + d, ahead = !(g->u[k][a] > 0), on = ahead ? -1 : 1;
  int donor = ahead ? b : a, other = ahead ? a : b, before = ahead ? b : a - d;
  int first = (k ? j : i) == 0, last = (k ? j == g->ny - 2 : i == g->nx - 2);
  sw_slope A = slope_of(g, t, k, i, j), B = slope_of(g, t, k, i + !k, j + k), from = ahead ? B : A, to = ahead ? A : B;
  sw_real u = sw_mag(g->u[k][a]), behind = (ahead ? last : first) ? 0 : on * g->u[k][before];
  sw_real own = 0.5f * on * (from.level - from.depth); /* the beds at the edge, above the donor's */
  sw_real bed = sw_hi(own, g->z[other] - g->z[donor] - 0.5f * on * (to.level - to.depth));
  sw_real depth = g->W[donor] * t.unit;
  sw_real h = depth + 0.5f * on * from.level - sw_lo(t.c * u, 1) * 0.5f * on * from.depth - bed;
  sw_real spreads = t.c * from.wet * (u * h - behind * (h + bed - own));
  h = sw_lo(h - sw_hi(sw_lo(spreads, h / 2), -h / 2), 2 * depth);
  return h > SW_DRY ? h : 0;
}

/* The four edges of a cell; `out` is 1 or -1, or 0 at a wall. */
typedef struct { int32_t *grains; int out; } side;
static void sides_of(sw_grid *g, int c, side s[4]) {
  int i = c % g->nx, j = c / g->nx;
  s[0] = (side){g->I[0] + c - 1, i ? -1 : 0}, s[1] = (side){g->I[0] + c, i < g->nx - 1};
  s[2] = (side){g->I[1] + c - g->nx, j ? -1 : 0}, s[3] = (side){g->I[1] + c, j < g->ny - 1};
}

static void sw_move_water(sw_grid *g, sw_terms t) {
  int cells = g->nx * g->ny;
  side s[4];
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < cells; c++) {
      int i = c % g->nx, j = c / g->nx, wall = k ? j == g->ny - 1 : i == g->nx - 1;
      sw_real q = g->q[k][c] = wall ? 0 : g->u[k][c] * moved_depth(g, t, k, i, j);
      int32_t grains = (int32_t)(sw_lo(sw_mag(q) * t.c * t.scale, 536870848.0f) + t.phi);
      g->I[k][c] = q > 0 ? grains : q < 0 ? -grains : 0;
    }
  for (int c = 0; c < cells; c++) { /* a donor never gives more than it has */
    int64_t gives = 0;
    sides_of(g, c, s);
    for (int k = 0; k < 4; k++) if (s[k].out && *s[k].grains * s[k].out > 0) gives += *s[k].grains * s[k].out;
    for (int k = 0; k < 4 && gives > g->W[c]; k++)
      if (s[k].out && *s[k].grains * s[k].out > 0) *s[k].grains = (int32_t)((int64_t)*s[k].grains * g->W[c] / gives);
  }
  for (int c = 0; c < cells; c++) {
    sides_of(g, c, s);
    for (int k = 0; k < 4; k++) if (s[k].out) g->W[c] -= *s[k].grains * s[k].out;
  }
}
