# SPDX-License-Identifier: GPL-3.0-or-later
"""Tetrahedra: measures, masses, embedding, clusters, and the libraries that make them."""
