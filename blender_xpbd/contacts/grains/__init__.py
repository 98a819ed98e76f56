# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of grains with each other: a list of pairs from a grid of cells, and pushes layer by layer.

Grains of one substep are sorted into *layers* of cells along one axis, and whole layers into *slabs*. A pair belongs to
the grain whose cell comes first, so the pairs of a slab move grains of it and of the next one only. Slabs with an even
number share no grain, nor do those with an odd one: they are the two colours of a sweep, whose turns threads may take
in any order.
"""
