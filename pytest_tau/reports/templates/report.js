"use strict";
// Shows trials and filters them. Data becomes text nodes and nothing else: no markup, no links, no styles come from it.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

  const { tasks, trials, policies } = JSON.parse($("#index").textContent);
  const cells = $$(".heat button.cell");
  const rows = $$(".heat tr.task");
  let order = cells.map((cell) => Number(cell.dataset.trial));
  const byId = new Map(trials.map((trial, position) => [trial.id, position]));
  const cellOf = new Map(cells.map((cell) => [Number(cell.dataset.trial), cell]));
  const panel = $("#trial");
  const selects = $$("#filters select");
  const narrow = matchMedia("(max-width: 59.99rem)");

  let found = order;
  let current = null;
  const haystacks = new Map();

  // el("p.note", "text", child, …): an element with classes; strings become text nodes.
  function el(what, ...children) {
    const [tag, ...classes] = what.split(".");
    const made = document.createElement(tag);
    if (classes.length) made.className = classes.join(" ");
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  }

  function folded(title, body, open) {
    const made = el("details", el("summary", ...title), body);
    made.open = open;
    return made;
  }

  const bdi = (text) => el("bdi", text);

  // Of equal length, as marks are set by place: "İ" is the only letter whose lower case is longer.
  const lower = (text) => text.replaceAll("İ", "i").toLowerCase();

  // What is searched for is marked wherever it stands in the open trial.
  function highlight() {
    const q = lower($("#q").value.trim());
    for (const old of $$("mark", panel)) old.replaceWith(old.textContent);
    panel.normalize();
    if (!q) return;
    const walker = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) if (lower(walker.currentNode.data).includes(q)) nodes.push(walker.currentNode);
    for (const node of nodes) {
      let rest = node;
      for (let at; (at = lower(rest.data).indexOf(q)) >= 0; ) {
        const hit = rest.splitText(at);
        rest = hit.splitText(q.length);
        const made = el("mark");
        hit.replaceWith(made);
        made.append(hit);
      }
    }
    for (const call of $$("details.call", panel)) if ($("mark", call)) call.open = true;
  }

  // "turn 14" in a verdict leads to the turn; everything else stays text.
  function turns(text) {
    const parts = text.split(/\b(turn \d+)\b/);
    return el("bdi", ...parts.map((part, i) => (i % 2 ? button(part, "turn", () => go(Number(part.slice(5)))) : part)));
  }

  function go(turn) {
    const shown = $$("li[data-turn]", panel).filter((node) => Number(node.dataset.turn) <= turn).at(-1);
    if (!shown) return;
    for (const node of $$(".here", panel)) node.classList.remove("here");
    shown.classList.add("here");
    for (const node of $$("details.call", shown)) node.open = true;
    shown.scrollIntoView({ block: "center" });
  }

  function copies(text) {
    return button("copy", "copy", (event) => {
      const field = el("textarea", text); // the clipboard's own interface is closed to files
      document.body.append(field);
      field.select();
      event.target.textContent = document.execCommand("copy") ? "copied" : "press Ctrl-C";
      field.remove();
    });
  }

  // ---- conversations: compressed blocks of them, opened on demand ------------------------------------------------

  const blocks = $$("script.conversations").map((node) => ({ node, first: Number(node.dataset.first) }));
  const opened = new Map(); // the blocks that were read last, as promises
  let working = 0;

  async function unpack(block) {
    const bytes = Uint8Array.from(atob(block.node.textContent), (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  async function read(position) {
    const block = blocks.findLast(({ first }) => first <= position);
    const views = opened.get(block) ?? unpack(block);
    opened.delete(block);
    opened.set(block, views);
    if (opened.size > 4) opened.delete(opened.keys().next().value);
    return (await views)[position - block.first];
  }

  // Runs what takes a moment; meanwhile the page says that it is busy.
  function busily(action) {
    return async (...given) => {
      working += 1;
      document.body.setAttribute("aria-busy", "true");
      try {
        return await action(...given);
      } finally {
        working -= 1;
        if (!working) document.body.removeAttribute("aria-busy");
      }
    };
  }

  // ---- filters -------------------------------------------------------------------------------------------------

  const UNSEARCHED = new Set(["verdict", "who", "hash"]); // words of the page's own

  function* strings(value) {
    if (typeof value === "string") yield value;
    else if (value && typeof value === "object") {
      for (const [name, part] of Object.entries(value)) if (!UNSEARCHED.has(name)) yield* strings(part);
    }
  }

  // What a search looks through, read once: the first search takes a moment.
  async function fillHaystacks() {
    for (const position of trials.keys()) {
      if (haystacks.has(position)) continue;
      const { name, tags } = tasks[trials[position].task];
      const view = await read(position);
      const criteria = view.criteria.map((one) => ({ ...one, checks: one.checks.map(([, ...told]) => told) }));
      const texts = [name, ...tags, view.nodeid, ...strings([view.notes, criteria, view.messages])];
      haystacks.set(position, lower(texts.join("\n")));
    }
  }

  function wanted() {
    const picked = $$(".chip[aria-pressed=true]").map((chip) => chip.dataset.outcome);
    const values = Object.fromEntries(selects.map((select) => [select.id, select.value]));
    const { sort, ...wants } = values;
    return { q: $("#q").value.trim(), outcome: picked, ...wants };
  }

  function matches(position, want) {
    const trial = trials[position];
    const task = tasks[trial.task];
    return (
      (!want.outcome.length || want.outcome.includes(trial.outcome)) &&
      (!want.domain || task.domain === want.domain) &&
      (!want.tag || task.tags.includes(want.tag)) &&
      (!want.tool || trial.tools.includes(want.tool)) &&
      (!want.fault || trial.faults.includes(want.fault)) &&
      (!want.change || task.change === want.change) &&
      (!want.q || haystacks.get(position).includes(lower(want.q)))
    );
  }

  // Says whether the filters are still those that it was called for.
  async function filter() {
    const want = wanted();
    if (want.q) await fillHaystacks();
    if (JSON.stringify(want) !== JSON.stringify(wanted())) return false;
    found = order.filter((position) => matches(position, want));
    const hits = new Set(found);
    for (const [position, cell] of cellOf) cell.classList.toggle("out", !hits.has(position));
    for (const row of rows) row.hidden = $$("button.cell:not(.out)", row).length === 0;
    for (const group of $$(".heat tbody")) group.hidden = $$("tr.task:not([hidden])", group).length === 0;
    const all = found.length === order.length;
    const trialsInAll = `${order.length} trial${order.length === 1 ? "" : "s"}`;
    $("#count").textContent = all ? trialsInAll : `${found.length} of ${trialsInAll}`;
    $("#clear").hidden = all && !want.q;
    $("#none").hidden = found.length > 0;
    return true;
  }

  // ---- the order of the tasks ---------------------------------------------------------------------------------------

  const MEASURES = ["agent cost", "time", "steps", "tokens"];

  function rank(row, by) {
    const own = $$("button.cell", row).map((cell) => trials[Number(cell.dataset.trial)]);
    if (by === "worst") return own.filter((trial) => trial.outcome === "passed").length / own.length;
    const known = own.map((trial) => trial.measures[MEASURES.indexOf(by)]).filter((value) => value !== null);
    return known.length ? -known.reduce((sum, value) => sum + value, 0) / known.length : Infinity;
  }

  function sort() {
    const by = $("#sort").value;
    const name = (row) => tasks[row.dataset.task].name;
    for (const body of $$(".heat tbody")) {
      const own = rows.filter((row) => row.parentNode === body);
      if (by === "name") own.sort((a, b) => name(a).localeCompare(name(b)));
      else if (by) {
        const ranks = new Map(own.map((row) => [row, rank(row, by)]));
        own.sort((a, b) => ranks.get(a) - ranks.get(b) || rows.indexOf(a) - rows.indexOf(b));
      }
      body.append(...own);
    }
    order = $$(".heat button.cell").map((cell) => Number(cell.dataset.trial));
  }

  // ---- the address: a link to a trial or a filtered view can be shared --------------------------------------------

  function address() {
    const parts = new URLSearchParams();
    parts.set("trial", current === null ? "" : trials[current].id); // empty: somebody has closed it
    if ($("#sort").value) parts.set("sort", $("#sort").value);
    for (const [name, value] of Object.entries(wanted())) if (value.length) parts.set(name, String(value));
    return `#${parts}`;
  }

  function remember(push) {
    if (address() !== location.hash) history[push ? "pushState" : "replaceState"](null, "", address());
  }

  const recall = busily(async () => {
    const parts = new URLSearchParams(location.hash.slice(1));
    $("#q").value = parts.get("q") ?? "";
    const picked = (parts.get("outcome") ?? "").split(",");
    for (const chip of $$(".chip")) chip.setAttribute("aria-pressed", picked.includes(chip.dataset.outcome));
    for (const select of selects) {
      const value = parts.get(select.id) ?? "";
      select.value = [...select.options].some((option) => option.value === value) ? value : "";
    }
    sort();
    if (!(await filter())) return;
    const asked = byId.get(parts.get("trial"));
    const first = found.find((position) => trials[position].outcome === "missed") ?? found[0];
    if (cellOf.has(asked)) await show(asked);
    else if (narrow.matches || first === undefined || parts.get("trial") === "") leave();
    else {
      await show(first);
      remember(false); // in a run that goes on another one is the first to have missed
    }
  });

  // ---- one trial -----------------------------------------------------------------------------------------------

  function open(position) {
    const push = current === null || !document.body.classList.contains("reading");
    show(position);
    remember(push && narrow.matches);
    if (narrow.matches) scrollTo(0, 0);
    else if (panel.getBoundingClientRect().top < 0) panel.scrollIntoView();
    cellOf.get(position).scrollIntoView({ block: "nearest" });
  }

  function leave() {
    mark(null);
    document.body.classList.remove("reading");
    panel.replaceChildren(el("p.note", "Choose a trial to read its conversation."));
  }

  function mark(position) {
    if (current !== null) cellOf.get(current).removeAttribute("aria-current");
    current = position;
    if (position !== null) cellOf.get(position).setAttribute("aria-current", "true");
  }

  function step(by) {
    if (!found.length) return;
    const at = found.indexOf(current);
    if (at >= 0) open(found[Math.min(found.length - 1, Math.max(0, at + by))]);
    else open(found.find((position) => order.indexOf(position) > order.indexOf(current)) ?? found[0]);
  }

  const show = busily(async (position) => {
    mark(position);
    document.body.classList.add("reading");
    const trial = trials[position];
    const view = await read(position);
    if (current !== position) return; // somebody has gone on
    const parts = [
      heading(trial),
      facts(view),
      line(view.stations),
      ...view.notes.map((note) => el("p.remark", turns(note))),
      ...view.criteria.map(criterion),
      ...about(tasks[trial.task]),
      conversation(view.messages),
    ];
    panel.replaceChildren(...parts.filter(Boolean));
    highlight();
  });

  function heading(trial) {
    const task = tasks[trial.task];
    const back = button("‹ All trials", "back", () => {
      leave();
      remember(false);
    });
    const steps = el("span.steps", button("‹", "", () => step(-1), "Previous trial"), button("›", "", () => step(1), "Next trial"));
    const outcome = el(`span.outcome.${trial.outcome}`, trial.outcome.replace("_", " "));
    const tags = task.tags.map((tag) => el("span.tag", tag));
    return el(
      "header",
      el("div.bar", back, outcome, el("span.quiet", `trial ${trial.trial}`), steps),
      el("h2", bdi(task.name)),
      tags.length ? el("p.tags", ...tags) : null,
    );
  }

  function button(label, name, action, title) {
    const made = el(name ? `button.${name}` : "button", label);
    made.type = "button";
    if (title) made.setAttribute("aria-label", title);
    made.addEventListener("click", action);
    return made;
  }

  function facts(view) {
    const pairs = view.facts.map(([name, value]) => el("div", el("dt", name), el("dd", turns(value))));
    return el("dl.facts", ...pairs, el("div", el("dt", "test"), el("dd", el("code", bdi(view.nodeid)), copies(view.nodeid))));
  }

  const STATIONS = { got: "reached", lost: "not reached", hit: "minefield hit", clear: "minefield not hit" };

  function line(stations) {
    if (stations.length < 2) return null;
    const stop = ({ name, kind, turn }) => {
      const where = turn === null ? STATIONS[kind] : turns(`turn ${turn}`);
      const made = el(`li.${kind}`, el("span.stop", bdi(name)), el("span.quiet", where));
      made.title = STATIONS[kind];
      return made;
    };
    const made = el("ol.stations", ...stations.map(stop));
    made.setAttribute("aria-label", "Milestones");
    return made;
  }

  const MARKS = { met: "✓", missed: "✕", open: "?" };
  const verdict = (value) => el(`span.mark.${value}`, MARKS[value]);

  function criterion(result) {
    const met = result.checks.filter(([state]) => state === "met").length;
    const counted = result.checks.length ? `${met} of ${result.checks.length} met` : result.note;
    const role = result.basis ? "" : "not in the reward";
    const title = [verdict(result.verdict), el("b", result.name), el("span.quiet", [counted, role].filter(Boolean).join(" · "))];
    const checks = result.checks.map(([state, name, why]) =>
      el("li", verdict(state), el("div", el("code", bdi(name)), why ? el("p.quiet", turns(why)) : null)),
    );
    const body = el("div", checks.length ? el("ul.checks", ...checks) : null, ...result.records.map(difference));
    if (!body.childNodes.length) return el("p.criterion.flat", ...title);
    const made = folded(title, body, result.basis && result.verdict !== "met");
    made.className = "criterion";
    return made;
  }

  function difference(record) {
    const value = (name, text) =>
      el(`td.${name}`, el("span.label", name), text === null ? el("span.quiet", "absent") : el("code", bdi(text)));
    const fields = record.fields.map(([path, expected, actual]) =>
      el("tr", el("th", bdi(path || "(record)")), value("expected", expected), value("actual", actual)),
    );
    const head = el("thead", el("tr", el("th", ""), el("th", "expected"), el("th", "actual")));
    const caption = el("caption", el("b", bdi(record.name)), ` in the ${record.side}'s database`);
    return el("table.difference", caption, head, el("tbody", ...fields));
  }

  function about(task) {
    const policy = policies[task.domain];
    return [
      ["Task", "what the customer wants, what should be done", task.parts],
      ["Policy", "what the agent was told", policy ? [["", policy]] : []],
    ].filter(([, , parts]) => parts.length).map(([name, what, parts]) => {
      const body = parts.flatMap(([title, text]) => [title ? el("h4", title) : null, el("pre", bdi(text))]);
      const made = folded([el("b", name), el("span.quiet", what)], el("div", ...body.filter(Boolean)), false);
      made.className = "criterion";
      return made;
    });
  }

  function conversation(messages) {
    if (!messages.length) return el("p.note", "This trial has no conversation.");
    return el("ol.chat", ...messages.map(turn));
  }

  function turn(message) {
    const meta = el("p.meta", el("b", message.who), `#${message.turn}`, message.meta ? el("span", message.meta) : null);
    const text = message.text ? el("div.bubble", el("div.text", message.text)) : null;
    if (text) text.firstChild.dir = "auto";
    if (message.text) meta.append(copies(message.text));
    const mark = message.mark ? el("p.remark", message.mark) : null;
    const breach = message.breach ? el("p.breach", message.breach) : null;
    const read = (message.read ?? []).map((one) => el("p.read", one));
    const made = el(`li.${message.who}`, mark, breach, meta, text, ...read, ...(message.pictures ?? []).map(picture), ...message.calls.map(call));
    made.dataset.turn = message.turn;
    if (breach) made.classList.add("broke");
    return made;
  }

  // The bytes stand in the page once, whichever trials show them; only these addresses become an image's source.
  function picture(one) {
    const source = one.hash ? document.getElementById(`picture-${one.hash}`) : null;
    const said = el("figcaption", bdi(one.name), one.alt ? el("span.quiet", bdi(one.alt)) : null);
    if (!source) return el("figure.photo", said);
    const { src, full } = JSON.parse(source.textContent);
    const image = el("img");
    [image.width, image.height] = one.size;
    image.alt = one.alt || one.name;
    image.src = src;
    const zoom = button("", "zoom", () => enlarge(full ?? src, one), `Enlarge ${one.name}`);
    zoom.append(image);
    return el("figure.photo", zoom, said);
  }

  function enlarge(src, one) {
    const image = el("img");
    image.alt = one.alt || one.name;
    image.src = src;
    $("#zoom div").replaceChildren(image);
    $("#zoom p").textContent = one.alt || one.name;
    $("#zoom").showModal();
  }

  function call(made) {
    const failed = made.injected ? el("span.injected", "injected fault") : made.error ? el("span.failed", "error") : null;
    const title = [el("code", el("b", bdi(made.name)), el("span.quiet", bdi(made.short))), failed];
    const part = (title, text) => [el("h4", title, copies(text)), el("pre", bdi(text))];
    const parts = part("arguments", made.arguments);
    if (made.result !== undefined) parts.push(...part(made.error ? "error" : "result", made.result));
    if (made.injected) parts.push(el("p.remark", made.injected));
    const node = folded(title, el("div", ...parts, ...(made.pictures ?? []).map(picture)), false);
    node.className = made.error && !made.injected ? "call bad" : "call";
    return node;
  }

  // ---- events --------------------------------------------------------------------------------------------------

  const changed = busily(async () => {
    sort();
    if (!(await filter())) return;
    highlight();
    remember(false);
  });

  function openTask(number) {
    const own = order.filter((position) => trials[position].task === number);
    open(own.find((position) => trials[position].outcome === "missed") ?? own[0]);
  }

  let typing = 0;
  $("#q").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(changed, 120);
  });
  $("#filters").addEventListener("submit", async (event) => {
    event.preventDefault();
    await changed();
    $("#q").blur();
    if (found.length) open(found[0]);
  });
  for (const select of selects) select.addEventListener("change", changed);
  for (const chip of $$(".chip")) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") !== "true");
      changed();
    });
  }
  $("#clear").addEventListener("click", () => {
    $("#q").value = "";
    for (const chip of $$(".chip")) chip.setAttribute("aria-pressed", "false");
    for (const select of selects) select.value = "";
    changed();
  });
  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("button");
    if (!pressed) return;
    const { trial, task, fault } = pressed.dataset;
    if (trial !== undefined) open(Number(trial));
    else if (task !== undefined) openTask(Number(task));
    else if (fault !== undefined) {
      $("#fault").value = fault;
      changed();
      $("#trials").scrollIntoView();
    }
  });
  $("#zoom").addEventListener("click", (event) => {
    if (event.target === event.currentTarget || event.target.matches("img")) $("#zoom").close();
  });
  $("#help").addEventListener("click", () => $("#keys").showModal());
  addEventListener("popstate", recall);

  const KEYS = {
    j: () => step(1),
    k: () => step(-1),
    "/": () => {
      if (narrow.matches) leave();
      $("#q").focus();
    },
    "?": () => $("#keys").showModal(),
    x: () => {
      const calls = $$("details.call", panel);
      const unfold = calls.some((node) => !node.open);
      for (const node of calls) node.open = unfold;
    },
    Escape: () => {
      leave();
      remember(false);
    },
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("#keys").open || $("#zoom").open) return;
    if (event.target.matches("input, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const action = KEYS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  recall();
})();
