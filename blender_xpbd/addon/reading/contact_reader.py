# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object meets, as its settings say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...scene.body_contact import BodyContact
from ...scene.errors import Notice
from .mesh_reader import group_weights, has_group

# a vertex either takes part or does not: weights above this leave it out
LEFT_OUT_ABOVE = 0.5


@dataclass(frozen=True)
class LocalContact:
    """What an object meets, before it is known which objects take part.

    Attributes:
        settings: without what it sees.
        collection_name: of the collection of what it sees, for messages; "" for none.
        seen_uids: ``session_uid`` of the collection's objects, those of its children among them.
    """

    settings: BodyContact
    collection_name: str = ""
    seen_uids: frozenset[int] = frozenset()


def read_contact(obj: bpy.types.Object, unit_scale: float) -> tuple[LocalContact, tuple[Notice, ...]]:
    """The settings of an object; a warning where its vertex group is missing or empty.

    Args:
        obj: with a role of a body.
        unit_scale: metres per Blender unit.
    """
    own = obj.xpbd
    settings = BodyContact(
        self_collision=own.use_self_collision,
        body_collision=own.use_body_collision,
        thickness=own.thickness * unit_scale,
        layer=own.contact_layer,
    )
    notices: tuple[Notice, ...] = ()
    if name := own.no_contact_group:
        left_out = np.flatnonzero(group_weights(obj, name) > LEFT_OUT_ABOVE).astype(np.int32)
        settings = replace(settings, left_out=left_out)
        notices = _group_notices(obj, name, len(left_out))
    collection = own.collision_collection
    if collection is None:
        return LocalContact(settings), notices
    uids = frozenset(member.session_uid for member in collection.all_objects)
    return LocalContact(settings, collection.name, uids), notices


def resolved_contact(
    contact: LocalContact, object_uid: int, object_name: str, identifiers: Mapping[int, str], floor: Iterable[str]
) -> tuple[BodyContact, tuple[Notice, ...]]:
    """The contact by the identifiers of what is seen; a warning where a collection holds nothing that takes part.

    Args:
        contact: what was read.
        object_uid: of the object.
        object_name: its name.
        identifiers: of the bodies and colliders in the bake, by ``session_uid``.
        floor: identifiers of what belongs to no collection and is always seen.
    """
    if not contact.collection_name:
        return contact.settings, ()
    seen = [name for uid, name in identifiers.items() if uid in contact.seen_uids and uid != object_uid]
    notices: tuple[Notice, ...] = ()
    if not seen:
        words = (
            f'The collection "{contact.collection_name}" holds no other object of this bake, so that this one meets '
            "none: choose another collection, or empty the field to meet all."
        )
        notices = (Notice("W_GROUP", words, object_name),)
    return replace(contact.settings, sees=(*seen, *floor)), notices


def _group_notices(obj: bpy.types.Object, name: str, count: int) -> tuple[Notice, ...]:
    if count:
        return ()
    if not has_group(obj, name):
        words = f'There is no vertex group "{name}": every vertex takes part in contact. Choose another group.'
    else:
        words = f'No vertex of "{name}" has a weight above {LEFT_OUT_ABOVE:g}: every vertex takes part in contact.'
    return (Notice("W_GROUP", words, obj.name),)
