from .attack import ReleaseExposure
from .declaration import Outcome, Series, Sizes
from .engine import ShardedEngine
from .local.engine import LocalEngine
from .spark.engine import SparkEngine

__all__ = [
    "LocalEngine",
    "Outcome",
    "ReleaseExposure",
    "Series",
    "ShardedEngine",
    "Sizes",
    "SparkEngine",
]
