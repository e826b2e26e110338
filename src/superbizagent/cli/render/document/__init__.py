"""A stored session as a document that stands alone: HTML, Markdown, Jira's wiki markup."""

from superbizagent.cli.render.document.html import render_html
from superbizagent.cli.render.document.jira import render_jira
from superbizagent.cli.render.document.markdown import render_markdown_document

__all__ = ["render_html", "render_jira", "render_markdown_document"]
