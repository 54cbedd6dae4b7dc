"use strict";
// The page of a run that is being played: it is loaded again when trials have ended since. What is open stands in the
// address and stays open.
const here = document.documentElement.dataset.state;
setInterval(async () => {
  try {
    const answer = await fetch("state", { cache: "no-store" });
    if (answer.ok && (await answer.text()) !== here && !document.querySelector("dialog[open]")) location.reload();
  } catch {
    document.title = document.title.replace(/^(ended: )?/, "ended: ");  // the server was stopped; the page stays
  }
}, 1500);
