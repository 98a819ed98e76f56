# SPDX-License-Identifier: GPL-3.0-or-later
"""What colliders are made of, before a scene is one system."""
