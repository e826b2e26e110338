"""The command tree, loaded command by command, and the one place where errors become exit codes."""

import importlib
import sys
from typing import Any

import click

from superbizagent import __version__
from superbizagent.errors import SuperbizError

__all__ = ["cli", "run"]

_COMMANDS = {
    "demo": ("demo:demo", "Diagnose a recorded incident that ships with the package."),
    "diagnose": ("diagnose:diagnose", "Diagnose an alert, a question or a recorded incident."),
    "chat": ("chat:chat", "Ask about a diagnosis, or go on with it: another time or service."),
    "check": ("check:check", "Mark every sentence of a text against stored evidence."),
    "explain": ("explain:explain", "Show what one citation such as E7 or E7.2 rests on."),
    "logs": ("logs:logs", "Say what is new, gone or bursting in log files."),
    "record": ("record:record", "Record an incident from live systems into a folder."),
    "replay": ("replay:replay", "Run a stored session again, offline, and compare the bytes."),
    "skills": ("skills:skills", "List, show and validate playbooks."),
    "trace": ("trace:trace", "List, show, check, verify and export stored sessions."),
    "eval": ("evaluate:evaluate", "Score the product on labelled data."),
    "why": ("why:why", "Say whether a name was looked at, and what would include it."),
    "baseline": ("baseline:baseline", "Learn what your system is like while nothing is wrong."),
    "init": ("init:init", "Write a first superbiz.toml from the addresses of your systems."),
    "config": ("config:config", "Show every setting with its origin, or check the files."),
    "feedback": ("feedback:feedback", "Say whether a diagnosis was right."),
    "serve": ("serve:serve", "Run the service: HTTP API, alert intake, one worker."),
    "worker": ("serve:worker", "Run a worker alone."),
    "token": ("token:token", "Create, list and revoke tokens of the service."),
    "notify": ("notify:notify", "Try the channels that messages about incidents go to."),
    "audit": ("audit:audit", "List who read and started what in the service."),
    "doctor": ("doctor:doctor", "Say which source answers, how fresh it is, and what is wrong."),
    "completion": ("completion:completion", "Print the shell completion script."),
}

_INTERRUPTED = 130
"""128 + SIGINT, as shells expect."""


class _LazyGroup(click.Group):
    """A group that knows each command's name and help line, and imports it when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        module, name = _COMMANDS[cmd_name][0].split(":")
        return getattr(importlib.import_module(f"superbizagent.cli.{module}"), name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:  # click guesses from commands that are loaded
            raise click.NoSuchCommand(error.command_name, None, _COMMANDS, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])


@click.command(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 report written, 2 usage or configuration, 3 nothing could be looked at,"
    " 4 a checked statement does not stand, 5 replay or integrity mismatch, 1 internal or storage"
    " error.",
)
@click.version_option(__version__, "-V", "--version", message="superbiz %(version)s")
def cli() -> None:
    """Diagnose incidents from stored evidence; every statement cites what it rests on."""


def run(args: list[str] | None = None) -> Any:
    """Run the command line; ends the process with the exit code of `errors`."""
    try:
        result = cli.main(args, prog_name="superbiz", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(_INTERRUPTED)
    except SuperbizError as error:
        click.echo(f"superbiz: {_one_line(error)} [{error.code}]", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away (`superbiz … | head`): nothing left to say
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - the process boundary: no traceback reaches a user
        from superbizagent.cli.crash import report_crash

        sys.exit(report_crash(error))
    sys.exit(result if isinstance(result, int) else 0)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
