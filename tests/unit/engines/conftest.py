"""A series in shards, published by the local engine."""

import pytest

from sharded_series import reference


@pytest.fixture(scope="session")
def by_local(tmp_path_factory):
    """A series of three releases, and what came of each."""
    return reference(tmp_path_factory.mktemp("reference"))
