# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker as a process: which Python, how it is started, how it ends, where its job folder is."""
