"""Slow twins of the made hospital: formulas in plain Python, one row at a time."""

import math

DIRECTIONS = ("none", "up", "down")


def stage_names(stages):
    return [f"{name}-{number}" for name, count in stages for number in range(1, count + 1)]


def neighbours(stages, value):
    """Return the stage above and the stage below a value, None where there is none."""
    name, number = value.rsplit("-", 1)
    count, number = dict(stages)[name], int(number)
    above = f"{name}-{number + 1}" if number < count else None
    below = f"{name}-{number - 1}" if number > 1 else None
    return above, below


def progression_row(parameters, traits, kind, state):
    """Return the distribution after a state (value, dwell, direction) in a class (three bands).

    States ``None``, ``"deceased"`` and ``"discharged"`` begin a stay.
    """
    values = stage_names(parameters.stages)
    age, gender, weight = kind
    row_of_class = (age * 2 + gender) * 3 + weight
    first = dict(zip(values, traits.first[row_of_class], strict=True))
    if state in (None, "deceased", "discharged"):
        return first
    value, dwell, direction = state
    place = values.index(value)
    above, below = neighbours(parameters.stages, value)
    s, u = traits.staying[place], traits.rising[place]
    a = parameters.age_effect ** ((age - 1) + 0.5 * (weight - 1) + 0.3 * (gender - 0.5))
    if parameters.dwell_exponent is None:
        growth = 1 + dwell / 2
    else:
        centre = traits.centre[row_of_class, place]
        growth = math.exp(parameters.dwell_exponent * (dwell - centre))
    noise = traits.noise[row_of_class, place]
    weights = {value: s * noise[0]}
    if above is not None:
        push = parameters.momentum if direction == "up" else 1
        weights[above] = (1 - s) * u * noise[1] * a * push * growth
    if below is not None:
        push = parameters.momentum if direction == "down" else 1
        weights[below] = (1 - s) * (1 - u) * noise[2] / a * push * growth
    weights = {key: weight**parameters.power for key, weight in weights.items()}
    total = sum(weights.values())
    rate = 2 if above is None else 1.5 if below is None else 0.5
    leaving = min(0.6, parameters.exit_rate * rate * (1 if direction == "none" else 1.5))
    dying = 0.8 if above is None else 0.2
    row = {"deceased": leaving * dying, "discharged": leaving * (1 - dying)}
    for key in values:
        moved = weights.get(key, 0.0) / total
        row[key] = (1 - leaving) * (
            (1 - parameters.switch) * moved + parameters.switch * first[key]
        )
    return row


def progression_next(parameters, state, value):
    """Return the state that a value leads to."""
    if value in ("deceased", "discharged"):
        return value
    if state in (None, "deceased", "discharged"):
        return (value, 0, "none")
    before, dwell, direction = state
    above, below = neighbours(parameters.stages, before)
    if value == before:
        return (value, min(dwell + 1, parameters.dwell_cap - 1), direction)
    if value == above:
        return (value, 0, "up")
    if value == below:
        return (value, 0, "down")
    return (value, 0, "none")


def weekly_row(stage, step, worse, factor):
    """Return the chances of one step from a stage, as a mapping; the rest stays."""
    rates = {
        value: rate * (factor if value in worse else 1) for value, rate in stage.hazards.items()
    }
    total = sum(rates.values())
    leaving = 1 - math.exp(-total * step)
    row = {value: leaving * rate / total for value, rate in rates.items()}
    row[stage.value] = 1 - leaving
    return row


def weeks_later(disease, factor, value, weeks):
    """Return the chance of each value so many weeks later, by walking every step."""
    names = disease.values
    belief = {value: 1.0}
    for _ in range(weeks * round(7 / disease.step)):
        moved = {}
        for here, weight in belief.items():
            if here in names:
                place = names.index(here)
                row = weekly_row(disease.stages[place], disease.step, names[place + 1 :], factor)
            else:
                row = {here: 1.0}
            for there, chance in row.items():
                moved[there] = moved.get(there, 0.0) + weight * chance
        belief = moved
    return belief


def register_shares(values):
    """Return how common the diagnoses of a register are: each so many times rarer than the last."""
    step = 10 ** (1 / (values - 1))
    weights = [1.0]
    while len(weights) < values:
        weights.append(weights[-1] / step)
    return [weight / sum(weights) for weight in weights]


def register_row(shares, stays, before, steps):
    """Return what a diagnosis is some releases later: release by release, value by value."""
    row = [1.0 if value == before else 0.0 for value in range(len(shares))]
    for _ in range(steps):
        moved = [0.0] * len(shares)
        for value, chance in enumerate(row):
            moved[value] += chance * stays
            for other, share in enumerate(shares):
                moved[other] += chance * (1 - stays) * share
        row = moved
    return row
