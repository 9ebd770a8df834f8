"""Writes the tables and diagrams of docs/protocol.md and docs/security.md that the code has itself (``make tables``).

Each stands between two comments, ``<!-- table: NAME -->`` and ``<!-- end of table -->``. Nothing else is touched.
"""

import ast
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, get_args

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
PAGES: Final = (DOCS / "protocol.md", DOCS / "security.md")
TABLE: Final = re.compile(r"(?<=<!-- table: )(\w+)( -->\n).*?(?=<!-- end of table -->)", re.DOTALL)

WHO: Final = {
    "all": "all seats",
    "subject": "one seat",
    "others": "all but the drawer",
    "dealers": "all that have a share to give",
    "penalised": "the penalised seats",
}
STAGE_NAMES: Final = {
    1: "closed steps",
    2: "open steps",
    3: "game secrets",
    4: "the end",
}


def steps() -> Iterator[str]:
    """Every kind of step: whom it waits for, and which kinds have followed it in the replays that are kept here."""
    after = followers()
    phases = {kind: [phase for phase, step in STEP_OF_PHASE.items() if step == kind] for kind in STEPS}
    yield "| step | waits for | phase of the position | closed by its contributions, it is followed by |"
    yield "| --- | --- | --- | --- |"
    for kind, rule in STEPS.items():
        following = ", ".join(f"`{each}`" for each in STEPS if each in after[kind]) or "nothing"
        yield f"| `{kind}` | {WHO[rule.who]} | {', '.join(phases[kind]) or '–'} | {following} |"
    yield ""
    yield "```mermaid"
    yield "stateDiagram-v2"
    yield "    [*] --> seat"
    for kind in STEPS:
        yield from (f"    {kind} --> {each}" for each in STEPS if each in after[kind])
    yield "    over --> [*]"
    yield "```"


def followers() -> dict[str, set[str]]:
    """The kinds of step that follow each other in the replays, a step closed by ballots left out."""
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
    """Which actions can be legal in which phase of a position."""
    kinds = get_args(ActionKind)
    yield f"| phase | {' | '.join(f'`{kind}`' for kind in kinds)} |"
    yield f"| --- |{' --- |' * len(kinds)}"
    for phase, judges in ACTIONS.items():
        yield f"| {phase} | {' | '.join('yes' if kind in judges else '' for kind in kinds)} |"


def messages() -> Iterator[str]:
    """Which messages each end of a link takes at which stage; any other is the sender's fault."""
    yield "| stage, and who receives | messages it takes |"
    yield "| --- | --- |"
    for stage in LinkStage:
        tags = ", ".join(f"`{message.__struct_config__.tag}`" for message in ALLOWED[stage])
        yield f"| {stage.value} | {tags} |"


def records() -> Iterator[str]:
    """The order of records: none goes back to an earlier stage."""
    yield "| stage | records |"
    yield "| --- | --- |"
    yield "| the header | one `table` |"
    for number, name in STAGE_NAMES.items():
        tags = [kind.__struct_config__.tag for kind, stage in STAGES.items() if stage == number]
        yield f"| {name} | {', '.join(f'`{tag}`' for tag in tags)} |"
    beside = sorted(str(kind.__struct_config__.tag) for kind in BESIDE)
    yield f"| anywhere among the closed and the open steps | {', '.join(f'`{tag}`' for tag in beside)} |"


def all_limits() -> Iterator[str]:
    """Every limit of the network with its reason, which is its text in the code."""
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


TABLES: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "steps": steps,
    "actions": actions,
    "messages": messages,
    "records": records,
    "limits": all_limits,
}


def filled_in(text: str) -> str:
    """A page with its tables as the code has them now."""
    return TABLE.sub(lambda found: found[1] + found[2] + "\n".join(TABLES[found[1]]()) + "\n", text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled_in(page.read_text("utf-8")), "utf-8")
