"""What is done in processes that are killed on the way; ``processes.Forked`` forks them."""

import os
import resource
import signal
import sys

import seriatim as sr
from seriatim.publish import DuckDBStore, seal
from small_series import publisher, week


def publishing(study, view, at, killed, cost_bits):
    """Publish a view, and be killed where a step begins; a store is sealed at a cost."""

    def told(step):
        if step == killed:
            os.kill(os.getpid(), signal.SIGKILL)

    seal.COST_BITS = cost_bits
    with sr.Press(sr.Study.read(study), progress=told) as press:
        press.publish(view, at=at)


def publishing_before_the_store_is_closed(study, view, at):
    """Publish a view, and be killed when the store is to be closed."""
    DuckDBStore.close = lambda _: os.kill(os.getpid(), signal.SIGKILL)
    with sr.Press(sr.Study.read(study)) as press:
        press.publish(view, at=at)


def publishing_on_a_full_disk(study, view, at):
    """Publish a view where no file may be longer than 1,000 bytes, and print what is told."""
    with sr.Press(sr.Study.read(study)) as press:
        press.preview(view, at=at)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        try:
            press.publish(view, at=at)
        except sr.SeriatimError as error:
            print(error)  # noqa: T201 - whoever forked this process reads it


def committing(path, when, publisher=publisher):
    """Publish the third week of a small series, and be killed before the commit or after it."""
    run, store = DuckDBStore._run, DuckDBStore(path)
    fsync_names = store.people.fsync_names

    def killed_after_the_commit(self, statement, values=None):
        run(self, statement, values)
        if statement == "COMMIT":
            os.kill(os.getpid(), signal.SIGKILL)

    def last_before_the_commit():
        fsync_names()
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        DuckDBStore._run = killed_after_the_commit

    _, step = publisher(store).prepare(week(3), at=3)
    store.people.fsync_names = last_before_the_commit
    store.commit(step)


def holding(path):
    """Open a store, say so, and keep it."""
    with DuckDBStore(path):
        sys.stdout.write("held\n")
        sys.stdout.flush()
        signal.pause()


def holding_sealed(path, key, cost_bits):
    """Open a sealed store, say where its plain content lies, and be killed."""
    seal.COST_BITS = cost_bits
    with DuckDBStore(path, key=key) as store:
        sys.stdout.write(f"{store.working.parent}\n")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
