/* Velocity update of `shallow-water`, (SW 3) to (SW 10), (SW 12) and (SW2 5) of docs/theory.md, edge by edge and as concise as
   possible. The including file sets ORDER and includes the specification without edges along banks
   (docs/decisions/0022-banks-across-the-grid.md), with its sw_step renamed. */

/* Edge from the cell in column i and row j to the next along axis k (0 east, 1 south). */
typedef struct { int k, i, j; } edge;

static edge along(edge e, int by) { return (edge){e.k, e.i + (e.k ? 0 : by), e.j + (e.k ? by : 0)}; }
static edge beside(edge e, int by) { return (edge){e.k, e.i + (e.k ? by : 0), e.j + (e.k ? 0 : by)}; }
/* Edge that crosses the line in cell a (end 0) or b (end 1), on the side before (-1) or after (1). */
static edge crossing(edge e, int end, int side) {
  edge at = along(e, end);
  if (side < 0) at = beside(at, -1);
  at.k = !e.k;
  return at;
}

/* Value of an edge in the layers x; 0 beyond the walls. */
static sw_real of(const sw_grid *g, sw_real *const x[2], edge e) {
  int there = e.i >= 0 && e.j >= 0 && e.i + !e.k < g->nx && e.j + e.k < g->ny;
  return there ? x[e.k][e.j * g->nx + e.i] : 0;
}
#define U(e) of(g, g->u, e)
#define Q(e) of(g, g->q, e)
static int closed(const sw_grid *g, edge e) { return U(e) == 0; }

/* Stream of an edge: along a bank, the velocity of the edge inside. */
static sw_real stream(const sw_grid *g, edge e) {
  sw_real u = U(e);
  for (int side = -1; side <= 1; side += 2) {
    sw_real inside = U(beside(e, -side));
    if (closed(g, beside(e, side)) && closed(g, crossing(e, u < 0, side)) && u * inside > 0) return inside;
  }
  return u;
}

/* d of (SW 5): difference of an edge from e. */
static sw_real difference(const sw_grid *g, edge e, edge other) {
  return closed(g, other) ? 0 : sw_minmod(U(other) - U(e), stream(g, other) - stream(g, e));
}

/* d of (SW 5) beside a closed edge, where the line goes on behind the donor: the water that turns there ran against that
   edge with the velocity w. */
static sw_real turning(const sw_grid *g, edge e, edge shut) {
  if (U(e) == 0 || closed(g, along(e, U(e) > 0 ? -1 : 1))) return 0;
  sw_real w = sw_hi(U(along(shut, -1)), 0) + sw_lo(U(along(shut, 1)), 0);
  sw_real joins = w > 0 ? sw_hi(w, U(along(e, -1))) : w < 0 ? sw_lo(w, U(along(e, 1))) : 0;
  return sw_minmod(w - U(e), joins - U(e));
}

/* t of (12): a closed edge counts as the other edge of its side. */
static sw_real across(const sw_grid *g, edge e) {
  sw_real of_side[2];
  for (int s = 0; s < 2; s++) {
    edge a = crossing(e, 0, 2 * s - 1), b = crossing(e, 1, 2 * s - 1);
    of_side[s] = sw_minmod(Q(closed(g, a) ? b : a), Q(closed(g, b) ? a : b));
  }
  return sw_minmod(of_side[0], of_side[1]);
}

/* Depth of a cell's water above the bed of another, if this is higher. */
static sw_real above(const sw_grid *g, int cell, int other, sw_real h) {
  return h - sw_hi(g->z[other] - g->z[cell], 0);
}

/* Speed x with x (1 + B sqrt(x^2 + v^2)) = a. */
static sw_real rubbed(double a, double B, double v) {
  double less = 0, more = a;
  for (int i = 0; i < 60; i++) {
    double x = (less + more) / 2;
    if (x * (1 + B * sqrt(x * x + v * v)) < a) less = x; else more = x;
  }
  return (sw_real)more;
}

