"""A setting: how a series may be protected, of those that a rehearsal weighs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from seriatim.partition.standing_cells import StandingCells
from seriatim.publish.policy import Policy
from seriatim.publish.series_plan import Defence


@dataclass(frozen=True)
class Setting:
    """Standing cells, and what becomes of those who come and go.

    >>> Setting(StandingCells(20), k=10, batch=5).lines
    ('k = 10', 'partitioner = "standing-cells"', 'cell_size = 20', 'cells_by = "first-seen"', \
'cells_merge = "stay"', 'batch = 5')
    """

    cells: StandingCells
    """The cells."""

    k: int
    """The least size of a group; never below what the policy asks for."""

    batch: int = 1
    """How many people of a cell arrive, or leave, together."""

    keep: int = 0
    """For how many releases those who do not come stay listed."""

    pool: int = 1
    """How many periods make a release."""

    def policy(self, policy: Policy) -> Policy:
        """Return a policy with this setting, which asks for no less."""
        return replace(
            policy.with_k(self.k),
            partitioner=self.cells,
            batch=self.batch,
            keep=self.keep,
            pool=self.pool,
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """What study.toml says of it, under [policy]."""
        told = [
            f"k = {self.k}",
            'partitioner = "standing-cells"',
            f"cell_size = {self.cells.size}",
            f'cells_by = "{self.cells.by}"',
            f'cells_merge = "{self.cells.merges}"',
        ]
        told += [f"batch = {self.batch}"] if self.batch > 1 else []
        told += [f"keep = {self.keep}"] if self.keep else []
        told += [f"pool = {self.pool}"] if self.pool > 1 else []
        return tuple(told)

    @property
    def asks_for(self) -> tuple[Defence, ...]:
        """What must be allowed for it to be recommended."""
        used: dict[Defence, bool] = {
            "batch": self.batch > 1,
            "pool": self.pool > 1,
            "keep": self.keep > 0,
        }
        return tuple(name for name, is_used in used.items() if is_used)

    @property
    def defences(self) -> str:
        """What it does besides cells, as study.toml calls it.

        >>> Setting(StandingCells(20), k=10, batch=5, pool=3).defences
        'batch 5, pool 3'
        """
        told = [f"batch {self.batch}"] if self.batch > 1 else []
        told += [f"keep {self.keep}"] if self.keep else []
        told += [f"pool {self.pool}"] if self.pool > 1 else []
        return ", ".join(told)

    @property
    def as_told(self) -> tuple[StandingCells, int, int, int, int]:
        """What makes it the same as another."""
        return self.cells, self.k, self.batch, self.keep, self.pool
