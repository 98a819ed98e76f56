# SPDX-License-Identifier: GPL-3.0-or-later
"""What crosses when a scene, or a substep, begins: it is found, and taken apart."""
