# SPDX-License-Identifier: GPL-3.0-or-later
"""How far bodies fall before they hit something, told before anything is simulated."""
