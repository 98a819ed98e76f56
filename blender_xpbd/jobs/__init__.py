# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract on disk between whoever asks for a bake and the worker that computes it.

A job is one folder of plain data, named by the digest of all that influences the result::

    CACHE/
      3f2a…c1/                    digest[:24] of the job
        job.json                  what to simulate: settings, units, names, digests of the arrays   (job)
        arrays/                   one array each, named by identifier and field                     (array_record)
          b0_pin_matrices.npy     of a body                                         (body_record, contact_record)
          c0_positions.npy        of a collider                                                     (collider_record)
          f0_transforms.npy       of a force field                                                  (force_record)
          region_vertices.npy     of the region that is simulated again                             (region_record)
          b0_track_friction.npy   of a track, named by its target; "scene" for the scene itself     (track_record)
        lock                      held by the one process that computes                             (lock)
        result.json               what the worker built; written before the first frame             (result)
        tangled.npy               vertices that cross something at the first frame                  (tangled)
        status.json               how far it is, and why it stopped                                 (status)
        worker.log                what the worker printed                                           (log)
        checkpoint.bin            the solver's state, from which it goes on bit for bit             (checkpoint)
        frames/
          frame_00000001.bin      positions, statistics and orientations of one frame               (frames)
          frame_-00000003.bin     (before frame 0)
        inputs/                   where an artist has played it                                     (play_inputs)
          run_0001/               one for each time that the run was begun; the newest counts
            input_00000002.json   what acts in one frame: the hand, pushes, changed parameters

Whoever asks writes ``job.json`` and ``arrays/``, the worker writes the rest. Each file appears whole or not at all
(written under a temporary name ``.….tmp``, then renamed), so either side may be killed at any moment; leftover
temporary files mean nothing. Only ``worker.log`` is appended to.

Nothing in the folder is a pickle, and nothing in it is trusted: all are regular files that are opened in one place
(``files``), links, pipes and devices are refused, sizes and shapes are compared with each other and with free memory,
and digests are taken in pieces, before anything is held. A digest finds accidents, not forgeries: whoever can write the
folder can write the digest.

What changes over the frames has one row per frame, or a single one where it stands still. Pins that follow an object
have its motion as matrices (``pin_matrices``), others their places (``pin_targets``).
"""
