# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of a body, a file per subject; ``material_parameters`` has them all."""
