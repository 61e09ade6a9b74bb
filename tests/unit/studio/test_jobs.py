"""Long work: its steps, its end, and who waits for whom."""

import threading
import time

import pytest

from seriatim.errors import StudyError
from seriatim.studio.jobs import Jobs
from studies import week, write_study


@pytest.fixture
def jobs():
    made = Jobs()
    yield made
    made.close()


def until(found, seconds=20):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end, "it never was"
        time.sleep(0.005)


def start(jobs, work, kind="publish", study="a", **more):
    return jobs.start(kind, study, work, command="seriatim", total=4, **more)


def test_job__tells_its_steps_and_keeps_what_came_of_it(jobs):
    seen = []

    def work(job):
        for step in ("one", "two"):
            job.tell(step)
            seen.append((job.step, job.done, job.state))
        return 7

    job = start(jobs, work)
    until(lambda: not job.active)
    assert seen == [("one", 1, "running"), ("two", 2, "running")]
    assert (job.state, job.result, job.share) == ("done", 7, 1.0)
    assert jobs.get(job.id).id == job.id
    assert jobs.latest("a", "publish").result == job.result
    assert jobs.latest("b", "publish") is None


def test_job__as_a_page_saw_it_does_not_change_under_the_page(jobs):
    go_on = threading.Event()
    job = start(jobs, lambda job: go_on.wait(20))
    until(lambda: job.state == "running")
    newest, named, (under_way,) = jobs.latest("a", "publish"), jobs.get(job.id), jobs.active
    go_on.set()
    until(lambda: not job.active)
    assert [one.active for one in (newest, named, under_way)] == [True, True, True]
    assert not jobs.latest("a", "publish").active
    assert jobs.active == []


def test_job__that_is_called_off_ends_at_its_next_step(jobs):
    reached, go = [], threading.Event()

    def work(job):
        job.tell("one")
        go.wait(10)
        job.tell("two")
        reached.append("two")

    job = start(jobs, work)
    until(lambda: job.step == "one")
    job.cancel()
    assert job.cancelling
    go.set()
    until(lambda: not job.active)
    assert (job.state, reached) == ("cancelled", [])


def test_job__cannot_be_called_off_after_its_binding_step(jobs):
    go = threading.Event()

    def work(job):
        job.tell("moving")
        go.wait(10)
        job.tell("after")
        return "whole"

    job = start(jobs, work, binding="moving")
    until(lambda: job.step == "moving")
    assert not job.can_cancel
    job.cancel()
    go.set()
    until(lambda: not job.active)
    assert (job.state, job.result) == ("done", "whole")


def test_publish__called_off_during_its_commit_is_done_and_not_called_off(jobs, tmp_path):
    from seriatim.publish.press import STEPS, Press
    from seriatim.publish.study import Study

    study = Study.read(write_study(tmp_path, weeks=1))

    def work(job):
        def reached(step):
            job.tell(step)
            if step == "committing the store":
                job.cancel()

        with Press(study, progress=reached) as press:
            return press.publish(week(study.path, 1), at=1)

    job = start(jobs, work, binding="committing the store")
    until(lambda: not job.active, 60)
    assert job.state == "done"
    assert len(job.result.files) == 3
    assert "committing the store" in STEPS


def test_publish__called_off_before_its_commit_leaves_nothing(jobs, tmp_path):
    from seriatim.publish.press import Press
    from seriatim.publish.study import Study

    study = Study.read(write_study(tmp_path, weeks=1))

    def work(job):
        def reached(step):
            if step == "committing the store":
                job.cancel()
            job.tell(step)

        with Press(study, progress=reached) as press:
            return press.publish(week(study.path, 1), at=1)

    job = start(jobs, work, binding="committing the store")
    until(lambda: not job.active, 60)
    assert job.state == "cancelled"
    with Press(study) as press:
        assert press.store.n_releases == 0
    assert [one.name for one in study.output_folder.iterdir()] == []


def test_jobs__of_one_study_run_one_after_the_other_and_others_beside_them(jobs):
    at_work, most, lock = [], [], threading.Lock()

    def work(job):
        with lock:
            at_work.append(job.study)
            most.append(list(at_work))
        time.sleep(0.05)
        with lock:
            at_work.remove(job.study)

    made = [start(jobs, work, kind, study) for study in "ab" for kind in ("x", "y", "z")]
    until(lambda: not any(job.active for job in made))
    assert all(len(set(now)) == len(now) for now in most)
    assert any(len(now) == 2 for now in most)


def test_job__that_waits_can_be_called_off(jobs):
    go = threading.Event()
    first = start(jobs, lambda job: go.wait(10), "x")
    until(lambda: first.state == "running")
    second = start(jobs, lambda job: None, "y")
    assert second.state == "waiting"
    second.cancel()
    until(lambda: not second.active)
    assert second.state == "cancelled"
    go.set()


def test_start__of_what_is_under_way_gives_the_same_job(jobs):
    go = threading.Event()
    first = start(jobs, lambda job: go.wait(10))
    assert start(jobs, lambda job: None) is first
    go.set()
    until(lambda: not first.active)
    assert start(jobs, lambda job: None) is not first


def test_job__that_fails_says_why_and_never_in_foreign_words(jobs):
    def mistaken(job):
        raise StudyError("k is too small")

    def broken(job):
        raise ValueError("cell 'SECRET-7' is no number")

    one = start(jobs, mistaken)
    until(lambda: not one.active)
    assert (one.state, one.error) == ("failed", "k is too small")
    two = start(jobs, broken)
    until(lambda: not two.active)
    assert two.state == "failed"
    assert "SECRET-7" not in two.error
    assert "ValueError" in two.error


def test_close__calls_everything_off_and_waits(jobs):
    ended = []

    def work(job):
        try:
            while True:
                job.check()
                time.sleep(0.005)
        finally:
            ended.append(True)

    job = start(jobs, work)
    until(lambda: job.state == "running")
    jobs.close()
    assert ended == [True]
    assert not job.active


def test_dismiss__forgets_what_ended_and_nothing_else(jobs):
    go = threading.Event()
    old = start(jobs, lambda job: None, "preview")
    until(lambda: not old.active)
    new = start(jobs, lambda job: go.wait(10), "publish")
    jobs.dismiss("a", "preview", "publish")
    assert jobs.latest("a", "preview") is None
    assert jobs.latest("a", "publish").id == new.id
    go.set()
