#!/usr/bin/env node
// A bot for seqp2p: it blocks and builds where most chips lie already. docs/scripting.md has the rest.

let view;

function worth(action) {
  const square = / x?([a-j])(\d+)/.exec(action);
  if (!square) return action === "end" || action === "waive" ? -1 : 0; // pass, draw, 9C dead, QH given
  const col = square[1].charCodeAt(0) - 97, row = square[2] - 1;
  let chips = 0;
  for (const line of view.chips.slice(Math.max(row - 1, 0), row + 2))
    for (const chip of line.slice(Math.max(col - 1, 0), col + 2)) chips += chip !== 0;
  return chips;
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "view") view = message;
  if (message.type !== "view" && message.type !== "error") return;
  const action = view.legal.reduce((best, each) => (worth(each) > worth(best) ? each : best));
  process.stdout.write(JSON.stringify({ type: "choice", id: view.id, action }) + "\n");
});
