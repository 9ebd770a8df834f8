
// Shows a replay, moment by moment. Every position was computed by the engine; nothing here knows a rule.
"use strict";
(() => {
  const game = JSON.parse(document.getElementById("game").textContent);
  const moments = game.moments;
  const end = moments.length - 1;
  const find = (id) => document.getElementById(id);
  let at = 0;
  let timer = null;

  function make(tag, parent, kind, text) {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  const filled = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  // The board: a table that is made once; its cells change.

  function makeBoard() {
    const board = find("board");
    board.classList.toggle("names", game.names);
    const letters = make("tr", make("thead", board));
    make("td", letters, "nothing");
    const body = make("tbody", board);
    const cells = [];
    for (let col = 0; col < game.cols; col++) make("th", letters, "", game.letters[col]).scope = "col";
    for (let row = 0; row < game.rows; row++) {
      const line = make("tr", body);
      make("th", line, "", String(row + 1)).scope = "row";
      for (let col = 0; col < game.cols; col++) cells.push(makeCell(line, game.board[row * game.cols + col]));
    }
    return cells;
  }

  function makeCell(line, card) {
    const cell = make("td", line, card < 0 ? "corner" : "");
    const [label, suit] = card < 0 ? [game.words.star, false] : game.cards[card];
    make("span", cell, suit ? "face suit" : "face", label).setAttribute("aria-hidden", "true");
    const chip = make("span", cell, "chip");
    chip.setAttribute("aria-hidden", "true");
    return { cell, chip, spoken: make("span", cell, "spoken"), card };
  }

  // In a moment's board stand a letter for a chip (a is the first team's), a capital in a completed sequence, and a dot.

  function showBoard(moment) {
    cells.forEach(({ cell, chip, spoken, card }, square) => {
      const sign = moment.board ? moment.board[square] : ".";
      const team = sign === "." ? -1 : sign.toLowerCase().charCodeAt(0) - 97;
      const made = team >= 0 && sign !== sign.toLowerCase();
      const last = moment.last === square;
      const words = [card < 0 ? game.words.corner : game.cards[card][2]];
      if (team >= 0) words.push(game.chips[team]);
      if (made) words.push(game.words.made);
      if (last) words.push(game.words.last);
      chip.className = "chip" + (team < 0 ? "" : " " + game.colours[team]) + (made ? " made" : "");
      cell.classList.toggle("last", last);
      spoken.textContent = game.letters[square % game.cols] + (Math.floor(square / game.cols) + 1) + ": " + words.join(", ");
    });
  }

  // Beside it: the seats with their hands, the score, and what has happened so far.

  function showSeats(moment) {
    const list = find("seats");
    list.replaceChildren();
    game.seats.forEach(([name, team], number) => {
      const item = make("li", list, moment.moves === number + 1 ? "moves" : "");
      make("span", item, "chip " + game.colours[team]).setAttribute("aria-hidden", "true");
      make("span", item, "spoken", game.chips[team]);
      make("span", item, "", filled(moment.moves === number + 1 ? game.words.moves : game.words.sits, { name }) + " ");
      const hand = moment.hands ? moment.hands[number] : "";
      if (typeof hand === "string") make("span", item, "card", hand);
      else if (find("hands").checked) hand.forEach((card) => showCard(item, card));
    });
    find("score").textContent = moment.score;
  }

  function showCard(item, card) {
    const [label, suit, name] = card < 0 ? ["?", false, game.words.unknown] : game.cards[card];
    const shown = make("span", item, suit ? "card suit" : "card");
    make("span", shown, "", label).setAttribute("aria-hidden", "true");
    make("span", shown, "spoken", name);
  }

  function makeLog() {
    return moments.map((moment, number) => {
      const item = make("li", find("log"));
      for (const [kind, text] of moment.lines) make("div", item, kind, text);
      item.addEventListener("click", () => go(number));
      return item;
    });
  }

  function showLog() {
    entries.forEach((entry, number) => {
      entry.hidden = number > at;
      if (number === at) entry.setAttribute("aria-current", "step");
      else entry.removeAttribute("aria-current");
    });
    find("log").scrollTop = find("log").scrollHeight;
  }

  // The chances to win: the curve is in the page; a line marks the moment.

  function showReview() {
    const reviewed = moments.slice(0, at + 1).findLast((moment) => moment.review);
    find("chances").textContent = reviewed ? reviewed.review.join(". ") : "";
    for (const edge of ["x1", "x2"]) find("now")?.setAttribute(edge, at);
  }

  function makeCostly() {
    find("costly").hidden = !game.costly.length;
    for (const [moment, text] of game.costly) {
      const button = make("button", make("li", find("costly").lastChild), "", text.trim());
      button.type = "button";
      button.addEventListener("click", () => go(moment));
    }
  }

  // Going about.

  function go(to) {
    at = Math.min(Math.max(to, 0), end);
    const moment = moments[at];
    showBoard(moment);
    showSeats(moment);
    showLog();
    showReview();
    find("news").textContent = moment.lines.map((line) => line[1].trim()).join(". ");
    find("place").textContent = filled(game.words.place, { turn: moment.turn, turns: moments[end].turn, at: at + 1, count: end + 1 });
    find("slider").value = at;
    find("slider").setAttribute("aria-valuetext", find("place").textContent);
    if (at === end) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    find("play").textContent = game.words.play;
  }

  function start() {
    if (at === end) go(0);
    clearInterval(timer);
    timer = setInterval(() => go(at + 1), 1000 * find("pace").value);
    find("play").textContent = game.words.stop;
  }

  const toggle = () => (timer === null ? start() : stop());
  const KEYS = {
    ArrowRight: () => go(at + 1),
    ArrowLeft: () => go(at - 1),
    PageDown: () => go(at + 10),
    PageUp: () => go(at - 10),
    Home: () => go(0),
    End: () => go(end),
    " ": toggle,
  };

  // What has the focus keeps the keys that it obeys itself.
  function isOthers(key, target) {
    if (target.matches("select")) return true;
    if (target.matches("input[type=range]")) return key !== " ";
    if (target.matches("#log")) return !key.startsWith("Arrow") && key !== " ";
    return key === " " && target.matches("button, summary, input");
  }

  document.addEventListener("keydown", (event) => {
    const obey = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    if (!obey || event.altKey || event.ctrlKey || event.metaKey || isOthers(event.key, event.target)) return;
    event.preventDefault();
    obey();
  });
  for (const [id, obey] of Object.entries({ first: KEYS.Home, back: KEYS.ArrowLeft, next: KEYS.ArrowRight, last: KEYS.End, play: toggle })) {
    find(id).addEventListener("click", obey);
  }
  find("slider").addEventListener("input", () => go(Number(find("slider").value)));
  find("pace").addEventListener("change", () => timer === null || start());
  find("hands").addEventListener("change", () => showSeats(moments[at]));

  const cells = makeBoard();
  const entries = makeLog();
  makeCostly();
  find("curve")?.addEventListener("click", (event) => {
    const box = find("curve").getBoundingClientRect();
    go(Math.round((end * (event.clientX - box.left)) / box.width));
  });
  find("slider").max = end;
  find("peek").hidden = !game.opened;
  go(end);
})();
