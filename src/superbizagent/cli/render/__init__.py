"""A finished report in the forms that a person or a program reads.

The canonical Markdown (`investigation.markdown`) is what is stored; here the footer of the run is
added, and the same statements are laid out for a terminal.
"""

from superbizagent.cli.render.plain import render_json, render_markdown
from superbizagent.cli.render.terminal import render_terminal

__all__ = ["render_json", "render_markdown", "render_terminal"]
