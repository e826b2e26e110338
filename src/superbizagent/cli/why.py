"""``superbiz why``: what became of a name: looked at, or not, and what would include it."""

import asyncio

import click

__all__ = ["why"]


@click.command()
@click.argument("session")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the answer.")
def why(session: str, name: str, *, as_json: bool, lang: str | None) -> None:
    """Say what became of NAME in SESSION, and which flag or setting would include it.

    NAME is a service, database, host, pod or instance, another name of one, a metric or one of its
    labels, a field of log records, a log file, or a data source. It was looked at and is abnormal
    or normal; or there is no data, it is out of scope, a limit cut it, its source did not answer,
    or nobody knows such a name. SESSION is an id, the start of one, or `last`.
    """
    import sys

    from superbizagent.cli.compose import settings_for
    from superbizagent.cli.render.why import render_why
    from superbizagent.cli.stored import read_stored
    from superbizagent.domain.canonical import canonical_bytes
    from superbizagent.domain.incident import report_language
    from superbizagent.errors import UsageError
    from superbizagent.investigation.why import explain_name
    from superbizagent.investigation.wording.narrator import narrator_for
    from superbizagent.settings import locale_language, no_color

    if not name.strip():
        raise UsageError("NAME is empty; name a service, a metric, a log file or a source")
    _, stored = asyncio.run(read_stored(session))
    found = explain_name(name, stored.ground, stored.plans)
    if as_json:
        click.echo(canonical_bytes(found).decode())
        return
    language = report_language(lang or settings_for().lang, "", locale_language())
    color = sys.stdout.isatty() and not no_color()
    click.echo(render_why(found, narrator_for(language), color=color), nl=False)
