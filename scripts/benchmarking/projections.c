/* SPDX-License-Identifier: GPL-3.0-or-later
 * Every constraint's projection in plain C, XPBD with one iteration per substep: what the machine can do with the
 * arithmetic and the order of the solver, see blender_xpbd/constraints for the formulas.
 * What moves is a REAL, float or double; parameters are float. Particles are xyz and inverse mass. */
#include <math.h>
#include <tgmath.h>

typedef REAL Real;
typedef struct {
    Real x, y, z;
} Vector;
typedef struct {
    Real x, y, z, w;
} Particle;
typedef struct {
    Vector a, b, c;
} Columns;

#define SMALL ((Real)1e-30)

static inline Vector vector(Real x, Real y, Real z) { return (Vector){x, y, z}; }
static inline Vector between(Particle p, Particle q) { return vector(p.x - q.x, p.y - q.y, p.z - q.z); }
static inline Vector plus(Vector a, Vector b) { return vector(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline Vector minus(Vector a, Vector b) { return vector(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline Vector times(Real s, Vector a) { return vector(s * a.x, s * a.y, s * a.z); }
static inline Real dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Real norm(Vector a) { return sqrt(dot(a, a)); }
static inline Real greater(Real a, Real b) { return a > b ? a : b; }
static inline Real lesser(Real a, Real b) { return a < b ? a : b; }

static inline Vector cross(Vector a, Vector b)
{
    return vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline void move(Particle *p, Real s, Vector direction)
{
    const Real share = p->w * s;
    p->x += share * direction.x;
    p->y += share * direction.y;
    p->z += share * direction.z;
}

/* where a projection reads and writes, and 1/h^2 and 1/h */
typedef struct {
    Particle *restrict x;
    const Particle *restrict previous;
    const int *restrict indices;
    float *restrict parameters;
    Real inverse_h2, inverse_h;
} Arrays;

static inline void distance(Arrays s, const int *i, const float *p)
{
    Particle a = s.x[i[0]], b = s.x[i[1]];
    const Vector difference = between(a, b);
    const Real length = norm(difference);
    const Real scale = (p[0] - length) / ((a.w + b.w + p[1] * s.inverse_h2) * length + SMALL);
    move(&a, scale, difference);
    move(&b, -scale, difference);
    s.x[i[0]] = a, s.x[i[1]] = b;
}

static inline void diagonal(Arrays s, const int *i, const float *p)
{
    Particle a = s.x[i[0]], b = s.x[i[1]];
    const Vector difference = between(a, b);
    const Real length = norm(difference), push = p[0] - length;
    const Real compliance = p[1] * s.inverse_h2 * (push > 0 ? 10 : 1);
    const Real scale = push / ((a.w + b.w + compliance) * length + SMALL);
    move(&a, scale, difference);
    move(&b, -scale, difference);
    s.x[i[0]] = a, s.x[i[1]] = b;
}

static inline void two_sided_distance(Arrays s, const int *i, const float *p)
{
    Particle a = s.x[i[0]], b = s.x[i[1]];
    const Vector difference = between(a, b);
    const Real length = norm(difference), push = p[0] - length;
    const Real stretch = p[1], compression = p[2];
    const Real compliance = push < 0 ? stretch : compression;
    const Real reached = push / ((a.w + b.w + compliance * s.inverse_h2) * length + SMALL);
    const Real scale = compliance >= 0 ? reached : 0;
    move(&a, scale, difference);
    move(&b, -scale, difference);
    s.x[i[0]] = a, s.x[i[1]] = b;
}

static inline void stitch(Arrays s, const int *i, const float *p)
{
    Particle a = s.x[i[0]], b = s.x[i[1]];
    const Vector difference = between(a, b);
    const Real length = norm(difference);
    const Real thread = greater(norm(between(s.previous[i[0]], s.previous[i[1]])) - p[0] / s.inverse_h, 0);
    const Real delta = (thread - length) / (a.w + b.w + p[2] * s.inverse_h2 + SMALL);
    const Real scale = greater(lesser(delta, 0), -p[1] / s.inverse_h2) / (length + SMALL);
    move(&a, scale, difference);
    move(&b, -scale, difference);
    s.x[i[0]] = a, s.x[i[1]] = b;
}

static inline void attachment(Arrays s, const int *i, const float *p)
{
    Particle a = s.x[i[0]], b = s.x[i[1]];
    const Vector now = between(a, b), before = between(s.previous[i[0]], s.previous[i[1]]);
    const Real weight = a.w + b.w, compliance = p[1] * s.inverse_h2;
    const Real lag = p[0] / (1 + weight / (compliance + SMALL));
    const Vector difference = minus(now, times(lag, minus(now, before)));
    const Real scale = -1 / (weight * (1 - lag) + compliance + SMALL);
    move(&a, scale, difference);
    move(&b, -scale, difference);
    s.x[i[0]] = a, s.x[i[1]] = b;
}

static inline void weighted_sum(Arrays s, const int *i, const float *p, int count)
{
    Particle all[8];
    Vector value = vector(0, 0, 0);
    Real weight = p[count] * s.inverse_h2 + SMALL;
    for (int k = 0; k < count; k++) {
        all[k] = s.x[i[k]];
        value = plus(value, times(p[k], between(all[k], all[0])));
        weight += p[k] * p[k] * all[k].w;
    }
    const Vector delta = times(-1 / weight, value);
    /* the first is written last, since others may repeat it */
    for (int k = count - 1; k >= 0; k--) {
        move(&all[k], p[k], delta);
        s.x[i[k]] = all[k];
    }
}

static inline void isometric_bending(Arrays s, const int *i, const float *p) { weighted_sum(s, i, p, 4); }

static inline void element_attachment(Arrays s, const int *i, const float *p) { weighted_sum(s, i, p, 8); }

static inline void move_four(Arrays s, const int *i, Particle *all, const Vector *g, Real delta)
{
    for (int k = 0; k < 4; k++) {
        move(&all[k], delta, g[k]);
        s.x[i[k]] = all[k];
    }
}

static inline Real weight_of_four(const Particle *all, const Vector *g)
{
    return all[0].w * dot(g[0], g[0]) + all[1].w * dot(g[1], g[1]) + all[2].w * dot(g[2], g[2]) +
           all[3].w * dot(g[3], g[3]);
}

static inline void tetrahedron_volume(Arrays s, const int *i, const float *p)
{
    Particle all[4] = {s.x[i[0]], s.x[i[1]], s.x[i[2]], s.x[i[3]]};
    const Vector a = between(all[1], all[0]), b = between(all[2], all[0]), c = between(all[3], all[0]);
    Vector g[4] = {{0, 0, 0}, cross(b, c), cross(c, a), cross(a, b)};
    for (int k = 1; k < 4; k++) {
        g[k] = times((Real)1 / 6, g[k]);
        g[0] = minus(g[0], g[k]);
    }
    const Real value = dot(a, g[1]) - p[0];
    move_four(s, i, all, g, -value / (weight_of_four(all, g) + p[1] * s.inverse_h2 + SMALL));
}

static inline void dihedral_bending(Arrays s, const int *i, const float *p)
{
    const Real pi = (Real)M_PI;
    Particle all[4] = {s.x[i[0]], s.x[i[1]], s.x[i[2]], s.x[i[3]]};
    const Vector edge = between(all[1], all[0]), ca = between(all[2], all[0]), cb = between(all[2], all[1]);
    const Vector da = between(all[3], all[0]), db = between(all[3], all[1]);
    const Real length = greater(norm(edge), SMALL);
    const Vector n1 = cross(ca, cb), n2 = cross(db, da);
    const Vector m1 = times(1 / greater(length * dot(n1, n1), (Real)1e-37), n1);
    const Vector m2 = times(1 / greater(length * dot(n2, n2), (Real)1e-37), n2);
    const Real square = dot(edge, edge), c = dot(cb, edge), d = dot(db, edge);
    Real value = atan2(length * dot(n1, da), dot(n1, n2)) - p[0];
    if (value > pi)
        value -= 2 * pi;
    else if (value < -pi)
        value += 2 * pi;
    const Vector g[4] = {plus(times(c, m1), times(d, m2)), plus(times(-c - square, m1), times(-d - square, m2)),
                         times(square, m1), times(square, m2)};
    move_four(s, i, all, g, -value / (weight_of_four(all, g) + p[1] * s.inverse_h2 + SMALL));
}

static inline void membrane(Arrays s, const int *i, const float *p)
{
    Particle x0 = s.x[i[0]], x1 = s.x[i[1]], x2 = s.x[i[2]];
    const Real u1 = p[0], v1 = p[1], u2 = p[2], v2 = p[3], u0 = -(u1 + u2), v0 = -(v1 + v2);
    const Vector d1 = between(x1, x0), d2 = between(x2, x0);
    const Vector fu = plus(times(u1, d1), times(u2, d2)), fv = plus(times(v1, d1), times(v2, d2));
    const Real uu = dot(fu, fu), vv = dot(fv, fv), uv = dot(fu, fv);
    const Real a = x0.w * u0 * u0 + x1.w * u1 * u1 + x2.w * u2 * u2;
    const Real b = x0.w * v0 * v0 + x1.w * v1 * v1 + x2.w * v2 * v2;
    const Real c = x0.w * u0 * v0 + x1.w * u1 * v1 + x2.w * u2 * v2;
    const Real alpha = p[7] * s.inverse_h2;
    const Real safe_u = greater(uu, (Real)0.25), safe_v = greater(vv, (Real)0.25);
    const Real lack = greater((Real)0.1 - 1 + uv * uv / (uu * vv + SMALL), 0);
    const Real k11 = a * safe_u + SMALL + alpha, k22 = b * safe_v + SMALL + alpha * p[4], k12 = c * uv - alpha * p[5];
    const Real k13 = c * uu + a * uv, k23 = b * uv + c * vv;
    const Real k33 = (b * safe_u + a * safe_v) * (1 + lack) + 2 * c * uv + SMALL + alpha * p[6];
    const Real l21 = k12 / k11, l31 = k13 / k11, e2 = greater(k22 - l21 * k12, (Real)1e-6 * k22);
    const Real l32 = (k23 - l21 * k13) / e2, e3 = greater(k33 - l31 * k13 - l32 * l32 * e2, (Real)1e-6 * k33);
    const Real y1 = (Real)0.5 * (uu - 1), y2 = (Real)0.5 * (vv - 1) - l21 * y1;
    const Real z3 = (uv - l31 * y1 - l32 * y2) / e3, z2 = y2 / e2 - l32 * z3, z1 = y1 / k11 - l21 * z2 - l31 * z3;
    const Vector along_u = plus(times(-z1, fu), times(-z3, fv)), along_v = plus(times(-z2, fv), times(-z3, fu));
    move(&x0, 1, plus(times(u0, along_u), times(v0, along_v)));
    move(&x1, 1, plus(times(u1, along_u), times(v1, along_v)));
    move(&x2, 1, plus(times(u2, along_u), times(v2, along_v)));
    s.x[i[0]] = x0, s.x[i[1]] = x1, s.x[i[2]] = x2;
}

/* columns of the gradient of the edges d; and the pulls g1 ... g3 of a stress d, with the rest rows transposed */
static inline Columns deformation(Columns d, const float *q)
{
    return (Columns){plus(plus(times(q[0], d.a), times(q[3], d.b)), times(q[6], d.c)),
                     plus(plus(times(q[1], d.a), times(q[4], d.b)), times(q[7], d.c)),
                     plus(plus(times(q[2], d.a), times(q[5], d.b)), times(q[8], d.c))};
}

static inline void pulls(Vector *g, Columns d, const float *q)
{
    for (int k = 0; k < 3; k++)
        g[k + 1] = plus(plus(times(q[3 * k], d.a), times(q[3 * k + 1], d.b)), times(q[3 * k + 2], d.c));
    g[0] = times(-1, plus(plus(g[1], g[2]), g[3]));
}

static inline void neo_hookean(Arrays s, const int *i, const float *p)
{
    Particle all[4] = {s.x[i[0]], s.x[i[1]], s.x[i[2]], s.x[i[3]]};
    const Columns edges = {between(all[1], all[0]), between(all[2], all[0]), between(all[3], all[0])};
    const Columns f = deformation(edges, p), n = {cross(f.b, f.c), cross(f.c, f.a), cross(f.a, f.b)};
    const Real ratio = p[9], swelling = dot(f.a, n.a) - 1;
    const Real squares = dot(f.a, f.a) + dot(f.b, f.b) + dot(f.c, f.c);
    const Real area = dot(n.a, n.a) + dot(n.b, n.b) + dot(n.c, n.c);
    const Real split = area + (Real)1e-3 * greater(squares * squares - 3 * area, 0) + SMALL;
    const Real fading = lesser(squares, 1), along = fading * 3 * (swelling + 1) / split;
    const Real pressure = ratio * swelling - 1 + along;
    const Real mobility = p[10], least = p[11], alpha = p[13] * s.inverse_h2 + SMALL;
    const Real stretch = sqrt(squares * ((Real)1 / 3));
    const Real along_n = (ratio - (Real)1 / 3) * area + ratio * fabs(swelling) * stretch;
    const Real by_volume = 1 / greater(alpha + mobility * along_n, least * along_n);
    const Real left = fabs(ratio * swelling * alpha * by_volume - 1);
    const Real across_n = 1 + stretch * greater(left, 1);
    const Real by_shape = 1 / greater(alpha + mobility * across_n, least * across_n);
    const Real of_f = by_shape * fading, of_n = by_volume * pressure - by_shape * along;
    const Columns stress = {plus(times(of_f, f.a), times(of_n, n.a)), plus(times(of_f, f.b), times(of_n, n.b)),
                            plus(times(of_f, f.c), times(of_n, n.c))};
    Vector g[4];
    pulls(g, stress, p);
    move_four(s, i, all, g, -1);
}

static inline void square_matrix(Real k[4][4], Real scale)
{
    Real result[4][4];
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            Real sum = 0;
            for (int m = 0; m < 4; m++)
                sum += k[row][m] * k[m][column];
            result[row][column] = sum * scale;
        }
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            k[row][column] = result[row][column];
}

static inline Columns nearest_rotation(Columns a)
{
    const Vector f = a.a, g = a.b, h = a.c;
    Real size = 0, q[4] = {1, 0, 0, 0};
    const Real entries[9] = {f.x, f.y, f.z, g.x, g.y, g.z, h.x, h.y, h.z};
    Real square = 0;
    for (int k = 0; k < 9; k++) {
        size = greater(size, fabs(entries[k]));
        square += entries[k] * entries[k];
    }
    if (size > 0) {
        const Real xx = f.x, yy = g.y, zz = h.z, shift = (Real)1.7320508 * sqrt(square);
        const Real wx = g.z - h.y, wy = h.x - f.z, wz = f.y - g.x, xy = g.x + f.y, xz = h.x + f.z, yz = h.y + g.z;
        Real k[4][4] = {{xx + yy + zz + shift, wx, wy, wz},
                        {wx, xx - yy - zz + shift, xy, xz},
                        {wy, xy, yy - xx - zz + shift, yz},
                        {wz, xz, yz, zz - xx - yy + shift}};
        Real trace = 4 * shift, purity = 0;
        for (int row = 0; row < 4; row++)
            for (int column = 0; column < 4; column++)
                k[row][column] /= trace;
        for (int squarings = 0; squarings < 24 && purity < 1 - (Real)1e-6; squarings++) {
            square_matrix(k, 1);
            purity = k[0][0] + k[1][1] + k[2][2] + k[3][3];
            for (int row = 0; row < 4; row++)
                for (int column = 0; column < 4; column++)
                    k[row][column] *= 1 / purity;
        }
        int best = 0;
        for (int column = 1; column < 4; column++)
            if (k[column][column] > k[best][best])
                best = column;
        Real length = 0;
        for (int row = 0; row < 4; row++) {
            q[row] = k[row][best];
            length += q[row] * q[row];
        }
        for (int row = 0; row < 4; row++)
            q[row] /= sqrt(length);
    }
    const Real w = q[0], x = q[1], y = q[2], z = q[3];
    return (Columns){vector(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
                     vector(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
                     vector(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))};
}

static inline void corotated(Arrays s, const int *i, const float *p)
{
    Particle all[4] = {s.x[i[0]], s.x[i[1]], s.x[i[2]], s.x[i[3]]};
    const Columns edges = {between(all[1], all[0]), between(all[2], all[0]), between(all[3], all[0])};
    const Columns f = deformation(edges, p), n = nearest_rotation(f);
    const Columns d = {minus(f.a, n.a), minus(f.b, n.b), minus(f.c, n.c)};
    const Real ratio = p[9], pressure = ratio * (dot(n.a, d.a) + dot(n.b, d.b) + dot(n.c, d.c));
    Vector a[4], b[4], m[4];
    pulls(b, n, p);
    pulls(a, d, p);
    const Real volume_weight = weight_of_four(all, b);
    Real turn = 0, shape_weight = 0;
    for (int k = 0; k < 4; k++)
        turn += all[k].w * dot(a[k], b[k]);
    turn /= volume_weight + SMALL;
    for (int k = 0; k < 4; k++) {
        a[k] = minus(a[k], times(turn, b[k]));
        m[k] = times(all[k].w, a[k]);
        shape_weight += dot(m[k], a[k]);
    }
    const Columns change = deformation((Columns){minus(m[1], m[0]), minus(m[2], m[0]), minus(m[3], m[0])}, p);
    const Real alpha = p[10] * s.inverse_h2 + SMALL, tiny = (Real)1e-10 * volume_weight + SMALL;
    const Real square =
        dot(change.a, change.a) + dot(change.b, change.b) + dot(change.c, change.c) + volume_weight * tiny;
    const Real by_shape = -1 / (alpha + square / (shape_weight + tiny));
    const Real by_volume = -(pressure + turn) / (alpha + (ratio + (Real)1 / 3) * volume_weight);
    for (int k = 0; k < 4; k++)
        a[k] = plus(times(by_shape, a[k]), times(by_volume, b[k]));
    move_four(s, i, all, a, 1);
}

static inline Vector offset(Particle x, Vector centre, Columns r, const float *v)
{
    const Vector goal = plus(plus(times(v[0], r.a), times(v[1], r.b)), times(v[2], r.c));
    return minus(minus(vector(x.x, x.y, x.z), centre), goal);
}

static inline void shape_matching(Arrays s, const int *i, const float *p)
{
    const int *members = s.indices + i[0], count = i[1];
    const float *values = s.parameters + i[4];
    const Particle first = s.x[members[0]];
    Vector centre = vector(0, 0, 0);
    Real mass = 0, square = 0, weight = 0;
    for (int k = 0; k < count; k++) {
        centre = plus(centre, times(values[4 * k + 3], between(s.x[members[k]], first)));
        mass += values[4 * k + 3];
    }
    centre = plus(vector(first.x, first.y, first.z), times(1 / mass, centre));
    Columns a = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < count; k++) {
        const float *v = values + 4 * k;
        const Particle x = s.x[members[k]];
        const Vector here = times(v[3], minus(vector(x.x, x.y, x.z), centre));
        a.a = plus(a.a, times(v[0], here));
        a.b = plus(a.b, times(v[1], here));
        a.c = plus(a.c, times(v[2], here));
    }
    const Columns rotation = nearest_rotation(a);
    for (int k = 0; k < count; k++) {
        const float *v = values + 4 * k;
        const Particle x = s.x[members[k]];
        const Vector off = offset(x, centre, rotation, v);
        square += v[3] * dot(off, off);
        weight += x.w * v[3] * v[3] * dot(off, off);
    }
    if (square > 0) {
        const Real delta = -1 / (weight / square + p[0] * s.inverse_h2 + SMALL);
        for (int k = 0; k < count; k++) {
            Particle *x = &s.x[members[k]];
            move(x, delta * values[4 * k + 3], offset(*x, centre, rotation, values + 4 * k));
        }
    }
}

static inline void enclosed_volume(Arrays s, const int *i, const float *p)
{
    const int *members = s.indices + i[0], *corners = s.indices + i[2], count = i[1], triangles = i[3] / 3;
    float *values = s.parameters + i[4];
    for (int k = 0; k < count; k++)
        values[4 * k] = values[4 * k + 1] = values[4 * k + 2] = 0;
    const Particle start = s.x[members[0]];
    Real volume = 0, lost = 0, weight = 0;
    for (int t = 0; t < triangles; t++) {
        const Particle a = s.x[members[corners[3 * t]]];
        const Particle b = s.x[members[corners[3 * t + 1]]], c = s.x[members[corners[3 * t + 2]]];
        const Vector normal = cross(between(b, a), between(c, a)), pull = times((Real)1 / 6, normal);
        const Real part = dot(normal, between(a, start)) - lost;
        Real total = volume + part;
        /* Kahan's compensation is what -ffast-math would take away */
        __asm__("" : "+x"(total));
        lost = (total - volume) - part;
        volume = total;
        for (int corner = 0; corner < 3; corner++) {
            float *v = values + 4 * corners[3 * t + corner];
            v[0] += (float)pull.x;
            v[1] += (float)pull.y;
            v[2] += (float)pull.z;
        }
    }
    volume *= (Real)1 / 6;
    for (int k = 0; k < count; k++) {
        const float *v = values + 4 * k;
        weight += s.x[members[k]].w * v[3] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    const Real compliance = p[2] * (1 + p[1] * (greater(volume / p[0], (Real)0.01) - 1));
    const Real delta = (p[0] - volume) / (weight + compliance * s.inverse_h2 + SMALL);
    for (int k = 0; k < count; k++) {
        const float *v = values + 4 * k;
        move(&s.x[members[k]], delta * v[3], vector(v[0], v[1], v[2]));
    }
}

#define SWEEPS(kind, width, numbers)                                                                                   \
    void sweep_##kind(Particle *restrict x, const Particle *restrict previous, const int *restrict indices,            \
                      float *restrict parameters, int count, int sweeps, double inverse_h)                             \
    {                                                                                                                  \
        const Arrays arrays = {x, previous, indices, parameters, (Real)(inverse_h * inverse_h), (Real)inverse_h};      \
        for (int sweep = 0; sweep < sweeps; sweep++)                                                                   \
            for (int k = 0; k < count; k++)                                                                            \
                kind(arrays, indices + width * k, parameters + numbers * k);                                           \
    }

SWEEPS(distance, 2, 2)
SWEEPS(diagonal, 2, 2)
SWEEPS(two_sided_distance, 2, 3)
SWEEPS(stitch, 2, 3)
SWEEPS(attachment, 2, 2)
SWEEPS(isometric_bending, 4, 5)
SWEEPS(element_attachment, 8, 9)
SWEEPS(tetrahedron_volume, 4, 2)
SWEEPS(dihedral_bending, 4, 2)
SWEEPS(membrane, 3, 8)
SWEEPS(neo_hookean, 4, 14)
SWEEPS(corotated, 4, 11)
SWEEPS(shape_matching, 5, 1)
SWEEPS(enclosed_volume, 5, 3)
