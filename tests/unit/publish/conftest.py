"""Sealed stores whose key costs next to nothing to derive."""

import pytest

from seriatim.publish import seal


@pytest.fixture(autouse=True)
def cheap_key(monkeypatch):
    """Hold a key for studies with a sealed store; ``test_seal`` derives one at its full cost."""
    monkeypatch.setenv("CLINIC_KEY", "correct horse battery staple")
    monkeypatch.setattr(seal, "COST_BITS", 4)
