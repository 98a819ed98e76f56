# SPDX-License-Identifier: GPL-3.0-or-later
"""Play: the worker simulates while the artist watches, drags and changes; nothing is kept unless it is wanted."""
