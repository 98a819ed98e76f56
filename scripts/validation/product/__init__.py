# SPDX-License-Identifier: GPL-3.0-or-later
"""What artists get: scenes that are baked through the add-on, at its default settings."""
