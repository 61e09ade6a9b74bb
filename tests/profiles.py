"""How many examples a property is tried on, by the profile that ``conftest`` loads."""

from hypothesis import settings


def examples(times):
    """Return a multiple of the profile's examples: more where they are cheap, or less."""
    return max(1, round(times * settings.default.max_examples))
