# SPDX-License-Identifier: GPL-3.0-or-later
"""What would go wrong in a bake, found before it starts."""
