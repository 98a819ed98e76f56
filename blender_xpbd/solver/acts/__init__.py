# SPDX-License-Identifier: GPL-3.0-or-later
"""What a substep does, act by act: functions that both paths call."""
