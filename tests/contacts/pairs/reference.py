# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances of pairs in extended precision, and whether straight motions keep them apart."""

import numpy as np

from blender_xpbd.contacts.pairs.tables import EDGE_EDGE


def distances(kinds, places):
    """Distance of each pair (pairs,) of four points (pairs, 4, 3), kinds as in ``pairs.tables``."""
    a, b, c, d = np.moveaxis(places.astype(np.longdouble), 1, 0)
    is_edges = np.asarray(kinds) == EDGE_EDGE
    rims = [_to_segment(a, c, d), np.where(is_edges, _to_segment(b, c, d), _to_segment(a, b, c))]
    rims += [np.where(is_edges, _to_segment(c, a, b), _to_segment(a, b, d))]
    rims += [np.where(is_edges, _to_segment(d, a, b), np.inf)]
    within = np.where(is_edges, _lines(a, b - a, c, d - c), _plane(a, b, c - b, d - b))
    return np.minimum(np.min(rims, axis=0), within).astype(float)


def smallest_on_the_way(kinds, starts, ends):
    """The smallest distance of each pair while its points go straight from ``starts`` to ``ends``.

    Conservative advancement: as long as nothing moves farther than the distance, nothing meets. 0 where it gets stuck.
    """
    speeds = 2.0 * np.linalg.norm(ends - starts, axis=2).max(axis=1)
    time, least = np.zeros(len(starts)), np.full(len(starts), np.inf)
    for _ in range(2000):
        open_ones = np.flatnonzero(time < 1.0)
        if not len(open_ones):
            return least
        share = time[open_ones, None, None]
        now = (1.0 - share) * starts[open_ones] + share * ends[open_ones]
        found = distances(kinds[open_ones], now)
        least[open_ones] = np.minimum(least[open_ones], found)
        time[open_ones] += found / np.maximum(speeds[open_ones], 1e-30)
    least[time < 1.0] = 0.0
    return least


def _dot(a, b):
    return (a * b).sum(axis=-1)


def _to_segment(p, a, b):
    way, length = b - a, _dot(b - a, b - a)
    part = np.clip(_dot(p - a, way) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
    return np.sqrt(_dot(p - a - part[:, None] * way, p - a - part[:, None] * way))


def _plane(p, origin, ab, ac):
    normal = np.cross(ab, ac)
    square = _dot(normal, normal)
    v, w = _dot(normal, np.cross(p - origin, ac)), _dot(normal, np.cross(ab, p - origin))
    inside = (v >= 0.0) & (w >= 0.0) & (v + w <= square) & (square > 0.0)
    return np.where(inside, np.abs(_dot(normal, p - origin)) / np.sqrt(np.where(square > 0.0, square, 1.0)), np.inf)


def _lines(a, along_a, b, along_b):
    normal = np.cross(along_a, along_b)
    square = _dot(normal, normal)
    s, t = _dot(normal, np.cross(b - a, along_b)), _dot(normal, np.cross(b - a, along_a))
    inside = (s >= 0.0) & (s <= square) & (t >= 0.0) & (t <= square) & (square > 0.0)
    return np.where(inside, np.abs(_dot(normal, b - a)) / np.sqrt(np.where(square > 0.0, square, 1.0)), np.inf)


def jammed_edges(count):
    """Long edges that all but meet just beside an end, where rounding turns the way between the nearest points.

    Places (pairs, 4, 3), a few hundred rounding errors of double precision apart.
    """
    rng = np.random.default_rng(0)
    close = 300.0 * np.finfo(np.float64).eps
    # edge b along X, and edge a from above and beside it away from it
    places = rng.uniform(0.3, 1.0, (count, 4, 3))
    places[:, 2:] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    beside, above = rng.uniform(0.1, 0.2, count), rng.uniform(0.5, 1.0, count)
    places[:, 0] = np.stack([rng.uniform(0.3, 0.7, count), close * beside, close * above], axis=1)
    # numbers that are exact along an axis would hide it
    return places @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
