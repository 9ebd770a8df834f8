"""A player's lasting settings: one table of them, and their values. An option is stronger than all that is here.

The environment is stronger than the file, and the file than the default. A fault of either is reported and passed
over.
"""

import dataclasses
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from seqp2p.api.config_file import ConfigFileError, Value, change_config, read_config
from seqp2p.errors import USAGE, UserError
from seqp2p.i18n import Message, message, message_of
from seqp2p.ui.language import LANGUAGES, command_line, t

PACE_S_MAX: Final = 60.0
PALETTES: Final = ("auto", "dark", "light", "contrast", "mono")  # ui/styles.py, which --help need not wait for
ADDRESS: Final = "HOST:PORT"
Source: TypeAlias = Literal["default", "file", "environment"]


def _setting(usual: Value, sentence: Message, values: tuple[str, ...] = (), form: str = "TEXT") -> Any:
    return dataclasses.field(
        default=usual, metadata={"usual": usual, "sentence": sentence, "values": values, "form": form}
    )


@dataclass(frozen=True)
class Preferences:
    """The values of all settings, with their defaults. An empty text is not set."""

    name: str = _setting("", message("the name the others see; by default, that of the account"))
    relay: str = _setting("", message("the relay that you use; by default, none"), form=ADDRESS)
    language: str = _setting("", message("the language; by default, that of LANG"), LANGUAGES)
    palette: str = _setting(PALETTES[0], message("the colours of the screen"), PALETTES)
    ascii: bool = _setting(False, message("only ASCII characters on the screen"))
    title: bool = _setting(True, message("the terminal title says whose turn it is"))
    notify: bool = _setting(True, message("a desktop notification appears when it is your turn"))
    pictures: bool = _setting(True, message("the kids' game shows its animals as pictures"))
    confirmation: bool = _setting(True, message("a second Enter sends the chosen move"))
    auto_pass: bool = _setting(True, message("you pass automatically after 2 seconds when nothing else is possible"))
    bell: bool = _setting(True, message("the terminal bell rings when it is your turn"))
    pace: float = _setting(1.0, message("the minimum seconds for a bot's turn at your table"))


class Setting(NamedTuple):
    """A setting, made of a field of Preferences.

    It takes one of ``values``; without them the type of its default says what it takes, a text of this ``form``.
    """

    name: str
    usual: Value
    sentence: Message
    values: tuple[str, ...]
    form: str

    @property
    def field(self) -> str:
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The variable of the environment, which takes what can be typed."""
        return f"SEQP2P_{self.field.upper()}"

    @property
    def choices(self) -> tuple[str, ...]:
        """All values that can be typed; none where they cannot be listed."""
        return tuple(SWITCH) if isinstance(self.usual, bool) else self.values

    @property
    def takes(self) -> str:
        """The values that can be typed, for people."""
        if isinstance(self.usual, float):
            return f"0-{PACE_S_MAX:g}"
        return "|".join(self.choices) or self.form

    def fits(self, value: object) -> bool:
        """Return True for a value as the file has it."""
        if isinstance(self.usual, float):
            return type(value) in {int, float} and 0 <= value <= PACE_S_MAX  # type: ignore[operator]  # a number
        if isinstance(self.usual, bool):
            return isinstance(value, bool)
        if self.values:
            return value in self.values
        return isinstance(value, str) and _is_text(value, self.form)

    def read(self, typed: str) -> Value | None:
        """Return the value of a typed text; None for no value of this setting."""
        value: Value | None = typed
        if isinstance(self.usual, bool):
            value = SWITCH.get(typed.lower())
        elif isinstance(self.usual, float):
            try:
                value = float(typed)
            except ValueError:
                return None
        return value if self.fits(value) else None


SWITCH: Final[Mapping[str, bool]] = {"on": True, "off": False}

SETTINGS: Final = tuple(
    Setting(each.name.replace("_", "-"), **each.metadata) for each in dataclasses.fields(Preferences)
)
BY_NAME: Final[Mapping[str, Setting]] = {setting.name: setting for setting in SETTINGS}


class Kept(NamedTuple):
    """The settings of this player: ``sources`` says where each that is not the default comes from."""

    values: Preferences
    sources: Mapping[str, Source]
    problems: tuple[str, ...]


def shown_value(value: Value) -> str:
    """Return a value as it can be typed.

    >>> shown_value(True), shown_value(2.0), shown_value("")
    ('on', '2', '')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else f"{value:g}"


def kept() -> Kept:
    """Read the settings of the environment and of the file."""
    problems = list[str]()
    try:
        entries = read_config()
    except ConfigFileError as error:
        entries = {}
        problems.append(message_of(error))
    problems += [
        message("the settings file has no setting {name}", name=name) for name in entries if name not in BY_NAME
    ]
    found, sources = dict[str, object](), dict[str, Source]()
    for setting in SETTINGS:
        for value, source, text in _given(setting, entries):
            if setting.fits(value):
                found[setting.field], sources[setting.name] = value, source
            else:
                problems.append(not_taken(setting, text))
    return Kept(Preferences(**found), sources, tuple(problems))  # type: ignore[arg-type]  # each value fits its setting


def not_taken(setting: Setting, text: str) -> Message:
    if setting.choices:
        values = ", ".join(setting.choices)
        return message("{name} is one of {values}, not {value}", name=setting.name, values=values, value=text)
    return message("{name} takes {values}, not {value}", name=setting.name, values=setting.takes, value=text)


def _given(setting: Setting, entries: Mapping[str, object]) -> Iterator[tuple[object, Source, str]]:
    """Yield the values that are given, with their sources and texts, the strongest last."""
    if setting.name in entries:
        yield entries[setting.name], "file", str(entries[setting.name])[:40]
    if typed := os.environ.get(setting.variable):
        yield setting.read(typed), "environment", f"{setting.variable}={typed[:40]}"


def _is_text(text: str, form: str) -> bool:
    # Only where one is given: --help is quick.
    from seqp2p.match.table import name_fault
    from seqp2p.net.addresses import AddressError, parse_relay_address

    if form != ADDRESS:
        return name_fault(text) is None
    try:
        parse_relay_address(text)
    except AddressError:
        return False
    return True


def named(name: str) -> Setting:
    """Raises UserError (usage) with the nearest name if there is no such setting."""
    if name in BY_NAME:
        return BY_NAME[name]
    import difflib

    near = difflib.get_close_matches(name, BY_NAME, n=1, cutoff=0.5)
    hint = (
        t("did you mean {command}?", command=near[0])
        if near
        else t("{command} lists the settings", command=command_line("config"))
    )
    raise UserError(t("there is no setting {name}", name=name), hint, USAGE)


def refusal(setting: Setting, typed: str) -> Message | None:
    """Return the reason why a setting does not take what was typed, or None."""
    if setting.name == "name":
        from seqp2p.ui.words import own_name_fault  # what --help need not wait for

        return own_name_fault(typed)
    return not_taken(setting, typed) if setting.read(typed) is None else None


def change(setting: Setting, typed: str | None) -> None:
    """Keep what was typed, or the default again (None). Raises UserError."""
    if typed is not None and (fault := refusal(setting, typed)):
        raise UserError(fault, t("{command} lists all settings", command=command_line("config", "--help")), USAGE)
    change_config(setting.name, None if typed is None else setting.read(typed))
