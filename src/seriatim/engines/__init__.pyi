from .engine import ShardedEngine
from .local.engine import LocalEngine
from .spark.engine import SparkEngine

__all__ = ["LocalEngine", "ShardedEngine", "SparkEngine"]
