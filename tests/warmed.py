"""Loads all that a publish needs: the fork server imports this once, for every process it forks.

Threads do not survive a fork. Those that a publish starts end with it, and the last lines wait
until the system has removed them.
"""

import atexit
import importlib
import os
import time
from pathlib import Path

import seriatim as sr

MODULES = (
    "cryptography.hazmat.primitives.ciphers.aead",
    "cryptography.hazmat.primitives.kdf.scrypt",
    "duckdb",
    "pyarrow.csv",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "pytest",  # the main module of whoever asks, which each process imports
    "seriatim.cli.history",
    "seriatim.cli.publish",
    "seriatim.cli.store",
)

for name in MODULES:
    importlib.import_module(name)

# The server ends without taking the interpreter down: DuckDB would complain of what it left.
atexit.register(os._exit, 0)

made = sr.clinic(weeks=3, size=60)
policy = sr.Policy(sr.KAnonymity(k=5) & sr.TCloseness(t=0.6) & sr.JSBound(j=1.0), remainder="merge")
publisher = sr.Publisher(made.schema, policy, sr.Adversary(sequence=made.sequence), seed=1)
for week, table in enumerate(made.weeks, start=1):
    publisher.publish(table, at=week)

until = time.monotonic() + 10
while len(list(Path("/proc/self/task").iterdir())) > 1:
    assert time.monotonic() < until, "a thread is left"
    time.sleep(0.001)
