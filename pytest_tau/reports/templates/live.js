"use strict";
// The page of a run that is being played: it is loaded again when trials have ended since. Which trial is open stands in
// the address, and where one is in it in the history's state. Who types goes on. Conversations in play are shown above,
// by their last lines, which may be anything: text only.
const here = document.documentElement.dataset.state;
const now = document.getElementById("now");
const made = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
const showPlayed = (playing) => {
  const open = new Set([...now.querySelectorAll("details[open]")].map((box) => box.dataset.of));
  const played = playing.map((one) => {
    const box = document.createElement("details");
    box.dataset.of = `${one.name} ${one.trial}`;
    box.open = open.has(box.dataset.of);
    const head = made("summary", `${one.name}, trial ${one.trial}, ${one.turns} ${one.turns === 1 ? "message" : "messages"} `);
    head.append(made("span", one.lines.at(-1) ?? ""));
    box.append(head, ...one.lines.map((line) => made("p", line)));
    return box;
  });
  now.replaceChildren(made("h2", `Being played: ${playing.length}`), ...played);
  now.hidden = playing.length === 0;
};
const panel = document.getElementById("trial");
const boxes = () => [...panel.querySelectorAll("details")];
const comeBack = ({ top, open }) => {
  if (document.body.hasAttribute("aria-busy")) return void setTimeout(comeBack, 20, { top, open });
  history.replaceState(null, "");
  boxes().forEach((box, at) => { box.open = open[at] ?? box.open; });
  if (top < 0) scrollBy(0, panel.getBoundingClientRect().top - top);
};
if (history.state) comeBack(history.state);
setInterval(async () => {
  try {
    const answer = await fetch("state", { cache: "no-store" });
    if (answer.ok && (await answer.text()) !== here && !document.querySelector("dialog[open], #q:focus")) {
      history.replaceState({ top: panel.getBoundingClientRect().top, open: boxes().map((box) => box.open) }, "");
      location.reload();
      return;
    }
    const playing = await fetch("now", { cache: "no-store" });
    if (playing.ok) showPlayed(await playing.json());
  } catch {
    document.title = document.title.replace(/^(ended: )?/, "ended: ");  // the server was stopped; the page stays
  }
}, 1500);
