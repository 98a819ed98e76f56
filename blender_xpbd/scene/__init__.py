# SPDX-License-Identifier: GPL-3.0-or-later
"""What is simulated: plain dataclasses, parameters with units, presets and fault codes. Only NumPy."""
