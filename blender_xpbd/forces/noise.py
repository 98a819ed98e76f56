# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise that depends on whole numbers alone, and so is the same on all devices and for any number of threads.

The gradient noise is Perlin's improved one (2002, "Improving noise"), whose gradients are chosen by a hash instead of a
table (PCG3D of Jarzynski & Olano 2020, "Hash functions for GPU rendering"), so that there are as many noises as seeds.
"""

import taichi as ti

# of one lattice cell in the hash; beyond this many cells from the origin the noise repeats
_MOST_CELLS = 1 << 20


@ti.func
def hashed(a, b, c):
    """Three well mixed numbers of 32 bits from three whole numbers."""
    x, y, z = ti.cast(a, ti.u32), ti.cast(b, ti.u32), ti.cast(c, ti.u32)
    factor, addend = ti.u32(1664525), ti.u32(1013904223)
    x, y, z = x * factor + addend, y * factor + addend, z * factor + addend
    x += y * z
    y += z * x
    z += x * y
    x ^= x >> 16
    y ^= y >> 16
    z ^= z >> 16
    x += y * z
    y += z * x
    z += x * y
    return ti.Vector([x, y, z])


@ti.func
def random_share(number, seed, draw):
    """A random number as that by which Blender's noise changes a strength: −65/128 to 127/128 of it."""
    bits = hashed(number, seed, draw)
    whole = ti.cast(bits[0] >> 25, ti.i32)
    share = ti.cast(whole, float) / (1.0 + ti.cast(bits[1] >> 8, float) / 16777216.0) / 128.0
    return ti.select(whole > 64, share, -share)


@ti.func
def gradient(x, y, z, seed, d):
    """The gradient of a lattice point, one of the twelve from the middle of a cube to its edges, times ``d``."""
    bits = ti.cast(hashed(x, y, z + seed * 7919)[0] >> 28, ti.i32)
    u = ti.select(bits < 8, d[0], d[1])
    v = ti.select(bits < 4, d[1], ti.select(bits == 12 or bits == 14, d[0], d[2]))
    return ti.select(bits & 1 == 0, u, -u) + ti.select(bits & 2 == 0, v, -v)


@ti.func
def gradient_noise(place, seed):
    """Smooth noise of about −1 to 1 that is 0 at whole coordinates."""
    within = ti.math.clamp(place, -_MOST_CELLS, _MOST_CELLS)
    corner = ti.floor(within)
    f = within - corner
    x, y, z = ti.cast(corner[0], ti.i32), ti.cast(corner[1], ti.i32), ti.cast(corner[2], ti.i32)
    fade = f * f * f * (f * (f * 6.0 - 15.0) + 10.0)
    total = 0.0
    # loops that are not unrolled: unrolled, a kernel takes minutes to compile
    for n in range(8):
        i, j, k = n & 1, (n >> 1) & 1, n >> 2
        share = 1.0 - fade[0] + i * (2.0 * fade[0] - 1.0)
        share *= 1.0 - fade[1] + j * (2.0 * fade[1] - 1.0)
        share *= 1.0 - fade[2] + k * (2.0 * fade[2] - 1.0)
        total += share * gradient(x + i, y + j, z + k, seed, f - ti.Vector([1.0 * i, 1.0 * j, 1.0 * k]))
    return total


@ti.func
def turbulent_noise(x, y, z, seed):
    """Three octaves of noise, each half as strong and twice as fine as the one before, together about −1 to 1."""
    place, amount, total = ti.Vector([x, y, z]), 1.0, 0.0
    for _ in range(3):
        total += amount * gradient_noise(place, seed)
        amount *= 0.5
        place *= 2.0
    return total / 1.75
