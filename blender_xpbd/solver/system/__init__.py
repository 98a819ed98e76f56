# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene as one system of particles, constraints, pins and colliders; what is told of it."""
