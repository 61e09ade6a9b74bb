"""Engines: where the work of a release runs, on one machine or on a cluster.

A view is cut into shards, and one function on bare tables makes groups, posteriors and pasts
of a shard. An engine only says where that function runs; the figures are the same.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
