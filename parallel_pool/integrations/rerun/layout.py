"""The views of the viewer: a panel for each env, with its episodes, pictures, plots and texts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import rerun.blueprint as rrb

from parallel_pool.integrations.rerun.bodies import BODIES
from parallel_pool.integrations.rerun.env_log import EPISODE, STEP

PARTING = "parting"  # the entity that says where two runs part

_VIEWS = {
    "plot": rrb.TimeSeriesView,
    "bars": rrb.BarChartView,
    "tensor": rrb.TensorView,
    "text": rrb.TextLogView,
}
_PLOTTED = ("observation", "action", "info")  # a view for all plots of each


@dataclass
class Panel:
    """The views of one env.

    Attributes:
        root: the path of its entity.
        title: for people.
        fps: results per second at which people watch the task; 0: as fast as possible.
        names: as EnvLog.names.
    """

    root: str
    title: str
    fps: int
    names: dict[str, str] = field(default_factory=dict)


def blueprint(
    panels: list[Panel], *, is_comparison: bool = False, is_live: bool = False
) -> rrb.Blueprint:
    """The panels side by side for two runs, else as tabs behind the returns of all.

    Args:
        panels: of the envs.
        is_comparison: whether they are of two runs.
        is_live: whether the newest result is shown, as it comes.
    """
    if is_comparison:
        runs: dict[str, list[Panel]] = {}
        for panel in panels:
            runs.setdefault(panel.root.partition("/")[0], []).append(panel)
        sides = [_tabs(map(_env, mine), name) for name, mine in runs.items()]
        says = [
            rrb.TextDocumentView(origin=f"{PARTING}/text", name="where the runs part"),
            rrb.StateTimelineView(origin=PARTING, name="the runs"),
        ]
        top: Any = rrb.Vertical(*says, rrb.Horizontal(*sides), row_shares=[2, 2, 9])
    elif len(panels) == 1:
        top = _env(panels[0])
    else:
        ends = [f"/{panel.root}/{EPISODE}/return" for panel in panels]
        lanes = [f"/{panel.root}/{EPISODE}" for panel in panels]
        overview = rrb.Vertical(
            rrb.StateTimelineView(origin="/", contents=lanes, name="episodes"),
            rrb.TimeSeriesView(origin="/", contents=ends, name="returns"),
            name="all",
        )
        top = rrb.Tabs(overview, *map(_env, panels), active_tab=0 if is_live else 1)
    fps = max((panel.fps for panel in panels), default=0)
    return rrb.Blueprint(
        top,
        rrb.TimePanel(
            state="collapsed",
            timeline=STEP,
            fps=float(fps) if fps else None,
            play_state="following" if is_live else None,
        ),
        rrb.BlueprintPanel(state="collapsed"),
        rrb.SelectionPanel(state="hidden"),
        auto_views=False,
    )


def _tabs(views: Iterable[Any], name: str) -> Any:
    listed = list(views)
    return listed[0] if len(listed) == 1 else rrb.Tabs(*listed, name=name)


def _env(panel: Panel) -> Any:
    """The views of one env."""
    root = f"/{panel.root}"
    rows = [rrb.StateTimelineView(origin=f"{root}/{EPISODE}", name="episodes")]
    reward = rrb.TimeSeriesView(origin=f"{root}/reward", name="reward")
    scene = []
    if "picture" in panel.names:
        scene.append(rrb.Spatial2DView(origin=f"{root}/picture", name="picture"))
    if BODIES in panel.names:
        eye = rrb.EyeControls3D(tracking_entity=f"/{panel.names[BODIES]}")
        scene.append(rrb.Spatial3DView(origin=f"{root}/{BODIES}", name="bodies", eye_controls=eye))
    rows.append(rrb.Horizontal(*scene, reward) if scene else reward)
    plots, others = [], []
    for group in _PLOTTED:
        mine = {n: kind for n, kind in panel.names.items() if n.partition("/")[0] == group}
        contents = [f"{root}/{name}" for name, kind in mine.items() if kind == "plot"]
        if contents:
            plots.append(rrb.TimeSeriesView(origin=root, contents=contents, name=group))
        others += [
            _VIEWS[kind](origin=f"{root}/{name}", name=name)
            for name, kind in mine.items()
            if kind != "plot"
        ]
    if plots:
        rows.append(rrb.Horizontal(*plots))
    if others:
        rows.append(others[0] if len(others) == 1 else rrb.Tabs(*others))
    return rrb.Vertical(*rows, row_shares=[1] + [3] * (len(rows) - 1), name=panel.title)
