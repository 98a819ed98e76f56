# SPDX-License-Identifier: GPL-3.0-or-later
"""What surfaces measure, and what of a solid is thin for its cells. Arrays alone."""
