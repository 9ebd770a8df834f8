"""Write the tables and diagrams of docs that are made from the code (``make tables``).

Each is between two comments, ``<!-- table: NAME -->`` and ``<!-- end of table -->``. The rest of a page stays as it is.
"""

import ast
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, get_args

import msgspec

import seqp2p
from seqp2p.api.error_codes import ERROR_CODES
from seqp2p.bots.wire import protocol_text
from seqp2p.cli.json_events import EVENTS, GAME_EVENTS
from seqp2p.cli.preferences import SETTINGS, shown_value
from seqp2p.match.contribution import open_envelope
from seqp2p.match.steps import STEP_OF_PHASE, STEPS
from seqp2p.net import limits
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import ALLOWED, LinkStage
from seqp2p.replay.format import CertificateRecord, StepRecord
from seqp2p.replay.format import records as records_in
from seqp2p.replay.reading import BESIDE, STAGES
from seqp2p.rules.actions import ActionKind
from seqp2p.rules.engine import ACTIONS

DOCS: Final = Path(__file__).parent
REPLAYS: Final = (DOCS.parent / "replays", DOCS.parent / "protocol" / "replays")
PACKAGE: Final = Path(seqp2p.__file__).parent
# Every package may import these, so their arrows would only hide the others.
EVERYWHERE: Final = {"arguments", "errors", "hangup", "i18n", "names", "__init__", "__main__"}
PAGES: Final = [DOCS / f"{page}.md" for page in ("protocol", "security", "architecture", "guide", "scripting")]
TABLE: Final = re.compile(r"(?<=<!-- table: )(\w+)( -->\n).*?(?=<!-- end of table -->)", re.DOTALL)

WHO: Final = {
    "all": "all seats",
    "subject": "one seat",
    "others": "all but the drawer",
    "dealers": "all that have a share to give",
    "penalised": "the penalised seats",
}
STAGE_NAMES: Final = ("closed steps", "open steps", "game secrets", "the end")


def steps() -> Iterator[str]:
    """Yield every kind of step: the seats it waits for, and the kinds that follow it in the replays."""
    after = followers()
    phases = {kind: [phase for phase, step in STEP_OF_PHASE.items() if step == kind] for kind in STEPS}
    yield "| step | waits for | phase of the position | closed by its contributions, it is followed by |"
    yield "| --- | --- | --- | --- |"
    for kind, rule in STEPS.items():
        following = ", ".join(f"`{each}`" for each in STEPS if each in after[kind]) or "nothing"
        yield f"| `{kind}` | {WHO[rule.who]} | {', '.join(phases[kind]) or '–'} | {following} |"


def followers() -> dict[str, set[str]]:
    """Return the kinds of step that follow each kind in the replays, without steps that ballots closed."""
    after: dict[str, set[str]] = {kind: set() for kind in STEPS}
    for file in sorted(file for folder in REPLAYS for file in folder.glob("*.seqp2p") if "_fail" not in file.name):
        before: str | None = None
        for placed in records_in(file.read_bytes()):
            match placed.record:
                case StepRecord(contributions=[(payload, _), *_]):
                    kind = open_envelope(payload).kind
                    if before:
                        after[before].add(kind)
                    before = kind
                case CertificateRecord():
                    before = None
                case _:
                    pass
    return after


def actions() -> Iterator[str]:
    """Yield the actions that can be legal in each phase of a position."""
    kinds = get_args(ActionKind)
    yield f"| phase | {' | '.join(f'`{kind}`' for kind in kinds)} |"
    yield f"| --- |{' --- |' * len(kinds)}"
    for phase, judges in ACTIONS.items():
        yield f"| {phase} | {' | '.join('yes' if kind in judges else '' for kind in kinds)} |"


def messages() -> Iterator[str]:
    """Yield the messages that each end of a link takes at each stage. Any other is the sender's fault."""
    yield "| stage, and who receives | messages it takes |"
    yield "| --- | --- |"
    for stage in LinkStage:
        tags = ", ".join(f"`{message.__struct_config__.tag}`" for message in ALLOWED[stage])
        yield f"| {stage.value} | {tags} |"


def records() -> Iterator[str]:
    """Yield the order of records: none goes back to an earlier stage."""
    yield "| stage | records |"
    yield "| --- | --- |"
    yield "| the header | one `table` |"
    for number, name in enumerate(STAGE_NAMES, 1):
        tags = [kind.__struct_config__.tag for kind, stage in STAGES.items() if stage == number]
        yield f"| {name} | {', '.join(f'`{tag}`' for tag in tags)} |"
    beside = sorted(str(kind.__struct_config__.tag) for kind in BESIDE)
    yield f"| anywhere among the closed and the open steps | {', '.join(f'`{tag}`' for tag in beside)} |"


