# SPDX-License-Identifier: GPL-3.0-or-later
"""A layout that keeps what is drawn into it, and refuses what Blender would refuse or warn of."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import bpy


class RecordedLayout:
    """Stands in for ``UILayout``, which cannot be had without a window."""

    def __init__(self, parent: RecordedLayout | None = None) -> None:
        self.parent = parent
        self.enabled = self.active = True
        self.alert = False
        self.scale_y = 1.0
        self.operator_context = "EXEC_DEFAULT"
        self.root: RecordedLayout = parent.root if parent else self
        if parent is None:
            self.properties: list[str] = []
            self.greyed: list[str] = []
            self.operators: list[tuple[str, str]] = []
            self.operator_values: list[SimpleNamespace] = []
            self.greyed_operators: list[SimpleNamespace] = []
            self.menus: list[str] = []
            self.popovers: list[str] = []
            self.icons: list[int] = []
            self.lists: list[tuple[str, int]] = []
            self.words: list[str] = []
            self.enum_buttons: list[tuple[str, str, bool]] = []
            self.closed: set[str] = set()

    def _child(self, **_options: Any) -> RecordedLayout:
        return RecordedLayout(self)

    column = row = box = split = grid_flow = _child

    def panel(self, idname: str, default_closed: bool = False) -> tuple[RecordedLayout, RecordedLayout | None]:
        assert self.parent is None, "Blender makes layout panels in the root layout alone"
        return self._child(), None if idname in self.closed else self._child()

    @property
    def is_greyed(self) -> bool:
        return not (self.enabled and self.active) or (self.parent is not None and self.parent.is_greyed)

    def prop(self, data: Any, name: str, text: str | None = None, **options: Any) -> None:
        definition = data.bl_rna.properties[name]
        if options.get("slider"):
            assert definition.type == "FLOAT"
        if options.get("expand"):
            assert definition.type == "ENUM"
        self.root.properties.append(name)
        if self.is_greyed:
            self.root.greyed.append(name)
        self.root.words.append(definition.name if text is None else text)

    def prop_search(self, data: Any, name: str, search_data: Any, search_name: str, text: str | None = None) -> None:
        assert search_data.bl_rna.properties[search_name].type == "COLLECTION"
        assert data.bl_rna.properties[name].type == "STRING"
        self.prop(data, name, text)

    def prop_enum(self, data: Any, name: str, value: str) -> None:
        self.root.words.append(data.bl_rna.properties[name].enum_items[value].name)
        self.root.enum_buttons.append((name, value, not self.is_greyed))

    def operator(
        self, name: str, text: str = "", icon: str = "NONE", depress: bool = False, icon_value: int = 0
    ) -> Any:
        _check_icon(icon)
        module, _, function = name.partition(".")
        definition = getattr(getattr(bpy.ops, module), function).get_rna_type()
        values = SimpleNamespace(**{p.identifier: None for p in definition.properties if p.identifier != "rna_type"})
        self.root.operators.append((name, self.operator_context))
        self.root.operator_values.append(values)
        if self.is_greyed:
            self.root.greyed_operators.append(values)
        self.root.words.append(text or definition.name)
        return values

    def menu(self, name: str, text: str = "", icon: str = "NONE") -> None:
        _check_icon(icon)
        assert hasattr(bpy.types, name)
        self.root.menus.append(name)
        self.root.words.append(text)

    def popover(self, name: str, text: str = "", icon: str = "NONE") -> None:
        _check_icon(icon)
        assert hasattr(bpy.types, name)
        self.root.popovers.append(name)

    def template_list(
        self, list_type: str, _list_id: str, data: Any, name: str, active_data: Any, active_name: str, rows: int = 5
    ) -> None:
        assert issubclass(getattr(bpy.types, list_type), bpy.types.UIList)
        assert data.bl_rna.properties[name].type == "COLLECTION"
        assert active_data.bl_rna.properties[active_name].type == "INT"
        self.root.lists.append((list_type, rows))

    def template_icon(self, icon_value: int, scale: float) -> None:
        self.root.icons.append(icon_value)

    def label(self, text: str = "", icon: str = "NONE", translate: bool = True) -> None:
        _check_icon(icon)
        self.root.words.append(text)

    def progress(self, factor: float, type: str, text: str) -> None:  # noqa: A002 - Blender's name
        assert 0.0 <= factor <= 1.0
        self.root.words.append(text)

    def separator(self) -> None:
        pass


def _check_icon(icon: str) -> None:
    assert icon in bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items


def draw(cls: Any, method: str = "draw", closed: Iterable[str] = ()) -> RecordedLayout:
    """Draw a panel or menu for the present context; what was drawn, with all disclosures open but those named."""
    layout = RecordedLayout()
    layout.closed = set(closed)
    getattr(cls, method)(SimpleNamespace(layout=layout), bpy.context)
    return layout
