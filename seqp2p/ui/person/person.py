"""A person at typed lines: events are shown as lines, and typed words are obeyed at any time of the game.

Theory of operation. ``listen`` reads for as long as the game lasts. A line is a word that asks or tells something
(``hand``, ``say …``, ``leave``), or an action. Words are answered in any turn; an action answers the open question of
``choose``, if there is one. ``hear`` is told what happens, and shows what of it is this seat's own.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Final, TypeAlias

import trio

from seqp2p.i18n import message
from seqp2p.match.chain import VOTERS_MIN
from seqp2p.match.events import Dealt, Drawn, Dropped, Event, Redealt, Turned, Undone
from seqp2p.match.game import forfeit
from seqp2p.match.remark import COURTESIES, REMARK_LENGTH_MAX, REMARKS_MAX
from seqp2p.match.text import cleaned
from seqp2p.rules import END, NO_SQUARE, PASS, TABLE_TALK, WAIVE, Action, Hand, NotationError, View
from seqp2p.ui.cards import card_shown, faces_shown
from seqp2p.ui.choice import PreparedMove, in_own_turn
from seqp2p.ui.language import command_line, t, translate
from seqp2p.ui.person.command_words import (
    COMMANDS,
    LEAVING,
    NO,
    YES,
    Answers,
    answer_to,
    courtesies,
    courtesy_of,
    shown,
    suggestible,
    word_of,
)
from seqp2p.ui.person.console import HOW_TO_SAY, Console
from seqp2p.ui.person.input_parser import misread, names_square, nearest_word, one_line, read_action, read_card, saying
from seqp2p.ui.person.seat_info import GAME_OVER, NOT_DEALT, TABLE_ANSWERS, SeatInfo, TableInfo
from seqp2p.ui.person.turn_clock import remind, turn_line
from seqp2p.ui.plain import hand_line, read_square
from seqp2p.ui.question import ENTER, Answer, Question, yes_or_no
from seqp2p.ui.words import LEFT, clock, listed, mute_line, talk_is_callable

PASS_AFTER_S: Final = 2
"""A pass that goes by itself is announced for so long."""
PARTING: Final = "parting"
"""The question whether to stop or to leave, among those that a screen can have open."""
EITHER: Final = "either"
"""To stop or to leave: a "yes" to this says neither."""
ANSWERS_TO_PARTING: Final = NO | LEAVING | {""}

Act: TypeAlias = Callable[[str], Awaitable[None]]
GoOnWithout: TypeAlias = Callable[[int], Awaitable[None]]
Stop: TypeAlias = Callable[[], Awaitable[None]]
Hints: TypeAlias = Callable[[View], tuple[str, Action | None]]
"""Takes a view of the seat to move; returns a sentence, and the action that it names, if any."""
Acts: TypeAlias = Mapping[str, Act]
"""The words that do something at the table, with their handlers."""

# The kinds of step at which somebody chooses; the others pass by themselves.
CHOSEN: Final = frozenset({"turn", "late", "discard"})
EXCHANGE: Final = frozenset({"exchange", "dead"})
"""The words for the exchange of any dead card; "dead" follows a card elsewhere."""
LOBBY_WORDS: Final = ("seat", "colour", "move", "remove", "start")
WORDS_WITH_TEXT: Final = ("say", "where", "mute", "drop")
NOBODY_AWAY: Final = message("there is nobody to wait for")


class PersonQuestion:
    """The question to the player, and the answer once there is one. ``stays``: the pass does not go by itself."""

    def __init__(self, seen: View) -> None:
        self.view = seen
        self.action: Action | None = None
        self.answered = trio.Event()
        self.stays = trio.Event()


class Person:
    """Plays a seat by typed lines. ``patience_s``: how many seconds the phases ``draw`` and ``late`` are waited for.

    ``auto_pass``: a pass goes by itself where nothing else can be done. ``hints``: none at this table without it.
    ``alone``: all others are bots of this person's.
    """

    def __init__(
        self,
        desk: Console,
        sight: SeatInfo,
        patience_s: Mapping[str, float],
        *,
        auto_pass: bool = False,
        hints: Hints | None = None,
        alone: bool = False,
    ) -> None:
        self._desk = desk
        self._show = desk.show
        self._sight = sight
        self._match = sight.match
        self._seat = sight.seat
        self._company = sight.company
        self._patience_s = patience_s
        self._turn_time_s = sight.match.game.agreement.settings.turn_time_s
        self._question: PersonQuestion | None = None
        self._settled = trio.Event()  # unset while an answer is on its way to the match
        self._settled.set()
        self._answer: Action | None = None
        self._auto_pass = auto_pass
        self._hints = hints
        self._prepared: PreparedMove | None = None
        self.proposed: Action | None = None  # the move of a hint
        self._passing = False  # a pass is announced
        self._exchanging = False  # the dead cards of the hand, one after another
        self._alone = alone
        self._parting = ""  # while this person is asked whether to stop or leave: the word that "yes" stands for
        self._parting_question = Question("")  # the one that is asked then
        self._stopped_seat = 0  # the seat whose stop has raised the question, 0 for a question of this person's own
        self._warned = False
        self._shown_hand: Hand = ()
        self._asked_turn = -1  # the last turn whose board was shown
        self._asked_at = 0.0  # when the clock of what is asked has begun
        self._told_turn = False  # whose turn it is was said
        self._absent = set[int]()  # the seats that this person may drop
        self._asked_about = set[int]()  # those of them with an open question
        self._away = set[int]()  # the seats that cannot be reached
        self._shows_board = False  # in every turn, without being asked
        self._table = TableInfo(
            sight.company, sight.story, lambda: sight.view, lambda: self.asked, lambda: self._away, sight.ways
        )
        self._answers: Answers = {
            **self._table.answers(TABLE_ANSWERS),
            "board": self._board,
            "help": lambda _: sight.help(painted=desk.shows_table, coached=self.coached),
            "words": lambda _: sight.words(),
            "undo": self._undo,
            "mute": self._mute,
            **dict.fromkeys(LOBBY_WORDS, lambda _: [t("this is done in the lobby, before the game")]),
        }

    def _mute(self, typed: str) -> Iterable[str]:
        """Hide the remarks of another player, or show them again. They can be called all the same."""
        seat = self._company.find(typed)
        if typed and not seat:
            return [t("nobody at this table is called so; {word} shows the names", word=shown("seats"))]
        if seat in (0, self._company.own):
            return [t("add the name or the seat of another player, like: {word} seat 2", word=shown("mute"))]
        muted, key = self._sight.story.muted, self._match.game.agreement.seats[seat - 1].key
        muted ^= {key}
        return [mute_line(self._company.name(seat), muted=key in muted)]

    @property
    def asked(self) -> View | None:
        return self._question.view if self._question else None

    @property
    def pending(self) -> Action | None:
        """The prepared move, or a pass about to be sent."""
        return PASS if self._passing else self._prepared.action if self._prepared else None

    @property
    def coached(self) -> bool:
        return self._hints is not None

    # What is typed.

    async def listen(self, speak: Act, leave: Act, stop: Stop, go_on: GoOnWithout) -> None:
        """Obey typed lines, until this person stops or leaves; ``say …`` goes to ``speak``, ``drop NAME`` to ``go_on``.

        ``wait`` goes there too, as seat 0.
        Leaving has to be confirmed. At a terminal the end of the input asks, too; elsewhere it stops for now, after an
        answer that is still on its way has been taken and if the game is not over by it.
        """
        acts: Acts = {
            "say": partial(self._say, speak),
            "drop": partial(self._drop, go_on),
            "wait": partial(self._wait, go_on),
            "later": partial(self._stop, stop),
            "hint": self._hint,
        }
        while True:
            typed = await self._desk.read()
            if typed is None:
                if self.interrupted():
                    continue
                await self._settled.wait()
                if not self._sight.is_over:
                    await stop()
                return
            line = one_line(typed)
            meant, word = self._parting, word_of(line)
            word = meant if meant and word in YES else word
            if not meant or word not in ANSWERS_TO_PARTING:
                means_something = word_of(line.partition(" ")[0]) in COMMANDS.words or names_square(line)
                if meant and (word == EITHER or (self._desk.shows_table and not means_something)):
                    self._show(self._parting_question.spoken())
                    continue
                if self._asked_about:  # Whether to go on without somebody can be answered so, too.
                    line = {"yes": "drop", "no": "wait"}.get(word, line)
                if meant and not self._desk.shows_table:  # A later "yes" may be meant for something else.
                    self._close_parting()
                    self._show(t("you stay"))
                await self._obey(line, acts)
                continue
            self._close_parting()
            if word == "later":
                await stop()
                return
            if word == "leave" and not self._stopped_seat:
                await leave(LEFT)
                return
            if word == "leave":
                self._ask_to_part()
            else:
                self._show(t("you stay"))

    def interrupted(self) -> bool:
        """Handle Ctrl-C or Ctrl-D: at a terminal, ask once. Return True if nothing else is to do."""
        if not self._desk.terminal or (self._parting and not self._stopped_seat):
            return False
        self._ask_to_part()
        return True

    async def _obey(self, line: str, acts: Acts) -> None:
        first, _, rest = line.partition(" ")
        word = word_of(first)
        if (act := acts.get(word)) and (not rest or word in WORDS_WITH_TEXT):  # "later on" is no wish to stop.
            await act(rest)
        elif word_of(line) == "leave":
            self._ask_to_part()
        elif (found := answer_to(line, self._answers)) is not None:
            self._show(*found)
        elif not line:
            self._show(self._prompt(self._question.view) if self._question else self._why_not_asked())
        elif self._question is None:
            self._show(*(self._looked_up(line) or self._prepare(line) or [self._not_now(line)]))
        else:
            self._take(self._question, line)

    async def _say(self, speak: Act, text: str) -> None:
        remark = courtesy_of(cleaned(text, len(text)))
        number, _ = self._match.remarks.next_of(self._seat.number)
        if not remark:
            self._show(translate(HOW_TO_SAY))
        elif (length := len(remark)) > REMARK_LENGTH_MAX:
            most = REMARK_LENGTH_MAX
            self._show(t("a remark has at most {most} characters, and this one has {length}", most=most, length=length))
        elif number > REMARKS_MAX:
            self._show(t("you have said {count} things, the most that one game allows", count=REMARKS_MAX))
        else:
            await speak(remark)
            if not self._warned and remark not in COURTESIES and talk_is_callable(self._match.game.agreement.settings):
                self._warned = True
                self._show(
                    t("remember that {rule};", rule=TABLE_TALK.sentence),
                    t("these can never be called: {remarks}", remarks=", ".join(courtesies())),
                )

    def _ask_to_part(self) -> None:
        """Ask whether to stop or to leave, with the price of both: that of leaving has room on every screen."""
        if self._match.game.position is None:  # There is nothing to come back to.
            self._ask_whether("leave", yes_or_no(t("leave the game?")))
            return
        prices = {"leave": self._price_of_leaving(), "later": self._price_of_stopping()}
        effects = {"later": t("stop for now"), "leave": t("for good")}
        question = Question(
            t("stop for now, or leave the game?"),
            (Answer(ENTER, t("you stay"), ""), *(Answer(shown(word), does, word) for word, does in effects.items())),
            tuple(t("{word}: {price}", word=shown(word), price=price) for word, price in prices.items()),
            escape="",
        )
        self._ask_whether(EITHER, question)

    def _ask_whether(self, meant: str, question: Question, stopped_seat: int = 0) -> None:
        self._parting, self._parting_question, self._stopped_seat = meant, question, stopped_seat
        self._desk.ask(PARTING, question)

    def _close_parting(self) -> None:
        self._parting = ""
        self._desk.ask(PARTING, None)

    @property
    def _grace(self) -> str:
        return clock(self._match.game.agreement.settings.grace_s)

    def _price_of_stopping(self) -> str:
        values = {"command": command_line("resume"), "time": self._grace}
        if self._alone:
            return t("{command} goes on", **values)
        if len(self._match.game.seats) < VOTERS_MIN:
            return t("{command} goes on once both are back", **values)
        return t("{command} goes on; the others wait {time}, then may play on without you", **values)

    def _price_of_leaving(self) -> str:
        out = {*self._match.left, self._seat.number}
        won = forfeit(self._match.game, out, self._match.proven.keys())
        if won is None:
            return t("the game ends") if self._alone else t("the others play on without you")
        return t("won by {names}", names=self._company.names_of(won.winners))

    def _prepare(self, line: str) -> Iterable[str]:
        """Prepare the move of a line that is typed while others play; return nothing for a line that is none."""
        seen, own = self._sight.view, self._seat.number
        if seen is None or seen.over or own in seen.out or self._seat.owes(self._match):
            return []
        if word_of(line) in EXCHANGE:
            return [t("cards are exchanged on your own turn")]
        turn = in_own_turn(seen, own)
        try:
            action = read_action(turn, line)
        except NotationError:
            return []
        if (prepared := PreparedMove.of(turn, action)) is None:
            return []
        self._prepared = prepared
        self._desk.repaint()
        move = self._desk.action(seen.variant, action)
        return [t("{action} is prepared: it is sent on your turn, unless something it depends on changes", action=move)]

    def _undo(self, _: str) -> Iterable[str]:
        passing, prepared = self._passing, self._prepared
        self._passing, self._prepared = False, None
        self._desk.repaint()
        if self._question is not None and passing:
            self._question.stays.set()
            return [t("you do not pass yet")]
        if prepared is None or self._match.game.position is None:
            return [t("there is nothing to take back")]
        return [t("{action} is taken back", action=self._desk.action(self._match.game.variant, prepared.action))]

    def _take(self, question: PersonQuestion, line: str) -> None:
        """Take a line typed while the question is open. An action closes it: the next line is no second answer."""
        if word_of(line) in EXCHANGE:
            dead = next((action for action in question.view.legal if action.kind == "exchange"), None)
            if dead is None:
                self._show(t("no card in your hand can be exchanged now"))
                return
            self._exchanging = True
            self._close(question, dead)
            return
        try:
            action = read_action(question.view, line)
        except NotationError as error:
            found, seen = self._looked_up(line), question.view
            self._show(*found, self._prompt(seen) if found else misread(seen, line, self._words(line), error))
            return
        self._close(question, action)

    def _close(self, question: PersonQuestion, action: Action) -> None:
        self._question, self.proposed = None, None
        self._answer, self._settled = action, trio.Event()
        question.action = action
        question.answered.set()
        question.stays.set()

    def _looked_up(self, line: str) -> Iterable[str]:
        """Return the facts of a card or a square typed alone; nothing for another line."""
        variant = self._match.game.variant
        if read_card(variant, line) is None and read_square(variant, line) is None:
            return []
        return self._table.answer("where", line)

    def _words(self, line: str) -> list[str]:
        """Return the words that do something here, in English and as the reader types them; none that ends the game.

        Those that take no text are no words for a line of several.
        """
        if " " in line:
            return suggestible(WORDS_WITH_TEXT)
        more = ["hint"] * self.coached + ["drop", "wait"] * bool(self._away | self._absent)
        return suggestible([*(self._answers.keys() - {*LOBBY_WORDS}), "say", "exchange", *more])

    def _not_now(self, line: str) -> str:
        if self._match.game.position is None:
            return translate(NOT_DEALT)
        first = line.partition(" ")[0]
        if word_of(first) == "call":
            if not talk_is_callable(self._match.game.agreement.settings):
                return t("talk is free at this table: nothing can be called")
            return t("a remark is called on your own turn, before you play a card")
        if self._seat.owes(self._match):
            return t("your last input is being processed; one moment")
        is_action = names_square(line) or read_card(self._match.game.variant, first) is not None
        if not is_action and (near := nearest_word(first, self._words(line))):
            return t("{whose_turn}; did you mean {word}?", whose_turn=self._why_not_asked(), word=shown(near))
        help_line = t("{whose_turn}; help says what you can do meanwhile", whose_turn=self._why_not_asked())
        return (not is_action and saying(line)) or help_line

    # The game, as it happens.

    def hear(self, event: Event) -> None:
        """Show what an event means for this seat. The match and the hand are already as they are after it."""
        own = self._seat.number
        match event:
            case Dealt():
                self.welcome()
            case Turned(_, seat, action) if seat == own:
                if action == WAIVE != self._answer:
                    self._show(t("you have not drawn in time"))
                elif action == END != self._answer:
                    self._show(t("your turn ends without a new card"))
                self._settled.set()
                self._answer = None
                if action.card in (hand := list(self._shown_hand)):  # The card drawn for it may be its equal.
                    hand.remove(action.card)
                    self._shown_hand = tuple(hand)
                if action.kind == "give":
                    self._show_hand()
            case Drawn(seat) if seat == own and not self._exchanging:
                self._show_drawn()
            case Redealt():
                self._shown_hand = ()
                self._show_hand()
            case Dropped(seats):
                for seat in seats:
                    self.back(seat)
            case Undone():
                # Whatever was shown of the turn, it is another one now.
                self._asked_turn, self._told_turn = -1, False
            case _:
                pass
        self._tell_turn()

    def welcome(self) -> None:
        """Show the start of a game, after the deal or in a resumed game."""
        if not self._desk.shows_table:
            self._show(*self._sight.help(coached=self.coached))
        self._show_hand()
        self._tell_turn()
        if self._parting:  # It was asked when there was nothing to come back to.
            self._ask_to_part()

    def _show_hand(self) -> None:
        self._show_drawn()
        if (seen := self._sight.view) is not None and not self._desk.shows_table:
            self._show(hand_line(seen))

    def _show_drawn(self) -> None:
        """Tell the new cards; the whole hand is shown with the next turn."""
        if (seen := self._sight.view) is None:
            return
        new = Counter(seen.hand) - Counter(self._shown_hand)
        if self._shown_hand and new:
            cards = listed([self._desk.card(seen.variant, card) for card in new.elements()])
            self._show(t("you draw {cards}", cards=cards))
        self._shown_hand = seen.hand

    def _tell_turn(self) -> None:
        """Say whose turn it is at the start, or after steps were undone; later each turn's line says it."""
        self._entitle()
        match = self._match
        # A turn of its own is told with the question: a seat that may not sign yet is not asked, and told nothing.
        if match.kind not in CHOSEN or self._seat.number in match.awaited:
            return
        if not self._told_turn and not self._desk.shows_table:
            self._told_turn = True
            self._show(self._whose_turn())

    def _entitle(self) -> None:
        """Show in the terminal's title who is waited for; its old title once the game is over."""
        match = self._match
        if match.game.position is None or self._sight.is_over:
            self._desk.title("")
        elif self._question or (match.kind in CHOSEN and self._seat.owes(match)):
            self._desk.title(t("Your turn"))
        elif match.kind in CHOSEN and (others := match.awaited - {self._seat.number}):
            self._desk.title(t("waiting for {names}", names=self._company.names_of(others)))

    def _why_not_asked(self) -> str:
        match, own = self._match, self._seat.number
        if self._seat.waits_to_sign or (own in match.awaited and match.kind in CHOSEN and not self._seat.owes(match)):
            if self._away:
                return t("waiting for {names}", names=self._company.names_of(self._away))
            return t("waiting for the others to answer")
        return self._whose_turn()

    def _whose_turn(self) -> str:
        match = self._match
        if match.game.position is None:
            return translate(NOT_DEALT)
        if match.kind not in CHOSEN:
            return translate(GAME_OVER) if self._sight.is_over else t("a card is being drawn")
        if self._seat.number in match.awaited:
            return t("your turn")
        names = self._company.names_of(match.awaited)
        if match.kind == "late":
            return t("{names} may still draw a card", names=names)
        if match.kind == "discard":
            return t("waiting for {names} to give up a card", names=names)
        return t("{names}'s turn", names=names)

    async def choose(self, view: View, refused: str | None) -> Action:
        """Ask until an action is typed, and return it; the match judges it."""
        self._settled.set()
        self._desk.repaint()
        question = PersonQuestion(view)
        if refused is None and (action := self._by_itself(view)) is not None:
            self._close(question, action)
            return action
        if refused is None:
            self._asked_at = trio.current_time()
            self._present(view)
        else:
            self._show(faces_shown(view.variant, self._company.to_reader(refused)))
        self._question = question
        self._entitle()
        try:
            if refused is None and self._auto_pass and self._sight.must_pass(view):
                await self._pass_soon(question)
            if view.phase == "play":
                seats = len(self._match.game.seats)
                await remind(self._turn_time_s, seats, self._asked_at, question.answered, self._show)
            await question.answered.wait()
        finally:
            self._question, self._passing, self.proposed = None, False, None
        assert question.action is not None, "an answer is an action"
        return question.action

    def _by_itself(self, seen: View) -> Action | None:
        """Return the next of several exchanges, or the prepared move; None where the player is asked."""
        if seen.phase != "play":
            return None
        if self._exchanging:
            dead = next((action for action in seen.legal if action.kind == "exchange"), None)
            if dead is not None and not any(action.square != NO_SQUARE for action in seen.legal):
                return dead
            self._exchanging = False
            self._show_hand()
        prepared, self._prepared = self._prepared, None
        if prepared is None:
            return None
        shown_move = self._desk.action(seen.variant, prepared.action)
        if fault := prepared.fault(seen, shown_move):
            self._show(fault)
            return None
        self._asked_turn = seen.turn
        self._show(t("{action} is sent, as you prepared it", action=shown_move))
        return prepared.action

    async def _pass_soon(self, question: PersonQuestion) -> None:
        """Pass in PASS_AFTER_S, unless the player stops it or does something else."""
        self._passing = True
        self._desk.repaint()
        self._show(t("nothing can be played: you pass in {seconds} seconds; undo (Esc) stops it", seconds=PASS_AFTER_S))
        with trio.move_on_after(PASS_AFTER_S):
            await question.stays.wait()
        if self._passing and self._question is question:
            self._close(question, PASS)
        self._passing = False

    def _present(self, seen: View) -> None:
        """Show the question. The board is shown once a turn, not again after an exchange or a penalty."""
        self._shown_hand, plays = seen.hand, seen.phase == "play"
        goes_on = plays and seen.turn == self._asked_turn
        if plays:
            self._asked_turn = seen.turn
        if not goes_on:
            self._desk.ring(t("Your turn"))
        if self._desk.shows_table and plays:
            return
        if not self._desk.shows_table:
            if plays and not goes_on and self._shows_board:
                self._show("", *self._table.answer("board", ""))
            if plays:
                self._show(t("your turn goes on") if goes_on else turn_line(self._turn_time_s))
            if not goes_on:  # Else the new card was told.
                self._show(hand_line(seen))
        self._show(self._prompt(seen))

    def _prompt(self, seen: View) -> str:
        values = {"seconds": round(self._patience_s.get(seen.phase, 0))}
        if seen.phase == "draw":
            return t("draw your new card within {seconds} seconds: type draw (or end, to do without)", **values)
        if seen.phase == "late":
            return t("you have not drawn yet: type draw within {seconds} seconds, or end to do without", **values)
        if seen.phase == "penalty":
            card = card_shown(seen.variant, seen.hand[-1])
            return t("your team's talk was called: give up a card and get no new one; type it, like {card}", card=card)
        return t("type an action (help says how)")

    # Seats that are away.

    def ask_absent(self, seats: Collection[int]) -> None:
        """Ask about going on without these seats, and no others. The answer goes to the ``go_on`` of ``listen``.

        A question that is open stays as it is, with its time.
        """
        self._absent |= set(seats)
        for seat in self._asked_about.difference(seats):
            self._close_absent(seat)
        for seat in sorted(set(seats) - self._asked_about):
            self._asked_about.add(seat)
            name, settings = self._company.name(seat), self._match.game.agreement.settings
            question = Question(
                t("{name} is away: go on without {name}?", name=name),
                (
                    Answer(f"{shown('drop')} {name}", t("go on without"), f"{shown('drop')} seat {seat}"),
                    Answer(shown("wait"), t("wait for {name}", name=name), "wait"),
                ),
                (t("without an answer you vote to go on without {name}", name=name),),
                ends_at=trio.current_time() + settings.grace_s,
            )
            self._desk.ask(f"away {seat}", question)

    def _close_absent(self, seat: int) -> None:
        self._asked_about.discard(seat)
        self._desk.ask(f"away {seat}", None)

    def away(self, seat: int, *, later: bool = False, gathers: bool = False) -> None:
        """Note that a seat cannot be reached. If its player has stopped for now, ask once whether to stop too.

        ``gathers``: this person has come back, waits for the seat, and may drop it.
        """
        stops = later and seat not in self._away
        self._away.add(seat)
        if gathers:
            self._absent.add(seat)
        if stops and self._desk.terminal and not self._parting and self._match.game.position is not None:
            asked = t("{name} has stopped for now: stop too?", name=self._company.name(seat))
            self._ask_whether("later", yes_or_no(asked), seat)

    def back(self, seat: int) -> None:
        """Note that a seat is back, or out for good: nothing more is asked about it."""
        if seat in self._away and not self._desk.shows_table and self._match.kind in CHOSEN:
            self._show(self._whose_turn())
        self._absent.discard(seat)
        self._away.discard(seat)
        self._close_absent(seat)
        if seat == self._stopped_seat:
            self._close_parting()

    async def _wait(self, go_on: GoOnWithout, _: str) -> None:
        names = self._company.names_of(self._absent or self._away)
        for seat in self._absent:
            self._close_absent(seat)
        if self._absent:
            self._show(t("waiting for {names}; drop is still possible", names=names))
            await go_on(0)
        else:
            self._show(t("waiting for {names}", names=names) if self._away else translate(NOBODY_AWAY))

    def _board(self, text: str) -> Iterable[str]:
        if (word := word_of(text)) not in {"always", "never"}:
            return self._table.answer("board", text)
        self._shows_board = word == "always"
        if self._shows_board:
            return [t("the board is shown every turn")]
        return [t("the board is shown when you ask for it: board, board 5, board e, where e5")]

    async def _hint(self, _: str) -> None:
        question = self._question
        if self._hints is None:
            self._show(t("hints are given only against bots: at a table of seqp2p play, and in the tutorial"))
        elif question is None:
            self._show(t("hints are given on your own turn"))
        else:
            found, action = self._hints(question.view)
            self._show(found)
            self.proposed = action and action._replace()  # another object: a hint can be asked for again
            self._desk.repaint()

    async def _stop(self, stop: Stop, _: str) -> None:
        if self._match.game.position is None:
            self._ask_to_part()
        else:
            await stop()

    async def _drop(self, go_on: GoOnWithout, rest: str) -> None:
        away = sorted(self._absent)
        seat = self._company.find(rest) if rest else sum(away[:1])
        waited = {"names": self._company.names_of(self._away | self._absent), "time": self._grace}
        stops = t("once the game has waited for {names} for {time}, it stops", **waited)
        has_votes = len(self._match.game.seats) >= VOTERS_MIN
        if not away and self._away:
            possible = t("drop is possible once the game has waited for {names} for {time}", **waited)
            self._show(possible if has_votes else stops)
        elif not away:
            is_here = seat in set(self._match.game.seats) - {self._company.own}
            self._show(t("{name} is not away", name=self._company.name(seat)) if is_here else translate(NOBODY_AWAY))
        elif seat not in away or (not rest and len(away) > 1):
            choices = [f"{shown('drop')} {self._company.name(other)}" for other in away]
            self._show(t("say who: {choices}", choices=t(" or ").join(choices)))
        else:
            self._absent.discard(seat)
            self._close_absent(seat)
            voted_out = t("{name} will be voted out as soon as the wait is over", name=self._company.name(seat))
            self._show(voted_out if has_votes else stops)
            await go_on(seat)
