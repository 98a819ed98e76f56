# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that appear under their name whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...scene.errors import XpbdError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, of the same ending and on the same disk, that takes the name in the end.

    What was there before stays, unless all went well.

    Raises:
        XpbdError: E_IO, where the system refuses.
    """
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".xpbd_") as folder:
            unfinished = Path(folder) / path.name
            yield unfinished
            unfinished.replace(path)
    except OSError as fault:
        reason = fault.strerror or type(fault).__name__
        raise XpbdError("E_IO", f"Cannot write {path}: {reason}. Choose another place for the file.") from fault
