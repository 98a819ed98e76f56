# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that others bump into, made fit for queries."""
