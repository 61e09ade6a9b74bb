"""A database server for the tests of sources."""

import os

import pytest

import postgresql
from equipment import NOT_THERE


@pytest.fixture(scope="session")
def postgresql_address():
    """The address of an empty PostgreSQL database."""
    if postgresql.programs() is None:
        if os.environ.get("CI_REQUIRES_POSTGRES"):
            pytest.fail("initdb and postgres are not installed, and CI_REQUIRES_POSTGRES is set")
        pytest.skip(f"PostgreSQL {NOT_THERE}")
    with postgresql.server() as address:
        yield address
