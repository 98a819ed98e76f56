# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver against results that are known: one file per family of cases, run by ``scripts/validate``."""
