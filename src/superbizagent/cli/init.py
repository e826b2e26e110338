"""``superbiz init``: a first superbiz.toml from the addresses of the systems there are."""

import click

__all__ = ["init"]


@click.command()
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Sent to all of them, e.g. 'X-Scope-OrgID: shop'; repeatable.",
)
@click.option("--force", is_flag=True, help="Replace a superbiz.toml that is there.")
def init(urls: tuple[str, ...], headers: tuple[str, ...], *, force: bool) -> None:
    """Ask each URL what it is, and write a superbiz.toml for what can be read.

    Prometheus and what speaks its API (VictoriaMetrics, Mimir, Thanos), Alertmanager, Loki,
    Grafana with its data sources, and the API of Kubernetes are told apart by their answers.
    Nothing but these addresses is asked, and no secret is written: the file names the environment
    variables to put them in.

    \b
    Examples:
      superbiz init http://localhost:9090 http://localhost:3100
      superbiz init https://mimir.example.com --header 'X-Scope-OrgID: shop'
    """  # noqa: D301 - the backspace is click's mark for a block that is not wrapped
    from superbizagent.cli.first_config import write_first_config

    write_first_config(urls, headers, force=force)
