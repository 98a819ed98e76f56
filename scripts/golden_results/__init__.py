# SPDX-License-Identifier: GPL-3.0-or-later
"""Ties ``SOLVER_VERSION`` to the bytes that the solver computes: frames of one version never differ.

``record.json`` holds a digest of the sources that decide bytes, and of the bytes of a few small scenes. Bytes depend on
the processor too: NumPy's linear algebra and the C library choose their code by it. So they are recorded by processor,
and what is compared everywhere is the sources; whoever changes one of those runs ``scripts/golden``, which records
the new digest where the bytes have stayed as they were, and asks for another version where they have not.
"""
