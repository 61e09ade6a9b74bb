"""A reader who says more than they know: gains more, and knows less."""

import seriatim as sr


class Bold:
    """A reader who believes the same as another, and says so much more surely."""

    def __init__(self, reader, power):
        self.reader, self.power = reader, power

    def read(self, releases, memberships, originals=None):
        held = self.reader.read(releases, memberships, originals)
        sharp = [one.probabilities**self.power for one in held]
        return [
            sr.Belief(rows / rows.sum(axis=1, keepdims=True), one.domain)
            for rows, one in zip(sharp, held, strict=True)
        ]

    def told(self, roster, at):
        return self.reader.told(roster, at)
