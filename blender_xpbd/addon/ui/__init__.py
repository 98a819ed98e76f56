# SPDX-License-Identifier: GPL-3.0-or-later
"""What the artist sees: panels, menus, preferences, and the operators behind the buttons."""
