"""The arguments of the command line, and main()."""

import argparse
import os
import shlex
import sys
import warnings
from typing import Any, NoReturn

import parallel_pool
from parallel_pool.command_line import (
    bench,
    example,
    film,
    info,
    play,
    runs,
    selftest,
    verify,
)
from parallel_pool.command_line.arguments import option, positive
from parallel_pool.python.cflags import cflags

_OPTIONS_HELP = "options of make(), such as size=6 or obs_type=ram"


_OLD_NAME = "record"  # of film, for one version more: a pool's record() is something else


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns the process's exit code: 2 for invalid arguments."""
    parser = _parser()
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == [_OLD_NAME]:
        print(f"{parser.prog} {_OLD_NAME}: the command is called film now", file=sys.stderr)
        arguments[0] = "film"
    args = parser.parse_args(arguments)
    if args.cflags:
        print(shlex.join(cflags()))
        return 0
    if args.command is None:
        parser.print_help(sys.stderr)
        return 2
    warnings.formatwarning = lambda message, *_, **__: f"{message}\n"
    try:
        for library in args.load:
            parallel_pool.load(library)
        code: int = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return 0
    except (ValueError, TypeError, OSError, RuntimeError, MemoryError) as error:
        print(f"{parser.prog} {args.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return code


class _Parser(argparse.ArgumentParser):
    """A parser whose error for a missing task says which tasks there are."""

    def error(self, message: str) -> NoReturn:
        """Prints the usage and the message; exits with 2."""
        if "required: task" in message:
            message = "name a task, such as CartPole-v1; `python -m parallel_pool list` names all"
        super().error(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m parallel_pool",
        description="Thousands of reinforcement-learning environments in one process.",
        epilog="An env of your own: g++ $(python -m parallel_pool --cflags) my_env.cc -o my_env.so "
        "and parallel_pool.load('my_env.so'), or here --load my_env.so.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=parallel_pool.__version__)
    parser.add_argument(
        "--cflags",
        action="store_true",
        help="print the flags for g++ or clang++ to make a library of envs from a C++ file",
    )
    parser.add_argument(
        "--load",
        action="append",
        default=[],
        metavar="FILE",
        help="load a library of your own envs, so that its tasks are available, too",
    )
    commands = parser.add_subparsers(dest="command", title="commands", metavar="COMMAND")
    _add_list(commands)
    _add_info(commands)
    _add_bench(commands)
    _add_play(commands)
    _add_film(commands)
    runs.add_commands(commands)
    _add_verify(commands)
    _add_selftest(commands)
    _add_example(commands)
    return parser


def _add_list(commands: Any) -> None:
    command = commands.add_parser("list", help="name the tasks", allow_abbrev=False)
    command.add_argument(
        "pattern",
        nargs="*",
        help="parts or patterns of ids, or families, such as pong, '*-v5' or mujoco",
    )
    command.set_defaults(run=lambda args: info.list_tasks(args.pattern))


def _add_info(commands: Any) -> None:
    command = _add_task_command(commands, "info", "show a task's spaces, infos, options and source")
    command.set_defaults(run=lambda args: info.show(args.task, dict(args.option)))


def _add_bench(commands: Any) -> None:
    command = _add_task_command(
        commands, "bench", "measure a task's speed against Gymnasium's env or EnvPool"
    )
    command.add_argument(
        "--rounds", type=positive(int), default=3, help="number of rounds of each (3)"
    )
    command.add_argument(
        "--seconds", type=positive(float), default=1.0, help="seconds of each round (1)"
    )
    command.add_argument(
        "--peer",
        choices=bench.PEERS,
        default=bench.PEERS[0],
        help="what plays in turns with the pool: a loop over Gymnasium's env, or EnvPool's pool of "
        "the same task, envs, batches and threads, if it is installed (gymnasium)",
    )
    command.add_argument(
        "--profile", action="store_true", help="also say where the time of the pool goes"
    )
    command.set_defaults(
        run=lambda args: bench.run(
            args.task, dict(args.option), args.rounds, args.seconds, args.peer, args.profile
        )
    )


def _add_play(commands: Any) -> None:
    command = _add_task_command(
        commands, "play", "play a task in the terminal, by keys or at random"
    )
    command.epilog = (
        "The screen names the key of each action: the arrows, the space key for FIRE, letters for "
        "two of them at once (y u b n: diagonals; H J K L Y U B N: with FIRE, as Shift and an "
        "arrow), and numbers for other actions. A turn-based task waits for a key; in others a key "
        "is held for half a second, + and - change the speed, and p pauses. r begins a new "
        "episode, q quits. Where the names of all actions end with a key, as KICK (^D) and PRAY "
        "(M-p) of NetHack, these are the keys: ^ is Ctrl, M- is Alt. The arrows go NORTH, EAST, "
        "SOUTH and WEST; Ctrl and N begins a new episode, Ctrl and Q quits, and Ctrl and F, S, P "
        "are for +, -, p. render_mode=rgb_array draws a picture where a task has text, too."
    )
    command.add_argument("--random", action="store_true", help="play random actions, not by keys")
    command.add_argument("--fps", type=positive(float), default=15.0, help="steps per second (15)")
    command.add_argument(
        "--episodes",
        type=positive(int),
        help="number of episodes (by keys: until you quit; else 1)",
    )
    command.set_defaults(
        run=lambda args: play.run(
            args.task, dict(args.option), not args.random, args.fps, args.episodes
        )
    )


def _add_film(commands: Any) -> None:
    command = _add_task_command(
        commands, "film", "write a film of several envs, with random actions or your policy"
    )
    command.epilog = (
        "The pictures of the envs form a nearly square tile. .mp4 needs imageio-ffmpeg, .gif and "
        ".png need pillow. A gif has at most 50 pictures per second: faster tasks leave some out, "
        "but not the last. A film lasts at least a second: a short one is slower, unless --fps is "
        "given."
    )
    command.add_argument(
        "--out",
        metavar="FILE",
        help="TASK.gif by default; .mp4 and .gif are films, .png has the last picture",
    )
    command.add_argument(
        "--num-envs", type=positive(int), default=9, help="number of envs in the picture (9)"
    )
    command.add_argument(
        "--steps", type=positive(int), default=200, help="number of steps of each env (200)"
    )
    command.add_argument(
        "--policy",
        metavar="MODULE:FUNCTION",
        help="a function that takes the observations of all envs, with the axis of the envs first, "
        "and returns their actions; the module may be a file of the working directory",
    )
    command.add_argument("--seed", type=int, default=42, help="seed of the envs and actions (42)")
    command.add_argument(
        "--fps", type=positive(float), help="steps per second of the film (those of the task)"
    )
    command.set_defaults(
        run=lambda args: film.run(
            args.task,
            dict(args.option),
            out=args.out,
            num_envs=args.num_envs,
            steps=args.steps,
            policy=args.policy,
            seed=args.seed,
            fps=args.fps,
        )
    )


def _add_verify(commands: Any) -> None:
    command = commands.add_parser(
        "verify",
        help="play an evaluation again, and say whether its score holds",
        description="Plays an evaluation again: a file of parallel_pool.evaluate(...).save(FILE).",
        epilog="The exit code is 0 if all observations, rewards and returns are equal, else 1.",
        allow_abbrev=False,
    )
    command.add_argument("file", help="the file")
    command.add_argument(
        "--policy",
        metavar="MODULE:FUNCTION",
        help="the policy (that of the file); the module may be a file of the working directory",
    )
    command.set_defaults(run=lambda args: verify.run(args.file, args.policy))


def _add_selftest(commands: Any) -> None:
    command = commands.add_parser(
        "selftest",
        help="play every family, and compare the results with those on x86-64 Linux",
        description="Checks this installation: plays some tasks of every family and compares the "
        "results with those on x86-64 Linux, and checks threads, worker processes and errors.",
        epilog="The exit code is 0 if all is equal or skipped, else 1. A report of an error "
        "should contain the output.",
        allow_abbrev=False,
    )
    command.add_argument(
        "family", nargs="*", help="check only these families, or `engine`: threads and the like"
    )
    command.set_defaults(run=lambda args: selftest.run(args.family))


def _add_example(commands: Any) -> None:
    command = commands.add_parser(
        "example",
        help="write the files of the page 'Add an env', such as my_env.cc, into this folder",
        allow_abbrev=False,
    )
    command.add_argument(
        "file", nargs="+", help="my_env.cc, play.py, check.py or low_bid.cc (several players)"
    )
    command.set_defaults(run=lambda args: example.write(args.file))


def _add_task_command(commands: Any, name: str, text: str) -> Any:
    command = commands.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False
    )
    command.add_argument("task", help="the id of a task; `list` prints all")
    command.add_argument("option", nargs="*", type=option, metavar="NAME=VALUE", help=_OPTIONS_HELP)
    return command
