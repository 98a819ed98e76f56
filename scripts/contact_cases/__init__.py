# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes in which bodies meet, and a judge that counts what crosses; ``scripts/contact_suite`` runs them."""
