"""The sentence of a profile: what limits the speed of a pool, and what to change."""

from typing import Any

import numpy as np

Profile = Any  # parallel_pool.python.pools.profile.Profile, which has such a sentence

# The parts of the time that are worth a remark.
_MUCH = 0.5
_SOME = 0.2
_IDLE = 0.4
_SLOW = 4.0  # times as slow as the median
_SHORT = 10e-6  # seconds of a call that does little but being a call


def bottleneck_of(profile: Profile) -> str:
    """See Profile.bottleneck."""
    if profile.calls == 0:
        return "The pool was not called: profile while a program steps it."
    in_pool = profile.own + profile.waited
    if max(profile.program, profile.in_calls) >= in_pool:
        return _of_caller(profile)
    sentence = _of_idle_threads(profile) or _of_envs(profile)
    if profile.program >= _SOME:
        sentence += f" Next: your program outside of the pool, {profile.program:.0%} of the time."
    return sentence


def _of_caller(profile: Profile) -> str:
    call = profile.seconds / profile.calls
    if call < _SHORT:
        return (
            f"The calls from Python: one takes {time_text(call)}, {profile.program:.0%} of it "
            "outside of the pool; more envs (num_envs) make each call worth more."
        )
    if profile.in_calls > profile.program:
        return (
            f"Reading actions and making arrays: {profile.in_calls:.0%} of the time; a NumPy array "
            "of the action space's dtype is read fastest, a list slowest."
        )
    how = (
        "overlap it with the envs (parallel_pool.Pipeline, or a batch_size of half the envs), "
        "or make it faster"
        if profile.is_sync
        else "make it faster: the envs wait for it"
    )
    return f"Your program outside of the pool: {profile.program:.0%} of the time; {how}."


def _of_idle_threads(profile: Profile) -> str:
    in_envs = profile.own + profile.waited if profile.is_sync else 1.0
    idle = 1.0 - float(np.mean(profile.threads)) / max(in_envs, 1e-9)
    count = len(profile.threads)
    if count < 2 or idle < _IDLE:
        return ""
    things = "workers" if profile.num_workers else "threads"
    slow = _slowest(profile)
    if slow is not None and profile.is_sync:
        env, times = slow
        return (
            f"Env {env}: its steps take {times:.0f} times as long as those of the others, and "
            f"{idle:.0%} of the {things} wait for it; a batch_size below num_envs receives the "
            "others without it."
        )
    work = profile.seconds * float(np.sum(profile.threads)) / profile.calls
    fewer = "num_workers=0" if profile.num_workers else "num_threads=1"
    return (
        f"{idle:.0%} of {count} {things}' time is idle: a call has {time_text(work)} of work for "
        f"them; more envs (num_envs) make calls longer, {fewer} saves the waiting."
    )


def _steps_known(profile: Profile) -> bool:
    return not np.isnan(profile.env_steps).all()


def _slowest(profile: Profile) -> tuple[int, float] | None:
    if not _steps_known(profile):
        return None
    median = float(np.nanmedian(profile.env_steps))
    env = int(np.nanargmax(profile.env_steps))
    times = float(profile.env_steps[env]) / max(median, 1e-12)
    return (env, times) if times > _SLOW else None


def _of_envs(profile: Profile) -> str:
    if profile.num_workers is not None:
        return _of_envs_in_python(profile)
    tasks = [task.task_id for task in profile.spec.tasks]
    if profile.reset_part > _MUCH:
        cost = [r["mean"] * r["count"] for r in profile.resets]
        task = int(np.argmax(cost))
        return (
            f"Resets of {tasks[task]}: {profile.reset_part:.0%} of the work; one takes "
            f"{time_text(profile.resets[task]['mean'])}, a step "
            f"{time_text(profile.steps[task]['mean'])}; longer episodes, or levels that are "
            "faster to make."
        )
    if 1 - profile.step_part - profile.reset_part > _MUCH:
        return (
            "Writing the rows of batches: more than half of the threads' work, because steps "
            "are that fast; smaller observations, or more cores, would help."
        )
    cost = [s["mean"] * s["count"] for s in profile.steps]
    task = int(np.argmax(cost))
    return (
        f"Steps of {tasks[task]}: {profile.step_part:.0%} of the threads' work; one takes "
        f"{time_text(profile.steps[task]['mean'])}, and no thread waits: more cores would help."
    )


def _of_envs_in_python(profile: Profile) -> str:
    mean = time_text(float(np.nanmean(profile.env_steps))) if _steps_known(profile) else "unknown"
    slow = _slowest(profile)
    one = "" if slow is None else f" Env {slow[0]} takes {slow[1]:.0f} times as long as the others."
    if profile.num_workers == 0:
        return (
            f"The envs in Python: this thread steps them one after another, {mean} each; "
            f"num_workers=N steps them in N processes.{one}"
        )
    return (
        f"The envs in Python: all {profile.num_workers} workers (num_workers) step them, {mean} "
        f"each; more workers help as long as cores are free.{one}"
    )


def time_text(seconds: float) -> str:
    """A time in a unit that fits."""
    if seconds < 1e-6:
        return f"{seconds * 1e9:.0f} ns"
    for unit, size in (("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
