"""How many examples a property is tried on, by the profile that ``conftest`` loads."""

from hypothesis import settings


def examples(times):
    """Return a multiple of the profile's examples, for what is cheap to try and rare to hit."""
    return times * settings.default.max_examples
