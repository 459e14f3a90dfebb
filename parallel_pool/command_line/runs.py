"""The arguments of the commands for recorded runs: replay, diff and view."""

import importlib
from typing import Any

from parallel_pool.command_line import replay
from parallel_pool.command_line.arguments import natural, positive, span
from parallel_pool.python.recordings.live_view import need_rerun


def add_commands(commands: Any) -> None:
    """Adds them to the subparsers of the command line."""
    _add_replay(commands)
    _add_diff(commands)
    _add_view(commands)


def _add_replay(commands: Any) -> None:
    command = commands.add_parser(
        "replay",
        help="play a recorded run again: show a step, write a film, or check it",
        description="Plays a run again that a pool has recorded: a file of pool.record(FILE). "
        "Without --step, --out and --verify it shows what was recorded.",
        epilog="A result is what step() or recv() has returned; they are numbered from 0 on, with "
        "those of reset().",
        allow_abbrev=False,
    )
    command.add_argument("file", help="the file")
    command.add_argument("--env", type=int, help="play this env alone")
    command.add_argument("--step", type=int, help="the number of the first result (0)")
    command.add_argument(
        "--out",
        metavar="FILE",
        help="write a film, .mp4 or .gif, or the picture of --step as .png",
    )
    command.add_argument(
        "--steps", type=positive(int), default=200, help="number of results of the film (200)"
    )
    command.add_argument(
        "--fps", type=positive(float), help="results per second of the film (those of the task)"
    )
    command.add_argument(
        "--verify",
        action="store_true",
        help="play the whole run and compare its digests; the exit code is 0 if it holds, else 1",
    )
    command.set_defaults(
        run=lambda args: replay.run(
            args.file, args.env, args.step, args.steps, args.out, args.fps, args.verify
        )
    )


def _add_diff(commands: Any) -> None:
    command = commands.add_parser(
        "diff",
        help="name the first env, step and array in which two recorded runs part",
        description="Names the first env, result and array in which two recorded runs part.",
        epilog="The exit code is 0 if all results are equal, else 1.",
        allow_abbrev=False,
    )
    command.add_argument("file", help="a file of pool.record()")
    command.add_argument("other", help="another one")
    command.set_defaults(run=lambda args: replay.diff(args.file, args.other))


def _add_view(commands: Any) -> None:
    command = commands.add_parser(
        "view",
        help="look at a recorded run, or at two side by side, in the viewer Rerun",
        description="Shows a recorded run in the viewer Rerun: of each env its episodes, returns, "
        "rewards, actions, observations and infos, and pictures. Two runs stand side by side, with "
        "a mark where they part.",
        epilog='It needs rerun-sdk: pip install "parallel_pool[view]". Without a display it writes '
        "a .rrd file, which `rerun FILE` shows elsewhere.",
        allow_abbrev=False,
    )
    command.add_argument("file", help="a file of pool.record()")
    command.add_argument("other", nargs="?", help="another one, to compare with")
    command.add_argument(
        "--env", type=natural, nargs="+", metavar="N", help="the envs to show (the first four)"
    )
    command.add_argument(
        "--episode",
        metavar="WHICH",
        help="best, median or worst: the episode of these envs with that return; or a number: that "
        "episode of each env, from 0 on",
    )
    command.add_argument(
        "--steps", type=span, metavar="FIRST:END", help="the results to show (0:10000)"
    )
    command.add_argument(
        "--pictures",
        type=natural,
        metavar="N",
        help="draw a picture after each N results; 0: none (at most 200 in all)",
    )
    command.add_argument("--out", metavar="FILE.rrd", help="write this file, and open no viewer")
    command.add_argument(
        "--serve", action="store_true", help="show it on a web page that only this machine reaches"
    )
    command.add_argument("--port", type=natural, default=0, help="of the page (a free one)")
    command.add_argument(
        "--follow", action="store_true", help="show the newest episodes while a pool records"
    )
    command.set_defaults(run=_view)


def _view(args: Any) -> int:
    need_rerun()
    command = importlib.import_module("parallel_pool.integrations.rerun.command")
    code: int = command.run(
        [args.file, *([args.other] if args.other else [])],
        args.env,
        args.episode,
        args.steps,
        args.pictures,
        out=args.out,
        serve=args.serve,
        port=args.port,
        follow=args.follow,
    )
    return code
