"""The pictures of a replay of one env."""

from typing import Any

import numpy as np

from parallel_pool.replays.replay import Replay


class Pictures:
    """Draws the env that a replay plays.

    Attributes:
        problem: why it cannot draw; empty as long as it can.
    """

    def __init__(self, played: Replay, *, are_needed: bool) -> None:
        """Draws nothing yet.

        Args:
            played: the replay.
            are_needed: whether take() raises the error of a machine that cannot draw.
        """
        self._played = played
        self._are_needed = are_needed
        self.problem: str = ""

    def take(self) -> Any:
        """The picture now: (height, width, 3), uint8; None if there is a problem.

        Raises:
            RuntimeError: it cannot draw, and pictures are needed.
        """
        if self.problem:
            return None
        try:
            picture = np.asarray(self._played.render())
        except RuntimeError as error:  # such as a machine without OpenGL
            if self._are_needed:
                raise
            self.problem = str(error)
            return None
        return picture[0] if picture.ndim == 4 else picture
