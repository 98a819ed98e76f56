# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays in, arrays out: topology, tetrahedra, cages, embedding, masses and colours. Only NumPy."""
