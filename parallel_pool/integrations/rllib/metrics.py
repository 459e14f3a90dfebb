"""The numbers that RLlib's metrics need of an episode."""

import dataclasses
from typing import Any


@dataclasses.dataclass
class EpisodePart:
    """Length, return and duration of an episode, or of a fragment of one.

    RLlib keeps the episodes themselves until they are over, with their observations. A game of
    Atari would then take gigabytes.
    """

    id_: str
    is_done: bool
    num_steps: int
    sum_of_rewards: Any
    seconds: float

    @classmethod
    def of(cls, episode: Any) -> "EpisodePart":
        """The part for a SingleAgentEpisode."""
        return cls(
            episode.id_,
            episode.is_done,
            len(episode),
            episode.get_return(),
            episode.get_duration_s(),
        )

    def __len__(self) -> int:
        """The number of steps."""
        return self.num_steps

    def get_return(self) -> Any:
        """The sum of the rewards."""
        return self.sum_of_rewards

    def get_duration_s(self) -> float:
        """Seconds."""
        return self.seconds
