/* SPDX-License-Identifier: GPL-3.0-or-later
 * Distance constraints of XPBD in plain C, one thread: what the machine can do with the schedule of the solver.
 * Particles are xyz and inverse mass; pairs come in the order of the schedule. */
#include <math.h>

typedef struct {
    float x, y, z, w;
} Particle;

void simulate(Particle *restrict positions, Particle *restrict previous, Particle *restrict velocities,
              int particle_count, const int *restrict pairs, const float *restrict parameters, int pair_count,
              int substeps, float h, float gravity)
{
    const float inverse_h = 1.0f / h;
    for (int s = 0; s < substeps; s++) {
        for (int i = 0; i < particle_count; i++) {
            Particle *p = &positions[i], *v = &velocities[i];
            previous[i] = *p;
            if (p->w > 0.0f) {
                v->z += h * gravity;
                p->x += h * v->x;
                p->y += h * v->y;
                p->z += h * v->z;
            }
        }
        for (int k = 0; k < pair_count; k++) {
            Particle a = positions[pairs[2 * k]], b = positions[pairs[2 * k + 1]];
            const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
            const float length = sqrtf(dx * dx + dy * dy + dz * dz);
            const float alpha = parameters[2 * k + 1] * inverse_h * inverse_h;
            const float scale = -(length - parameters[2 * k]) / fmaxf((a.w + b.w + alpha) * length, 1e-30f);
            a.x += a.w * scale * dx;
            a.y += a.w * scale * dy;
            a.z += a.w * scale * dz;
            b.x -= b.w * scale * dx;
            b.y -= b.w * scale * dy;
            b.z -= b.w * scale * dz;
            positions[pairs[2 * k]] = a;
            positions[pairs[2 * k + 1]] = b;
        }
        for (int i = 0; i < particle_count; i++) {
            velocities[i].x = (positions[i].x - previous[i].x) * inverse_h;
            velocities[i].y = (positions[i].y - previous[i].y) * inverse_h;
            velocities[i].z = (positions[i].z - previous[i].z) * inverse_h;
        }
    }
}