static sw_real updated_velocity(const sw_grid *g, sw_terms t, edge e, sw_real *cfl_rate) {
  int a = e.j * g->nx + e.i, b = a + (e.k ? g->nx : 1);
  sw_real u = U(e), q = Q(e), h[2] = {g->W[a] * t.unit, g->W[b] * t.unit}, fall = g->z[a] - g->z[b];
  sw_real D = fall + (g->W[a] - g->W[b]) * t.unit;
  *cfl_rate = 0;
  sw_real face = D >= 0 ? h[0] + sw_lo(fall, 0) : h[1] - sw_hi(fall, 0); /* (SW 3) */
  if (!(face > SW_DRY)) return 0;
  *cfl_rate = SW_ROOT_G * sqrtf(face);

  /* Behind, ahead, before, after. */
  edge sides[4] = {along(e, -1), along(e, 1), beside(e, -1), beside(e, 1)};
  sw_real inward[4] = {0.5f * (Q(sides[0]) + q), -0.5f * (q + Q(sides[1])), /* (SW 4) */
                       0.5f * (Q(crossing(e, 0, -1)) + Q(crossing(e, 1, -1))),
                       -0.5f * (Q(crossing(e, 0, 1)) + Q(crossing(e, 1, 1)))};
  for (int p = 0; p < 2; p++) { /* the head is kept where the bed climbs */
    int on = p ? -1 : 1;
    sw_real from = on * U(sides[p]), own = on * u;
    if (from > 0 && own > from && on * fall < 0) inward[p] = sw_hi(inward[p], 0.25f * (from + own) * (h[0] + h[1]));
  }
  sw_real d[4], slope[4] = {0}, own[2] = {0}, half[4], half_own = 0.5f - 0.5f * sw_lo(t.c * sw_mag(u), 1);
  for (int s = 0; s < 4; s++) {
    int on = s & 1 ? -1 : 1; /* slopes point ahead, so their sign is reversed on the sides ahead and after */
    edge far = s < 2 ? along(sides[s], -on) : beside(sides[s], -on);
    sw_real carries = s < 2 ? U(sides[s]) : 0.5f * (U(crossing(e, 0, -on)) + U(crossing(e, 1, -on)));
    half[s] = 0.5f - 0.5f * sw_lo(t.c * sw_mag(carries), 1);
    d[s] = difference(g, e, sides[s]);
    if (ORDER == 2 && !closed(g, far)) slope[s] = sw_minmod(on * (U(sides[s]) - U(far)), -on * d[s]);
  }
  for (int p = 0; ORDER == 2 && p < 2; p++) own[p] = sw_minmod(-d[2 * p], d[2 * p + 1]);
  sw_real A = 0, comes = 0, goes = 0; /* (SW 5), (SW2 5) */
  for (int s = 0; s < 4; s++) {
    int on = s & 1 ? -1 : 1;
    sw_real in = sw_hi(inward[s], 0), out = sw_hi(-inward[s], 0);
    sw_real brings = s > 1 && closed(g, sides[s]) ? turning(g, e, sides[s]) : d[s];
    A += in * (brings + on * half[s] * slope[s]) + on * out * (s < 2 ? half_own : half[s]) * own[s / 2];
    comes += in, goes += out;
  }
  int donor = u < 0; /* donor of the part that starts from rest: half of q enters this box from the end of the line, so half of the unfed part */
  if (closed(g, along(e, donor ? 1 : -1)))
    A -= 0.5f * sw_hi(sw_mag(q) - sw_hi(Q(crossing(e, donor, -1)) - Q(crossing(e, donor, 1)), 0), 0) * u;

  sw_real V = 0; /* (SW 6) */
  for (int c = 0; c < 2; c++) {
    if (closed(g, sides[c])) continue;
    sw_real in = c ? u + own[0] / 2 : U(sides[0]) + slope[0] / 2, out = c ? U(sides[1]) - slope[1] / 2 : u - own[0] / 2;
    int here = c ? b : a, ahead = e.k ? g->nx : 1;
    sw_real line = in * (in > 0 ? above(g, here, here - ahead, h[c]) : h[c]) - out * (out > 0 ? h[c] : above(g, here, here + ahead, h[c]));
    sw_real cell = line + h[c] * (U(crossing(e, c, -1)) - U(crossing(e, c, 1)));
    V += (c ? -1 : 1) * SW_VISCOSITY * sqrtf(SW_G * h[c]) * sw_hi(sw_lo(line, cell), 0);
  }

  sw_real thin = t.c / sw_hi(0.5f * (h[0] + h[1]), 0.5f * SW_DRY); /* (SW 7) */
  sw_real m = sw_lo(thin, 1 / sw_hi(ORDER == 2 ? sw_hi(comes, goes) : comes, 1e-30f));
  sw_real pushed = u + m * (A + V) + t.push * D;
  sw_real depth = sw_giver_depth(fall, h[0], h[1], pushed); /* (SW 8) */
  if (depth == 0) return 0;
  sw_real B = t.gdt * powf(0.5f * (g->n[a] + g->n[b]), 2) / powf(depth, 4 / 3.0f); /* (SW 9) */
  sw_real speed = rubbed(sw_mag(pushed), B, sw_mag(across(g, e)) / depth);
  if (!(speed > 1e-18f)) return 0; /* well above subnormal numbers */
  int back = u < 0, way = e.k ? g->nx : 1; /* (SW 12) */
  sw_real comes_with = (back ? -1 : 1) * U(sides[back]), leaves_with = (back ? -1 : 1) * U(sides[!back]);
  sw_real crest = back ? fall : u > 0 ? -fall : 0, before = 0, after = crest;
  if (comes_with > 0) before = sw_hi(back ? g->z[b] - g->z[b + way] : g->z[a] - g->z[a - way], 0);
  if (leaves_with > 0) after = sw_hi(back ? g->z[a - way] - g->z[a] : g->z[b + way] - g->z[b], 0);
  crest -= sw_lo(before, after);
  sw_real x = powf(sw_hi(comes_with, 0), 2) / (2 * SW_G * depth), wave = *cfl_rate;
  sw_real most = (sqrtf(8 / 27.0f) * (1 + 1.5f * x + 0.375f * x * x) + sw_hi(1 - 4 * crest / depth, 0)) * wave;
  if (crest > 0) speed = sw_lo(speed, most);
  *cfl_rate += speed; /* (SW 10) */
  return pushed < 0 ? -speed : speed;
}

