"""``superbiz completion``: the script a shell sources."""

import click
from click.shell_completion import get_completion_class

__all__ = ["completion"]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL.

    Example: superbiz completion bash > ~/.local/share/bash-completion/completions/superbiz
    """
    from superbizagent.cli.app import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell!r}; choose bash, zsh or fish")
    click.echo(kind(cli, {}, "superbiz", "_SUPERBIZ_COMPLETE").source())
