# SPDX-License-Identifier: GPL-3.0-or-later
"""Attraction of masses: a = G Σ m d / (d² + ε²)^(3/2) (Plummer's softening), by a tree (Barnes & Hut 1986)."""

import taichi as ti

# columns of a node: its first member, the one after its last, and the node after all those within it
NODE_FIRST, NODE_LAST, NODE_SKIP = range(3)
NODE_INTS = 3
# the numbers of a scene
STRENGTH, SOFTENING, OPENING = range(3)


@ti.func
def fit_nodes(particles: ti.template(), attraction: ti.template()):
    """Centre, mass and size of all nodes, each after those within it.

    Args:
        particles: the pack.
        attraction: pack with members and nodes as in ``solver.system.attraction``.
    """
    nodes, centres = ti.static(attraction.node_ints, attraction.node_centres)
    count = nodes.shape[0]
    for m in range(count):
        k = count - 1 - m
        total, mass, size = ti.Vector([0.0, 0.0, 0.0]), 0.0, 0.0
        if nodes[k, NODE_SKIP] == k + 1:
            for n in range(nodes[k, NODE_FIRST], nodes[k, NODE_LAST]):
                i = attraction.attracting[n]
                total += attraction.attracting_masses[i] * particles.positions[i].xyz
                mass += attraction.attracting_masses[i]
            centre = total / mass
            for n in range(nodes[k, NODE_FIRST], nodes[k, NODE_LAST]):
                size = ti.max(size, (particles.positions[attraction.attracting[n]].xyz - centre).norm())
            total = centre
        else:
            first, second = k + 1, nodes[k + 1, NODE_SKIP]
            a, b = centres[first], centres[second]
            mass = a[3] + b[3]
            total = (a[3] * a.xyz + b[3] * b.xyz) / mass
            size = ti.max(
                (a.xyz - total).norm() + attraction.node_sizes[first],
                (b.xyz - total).norm() + attraction.node_sizes[second],
            )
        centres[k] = ti.Vector([total[0], total[1], total[2], mass])
        attraction.node_sizes[k] = size


@ti.func
def attraction_at(particles: ti.template(), attraction: ti.template(), i):
    """What all others do to particle ``i`` [m/s²]."""
    nodes, numbers = ti.static(attraction.node_ints, attraction.attraction_numbers)
    place, total, k = particles.positions[i].xyz, ti.Vector([0.0, 0.0, 0.0]), 0
    softening, opening = numbers[SOFTENING], numbers[OPENING]
    while k < nodes.shape[0]:
        centre = attraction.node_centres[k]
        way = centre.xyz - place
        if attraction.node_sizes[k] < opening * way.norm():
            total += pull(way, centre[3], softening)
            k = nodes[k, NODE_SKIP]
        else:
            if nodes[k, NODE_SKIP] == k + 1:
                for n in range(nodes[k, NODE_FIRST], nodes[k, NODE_LAST]):
                    j = attraction.attracting[n]
                    if j != i:
                        mass = attraction.attracting_masses[j]
                        total += pull(particles.positions[j].xyz - place, mass, softening)
            k += 1
    return numbers[STRENGTH] * attraction.attracting_weights[i] * total


@ti.func
def pull(way, mass, softening):
    """Of a mass, without G; none where it is at the same place."""
    square = way.norm_sqr() + softening
    return mass * way / (square * ti.sqrt(square)) if square > 1e-24 else ti.Vector([0.0, 0.0, 0.0])
