# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery: classic scenes of position-based dynamics, each made from nothing by a file of its own."""
