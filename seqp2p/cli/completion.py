"""``seqp2p completion SHELL``: the script that makes a shell complete commands, options and their values."""

import click
from click.shell_completion import get_completion_class

from seqp2p.cli.output import put_line
from seqp2p.i18n import message

VARIABLE = "_SEQP2P_COMPLETE"
"""Set by the script when the shell asks (click's own name for it)."""
SHELLS = ("bash", "zsh", "fish")


@click.command(
    "completion",
    help=message(
        "Print the script that completes commands, options and values in a shell.\n\n"
        'bash: eval "$(seqp2p completion bash)" in ~/.bashrc. zsh: eval "$(seqp2p completion zsh)" in ~/.zshrc.'
        " fish: seqp2p completion fish > ~/.config/fish/completions/seqp2p.fish"
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print click's own script for this shell, even if the shell is not installed here."""
    kind = get_completion_class(shell)
    assert kind is not None, "click knows these shells"
    script = kind(context.find_root().command, {}, "seqp2p", VARIABLE)
    put_line(script.source_template % script.source_vars())