static void sw_step(sw_grid *g, sw_real dt) {
  sw_terms t = sw_make_terms(dt, g->dx, g->unit, g->step++);
  sw_real fastest = 0, cfl_rate;
  sw_move_water(g, t);
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < g->ny - k; j++)
      for (int i = 0; i < g->nx - !k; i++) {
        g->next[k][j * g->nx + i] = updated_velocity(g, t, (edge){k, i, j}, &cfl_rate);
        fastest = sw_hi(fastest, cfl_rate);
      }
  for (int k = 0; k < 2; k++) memcpy(g->u[k], g->next[k], sizeof(sw_real) * g->nx * g->ny);
  g->rate = fastest / g->dx;
}

/* Takes a step for the test: updates the velocities in place, and returns the CFL rate. */
float a_step(int nx, int ny, float dx, float unit, const float *z, const float *n, int32_t *W, float *u, float *v,
             int64_t number, float dt) {
  size_t cells = (size_t)nx * ny;
  float *room = calloc(4 * cells, sizeof *room);
  int32_t *crossed = calloc(2 * cells, sizeof *crossed);
  sw_grid g = {0};
  g.nx = nx, g.ny = ny, g.dx = dx, g.unit = unit, g.z = z, g.n = n, g.W = W, g.step = number;
  g.u[0] = u, g.u[1] = v;
  for (int k = 0; k < 2; k++) g.q[k] = room + k * cells, g.next[k] = room + (2 + k) * cells, g.I[k] = crossed + k * cells;
  sw_step(&g, dt);
  free(room);
  free(crossed);
  return g.rate;
}
