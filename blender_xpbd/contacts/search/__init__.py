# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pairs of surface elements may touch during a substep: vertex and triangle, or edge and edge.

Each particle has a box that travels through the substep. Trees of boxes over the surfaces (``geometry.search``) are
fitted to them anew for each search and walked against each other. A pair is left out only where one axis parts the
boxes of its sides at both ends of the substep, or where the cone of their normals and the shape at rest say that parts
of a surface cannot meet. So nothing else can touch as long as each particle stays in its box.

``pair_search.PairSearch`` is the way in; ``crossings`` finds what goes through each other already.
"""
