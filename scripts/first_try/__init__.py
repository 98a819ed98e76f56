# SPDX-License-Identifier: GPL-3.0-or-later
"""What a newcomer tries first: a primitive, a role, Bake; ``scripts/first_tries`` runs and judges them."""