def all_limits() -> Iterator[str]:
    """Yield every limit of the network with its reason, the docstring of its field."""
    yield "| limit | value | why |"
    yield "| --- | --: | --- |"
    tree = ast.parse(Path(limits.__file__).read_text("utf-8"))
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef)).body
    for field, reason in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            assert isinstance(reason, ast.Expr), "every limit has its reason"
            assert isinstance(reason.value, ast.Constant), "every limit has its reason"
            name, why = field.target.id, " ".join(str(reason.value.value).replace("``", "`").split())
            yield f"| `{name}` | {getattr(DEFAULT_LIMITS, name):,} | {why} |"


@cache
def rooms() -> dict[str, set[str]]:
    """Return for every package the first parts of all that its modules import; packages of seqp2p by their own name."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        imported = found.setdefault(path.relative_to(PACKAGE).with_suffix("").parts[0], set())
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported.update(first_part(alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                imported.update(first_part(f"{node.module}.{alias.name}") for alias in node.names)
    return {room: found[room] - {room} for room in found if room not in EVERYWHERE}


def first_part(name: str) -> str:
    """Return the library of a dotted name, or its package if it is one of seqp2p."""
    library, _, rest = name.partition(".")
    own = rest.partition(".")[0]
    return own if library == PACKAGE.name and any(PACKAGE.glob(f"{own}*")) else library


def reachable(room: str) -> set[str]:
    """Return the packages that a package imports, directly or through others."""
    direct = rooms()[room] & rooms().keys()
    return direct.union(*(reachable(each) for each in direct))


def arrows() -> Iterator[str]:
    """Yield the picture of the packages. An arrow that follows from two others is left out."""
    yield "```mermaid"
    yield "flowchart TD"
    for room, imported in rooms().items():
        direct = imported & rooms().keys()
        implied = set[str]().union(*(reachable(each) for each in direct))
        yield from (f"    {room} --> {each}" for each in sorted(direct - implied))
    yield "```"


def packages() -> Iterator[str]:
    """Yield every package with the first sentence of its docstring, the packages it imports and its libraries."""
    yield "| package | purpose | imports | libraries |"
    yield "| --- | --- | --- | --- |"
    for room, imported in rooms().items():
        home = PACKAGE / room / "__init__.py" if (PACKAGE / room).is_dir() else PACKAGE / f"{room}.py"
        purpose = (ast.get_docstring(ast.parse(home.read_text("utf-8"))) or "").partition("\n")[0].partition(". ")[0]
        libraries = imported - rooms().keys() - EVERYWHERE - sys.stdlib_module_names - {PACKAGE.name}
        cells = ", ".join(sorted(imported & rooms().keys())), ", ".join(sorted(libraries))
        yield f"| `{room}` | {purpose.rstrip('.').replace('``', '`')} | {cells[0] or '–'} | {cells[1] or '–'} |"


def settings() -> Iterator[str]:
    """Yield every setting that lasts, what it takes, its default and its meaning."""
    yield "| setting | values | default | meaning |"
    yield "| --- | --- | --- | --- |"
    for each in SETTINGS:
        takes, usual = each.takes.replace("|", "\\|"), shown_value(each.usual)
        yield f"| `{each.name}` | `{takes}` | {f'`{usual}`' if usual else '–'} | {each.sentence} |"


def events(names: Iterable[str]) -> Iterator[str]:
    """Yield events of ``--json``, their fields, and when they come: the docstring of their struct."""
    yield "| event | fields | when |"
    yield "| --- | --- | --- |"
    for name in names:
        fields = [f"`{field.encode_name}`" for field in msgspec.structs.fields(EVENTS[name]) if field.name != "stream"]
        when = " ".join(str(EVENTS[name].__doc__).replace("``", "`").split()).removesuffix(".")
        yield f"| `{name}` | {', '.join(fields) or '–'} | {when[0].lower()}{when[1:]} |"


def error_codes() -> Iterator[str]:
    """Yield the codes of errors, with what they mean."""
    yield "| code | meaning |"
    yield "| --- | --- |"
    for code, meaning in ERROR_CODES.items():
        yield f"| `{code}` | {meaning} |"


TABLES: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "events": lambda: events(GAME_EVENTS),
    "show_events": lambda: events(["moment", "review"]),
    "try_bot_events": lambda: events(["trial", "tried"]),
    "bot_protocol": lambda: iter(protocol_text().splitlines()),
    "error_codes": error_codes,
    "steps": steps,
    "actions": actions,
    "messages": messages,
    "records": records,
    "limits": all_limits,
    "arrows": arrows,
    "packages": packages,
    "settings": settings,
}


def filled_in(text: str) -> str:
    """Return a page with its tables as the code has them now."""
    return TABLE.sub(lambda found: found[1] + found[2] + "\n".join(TABLES[found[1]]()) + "\n", text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled_in(page.read_text("utf-8")), "utf-8")
