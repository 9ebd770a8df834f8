"""docs/protocol.md names every label and limit that the code has, with its value."""

import ast
import importlib
import re
from functools import cache

import pytest

from seqp2p.crypto import hashing
from seqp2p.lobby import code, pake
from seqp2p.lobby.address_statement import ENTRIES_MAX, ENTRY_LENGTH_MAX
from seqp2p.match import contribution, encoding, remark, table
from seqp2p.match.text import SHOWN_LENGTH_MAX
from seqp2p.net import messages
from seqp2p.net.errors import REFUSALS
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.replay import format as replay_format
from seqp2p.rules import VARIANTS
from tests.protocol.reading import ROOT

TEXT = (ROOT / "docs" / "protocol.md").read_text("utf-8")


def test_every_label() -> None:
    named = {
        value
        for module in (hashing, pake, code)
        for value in vars(module).values()
        if isinstance(value, str) and re.fullmatch(r"seqp2p/1 [a-z ]+", value) and value != hashing.PREFIX
    }
    named = (named - {hashing.CARD}) | {f"{hashing.CARD} {name}" for name in VARIANTS}
    assert {label for label in named if f"`{label}`" not in TEXT} == set()


def test_every_limit() -> None:
    limits = TEXT[TEXT.index("## 15. Limits") :]
    for limit in (
        table.AGREEMENT_SIZE_MAX,
        contribution.PAYLOAD_SIZE_MAX,
        contribution.STEP_MAX,
        replay_format.RECORD_SIZE_MAX,
        replay_format.REPLAY_SIZE_MAX,
        DEFAULT_LIMITS.frame_before_auth_max,
        DEFAULT_LIMITS.frame_max,
    ):
        assert f"{limit:,}" in limits
    size, length, count = contribution.REMARK_SIZE_MAX, remark.REMARK_LENGTH_MAX, remark.REMARKS_MAX
    remarks = f"| remark | {size:,} bytes, {length} characters, {count} of each seat |"
    values = f"{encoding.VALUES_MAX}, {contribution.PAYLOAD_VALUES_MAX}"
    entries = f"{ENTRIES_MAX} entries of {ENTRY_LENGTH_MAX} characters"
    addresses = f"| address statement | {messages.STATEMENT_SIZE_MAX:,} bytes, {entries} |"
    for line in (
        f"| action | {contribution.ACTION_LENGTH_MAX} characters |",
        f"| name | {table.NAME_LENGTH_MAX} characters |",
        f"| nesting | {encoding.NESTING_MAX} |",
        f"| values in a record, in a contribution's payload | {values} |",
        addresses,
        remarks,
        f"| reason | {SHOWN_LENGTH_MAX} characters |",
    ):
        assert line in limits


def test_every_refusal_and_message() -> None:
    codes = TEXT[TEXT.index("whose program does not know the code:") : TEXT.index("### 14.3")]
    assert set(re.findall(r"`(\w+)`", codes)) == set(REFUSALS)
    for message in messages.WireMessage.__args__:
        assert f"`{message.__struct_config__.tag}`" in TEXT


def test_every_courtesy_and_every_kind_of_step_and_record() -> None:
    tags = ("table", "step", "certificate", "open", "leave", "remark", "evidence", "opening", "end")
    wanted = [f"`{courtesy}`" for courtesy in remark.COURTESIES]
    wanted += [f"| `{name}` |" for name in (*contribution.BODIES, *tags)]
    assert [each for each in wanted if each not in TEXT] == []


def test_its_tables_are_those_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ast, "parse", cache(ast.parse))  # It reads many modules more than once.
    made = importlib.import_module("docs.generate_tables")  # docs is no package to the type checker
    for page in made.PAGES:
        text = page.read_text("utf-8")
        assert made.TABLE.search(text)
        assert made.filled_in(text) == text, "make tables writes them again"
