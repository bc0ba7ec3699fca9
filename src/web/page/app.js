// Connects the parts of the page: messages of the server go to the model and are drawn, and what a person does becomes
// actions for the server. The page holds no rules of the game.

import { BoardView } from "./boardview.js";
import { Connection } from "./connection.js";
import { ask, keys as showKeys, newGame, openFile, openGame, saveGame, settings } from "./dialogs.js";
import { vertexOf } from "./format.js";
import { Graph } from "./graph.js";
import { Link } from "./link.js";
import { Model } from "./model.js";
import { Panels, announcement } from "./panels.js";
import { T, applyTexts, language, remember, remembered, setLanguage } from "./texts.js";
import { Tree } from "./tree.js";

/** The time that a message stays, in milliseconds. */
const TOAST_TIME = 6000;

/** The pause after typing in the comment before it is sent, in milliseconds. */
const TYPING_PAUSE = 700;

/** The most visits of each position of a review. */
const MAX_REVIEW_VISITS = 1_000_000;

/** The limits of analysis: each setting, and its field. */
const LIMITS = { threads: "#threads", maxVisits: "#visits" };

const find = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];

const model = new Model();
const send = (action) => {
  if (action.type !== "go") model.target = null;
  flushComment();
  if (connection.send(action)) return true;
  toast(T.notConnected);
  return false;
};
const loading = (sgf, bytes = false) => ({ type: "load", sgf, bytes });
const load = (sgf, bytes) => send(loading(sgf, bytes));
const go = (node) => {
  if (send({ type: "go", node })) model.target = node;
};

function toast(text) {
  const toasts = find("#toasts");
  for (const shown of toasts.children) if (shown.textContent === text) shown.remove();
  const element = document.createElement("p");
  element.textContent = text;
  toasts.append(element);
  setTimeout(() => element.remove(), TOAST_TIME);
}

/** Ends the wait of a dialog for its game: by null, or by the reason for a refusal. */
let endRequest = null;

/** Sends an action that brings a game. Resolves to null when the game has come, to the reason if it is refused. */
function request(action) {
  if (!send(action)) return Promise.resolve(T.notConnected);
  return new Promise((resolve) => {
    endRequest = (reason) => {
      endRequest = null;
      resolve(reason);
    };
  });
}

/** Shows a reason for a refusal: in the dialog that waits, else as a message. */
function refused(reason) {
  const isWaiting = endRequest !== null;
  endRequest?.(reason);
  if (!isWaiting || !find("#dialog").open) toast(reason);
}

/** Tells once for each game which settings of its record are not known. */
function tellUnknownSettings({ id, komi, rules, unknownKomi, unknownRules }) {
  if (id === toldGame) return;
  toldGame = id;
  if (unknownKomi) toast(T.unknownKomi(unknownKomi, komi));
  if (unknownRules) toast(T.unknownRules(unknownRules, T.ruleSets[rules] ?? rules));
}

const say = (text) => {
  find("#announcer").textContent = text;
};

function refuse(point) {
  const [name, reason] = T.rules[board.refusal(point)] ?? [board.refusal(point), ""];
  toast(T.forbidden(vertexOf(model.game, point), name, reason));
}

function play(point) {
  if (model.mayPlay) return send({ type: "play", point });
  if (!model.state?.mayGoOn) return toast(T.errors.over);
  return toast(T.engineThinks);
}

function mark(point) {
  const kind = board.tool;
  const node = model.current;
  if (kind !== "LB") return send({ type: "mark", node, point, kind });
  const labels = model.state.marks.filter((each) => each.kind === "LB");
  // a second click on a label takes it away
  const old = labels.find((each) => each.point === point);
  if (old && (!find("#label").value || find("#label").value === old.text))
    return send({ type: "mark", node, point, kind, text: "" });
  const used = new Set(labels.map(({ text }) => text));
  const free = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find((letter) => !used.has(letter));
  return send({ type: "mark", node, point, kind, text: find("#label").value || free || "?" });
}

function confirmMove(point) {
  find("#confirm").hidden = point === null;
  if (point !== null) {
    find("#confirm-play").textContent = T.playAt(vertexOf(model.game, point));
    say(T.playAt(vertexOf(model.game, point)));
  }
}

const about = (point) => {
  find("#about").textContent = point === null || point === undefined || !model.state ? "" : board.describe(point);
};

const board = new BoardView(find("#board"), model, {
  play,
  refuse,
  mark,
  say,
  about,
  confirm: confirmMove,
  dead: (point) => send({ type: "dead", point }),
});
const panels = new Panels(model, board, play);
const graph = new Graph(find("#graph"), model, go);
const tree = new Tree(find("#tree"), model, go);
const link = new Link(model, send, toast);

// what the server says

let before = null;
/** The id of the game whose unknown settings were told. */
let toldGame = null;
let watching = false;
let queued = false;
/** The comment that was typed and not sent: its game, node and text, and the timer that sends it. */
let typing = null;
/** The game, node and comment of the last state. */
let shownComment = null;

/** Draws at most once a frame what analysis and values change. */
function drawSoon() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(() => {
    queued = false;
    if (!model.state || !model.game) return;
    board.drawAnalysis();
    panels.drawAnalysis();
    graph.draw();
    about(board.hovered ?? board.cursor ?? board.pending);
  });
}

function drawState() {
  const { state } = model;
  if (!state || !model.game || !model.nodes[state.node]) return;
  board.draw();
  panels.draw();
  panels.drawVariations();
  graph.draw();
  tree.show();
  about(board.hovered ?? board.cursor ?? board.pending);
  for (const [name, isOn] of [
    ["score", state.score],
    ["hint", model.hint],
  ]) {
    find(`[data-do="${name}"]`).setAttribute("aria-pressed", String(Boolean(isOn)));
  }
  find("#review").setAttribute("aria-pressed", String(state.thinking === "review"));
  for (const [name, selector] of Object.entries(LIMITS)) {
    const input = find(selector);
    if (document.activeElement !== input) input.value = state[name] ?? 0;
  }
  if (typing && typing.node !== state.node) flushComment();
  // a state from before a comment arrived does not take the text back
  const comment = JSON.stringify([model.game.id, state.node, state.comment]);
  if (comment !== shownComment && !typing) find("#comment").value = state.comment;
  shownComment = comment;
}

function onMessage(message) {
  // what was on its way when the analysis was switched off
  if (message.type === "analysis" && !watching) return;
  // the program was replaced while the page was open: its page may differ, too
  if (message.type === "hello" && model.hello && model.hello.version !== message.version) location.reload();
  const name = model.receive(message);
  if (name === "hello") {
    find("#threads").max = message.maxThreads;
    // a new connection knows nothing of what this page wants
    sendWatch();
    connection.send({ type: "visible", on: !document.hidden });
  } else if (name === "game") {
    endRequest?.(null);
    if (!model.state) before = null;
    if (typing && typing.game !== message.id) dropComment();
    tellUnknownSettings(message);
    drawState();
  } else if (name === "tree") {
    tree.draw();
    drawState();
  } else if (name === "state") {
    const text = announcement(model, before);
    if (text) say(text);
    before = model.state;
    drawState();
    link.update();
  } else if (name === "analysis" || name === "values") {
    drawSoon();
  } else if (name === "hint") {
    drawState();
    say(find("#status .hint")?.textContent ?? "");
  } else if (name === "games") {
    link.update();
  } else if (name === "error") {
    const { code, point, text } = message;
    const rule = T.rules[code];
    if (rule) refused(point >= 0 ? T.forbidden(vertexOf(model.game, point), ...rule) : rule[1]);
    else refused(language === "en" ? text : `${T.errors[code] ?? ""} (${text})`);
  } else if (name === "notice") {
    const { code, text } = message;
    toast(language === "en" ? text : `${T.notices[code] ?? ""} (${text})`);
  }
}

function onChange(isOpen, seconds) {
  const lost = find("#lost");
  const isFirst = !model.hello;
  document.body.classList.toggle("offline", !isOpen);
  lost.hidden = isOpen;
  if (!isOpen) lost.textContent = isFirst && seconds === 0 ? T.connecting : T.lost(seconds);
  if (!isOpen) endRequest?.(T.notConnected);
  if (isOpen && !isFirst) say(T.again);
}

const connection = new Connection({ onMessage, onChange });

// actions

/** Asks for live analysis, with the policy if that is shown. */
function sendWatch() {
  find("#watch").setAttribute("aria-pressed", String(watching));
  connection.send({ type: "watch", on: watching, policy: watching && board.layers.has("policy") });
}

function toggleWatch() {
  watching = !watching;
  if (!watching) model.analysis = null;
  sendWatch();
  drawState();
}

function toggleLayer(name, isOn) {
  board.layers[isOn ? "add" : "delete"](name);
  for (const box of all(`[data-layer="${name}"]`)) box.checked = isOn;
  remember("kifuwarabe-layers", [...board.layers].join(" "));
  if (name === "policy" && watching) sendWatch();
  // one colouring of points at a time
  const exclusive = { policy: "criticality", criticality: "policy" }[name];
  if (isOn && exclusive && board.layers.has(exclusive)) toggleLayer(exclusive, false);
  drawState();
}

function setTool(kind) {
  board.tool = board.tool === kind ? null : kind;
  for (const button of all("[data-mark]"))
    button.setAttribute("aria-pressed", String(button.dataset.mark === board.tool));
  board.cancel();
  board.drawPointers();
  if (board.tool) say(T.markHint);
}

function step(to) {
  const last = model.line.nodes.length - 1;
  const by = { first: -last, last }[to] ?? Number(to);
  const node = model.step(by);
  if (node !== undefined) go(node);
}

function hideHint() {
  model.hint = null;
  drawState();
}

const actions = {
  undo: () => send({ type: "undo" }),
  redo: () => send({ type: "redo" }),
  pass: () => play(-1),
  hint: () => (model.hint ? hideHint() : send({ type: "hint" })),
  score: () => send({ type: "score", on: !model.state?.score }),
  genmove: () => send({ type: "genmove" }),
  resign: async () => {
    if (await ask(T.resignTitle, T.resignText)) send({ type: "resign" });
  },
};
/** Does something at a click on a button, unless the button is disabled. */
function onClick(button, act) {
  button.addEventListener("click", (event) => {
    if (button.getAttribute("aria-disabled") !== "true") act(event);
  });
}
for (const button of all("[data-do]")) onClick(button, actions[button.dataset.do]);
for (const button of all("[data-step]")) button.addEventListener("click", () => step(button.dataset.step));
find("#number").addEventListener("input", (event) => graph.goTo(Number(event.target.value)));
find("#new").addEventListener("click", () => newGame(model, (chosen) => request({ type: "new", ...chosen })));
find("#open").addEventListener("click", () => {
  const open = (game) => request({ type: "open", game });
  openGame(model, { send, open, load: (sgf, bytes) => request(loading(sgf, bytes)) });
});
find("#share").addEventListener("click", () => {
  flushComment();
  saveGame(board.svg, toast);
});
find("#settings").addEventListener("click", () => {
  if (model.game) settings(model, send);
});
find("#keys").addEventListener("click", showKeys);
find("#accept").addEventListener("click", () => send({ type: "accept" }));
// after two passes, the last one of the person is taken back
find("#go-on").addEventListener("click", () => {
  const { over, result } = model.state;
  send(over && !result ? { type: "undo" } : { type: "score", on: false });
});
find("#watch").addEventListener("click", toggleWatch);
find("#review").addEventListener("click", (event) => {
  const isOn = event.currentTarget.getAttribute("aria-pressed") !== "true";
  const visits = Math.min(Math.trunc(Number(find("#visits").value)), MAX_REVIEW_VISITS);
  send({ type: "review", on: isOn, ...(visits > 0 ? { visits } : {}) });
});
for (const [name, selector] of Object.entries(LIMITS)) {
  find(selector).addEventListener("change", (event) => {
    if (event.target.reportValidity()) send({ type: "settings", [name]: Math.trunc(Number(event.target.value)) });
  });
}
find("#confirm-play").addEventListener("click", () => {
  if (board.pending !== null) board.choose(board.pending, true);
});
find("#confirm-cancel").addEventListener("click", () => board.cancel());
for (const button of all("[data-mark]")) button.addEventListener("click", () => setTool(button.dataset.mark));
onClick(find("#promote"), () => send({ type: "promote", node: model.current }));
onClick(find("#remove"), async () => {
  const node = model.current;
  if (node > 0 && (await ask(T.removeTitle))) send({ type: "deleteNode", node });
});
find("#variations").addEventListener("click", (event) => {
  const node = event.target.closest?.("[data-go]")?.dataset.go;
  if (node !== undefined) go(Number(node));
});
for (const box of all("[data-layer]"))
  box.addEventListener("change", () => toggleLayer(box.dataset.layer, box.checked));

// the comment is sent after a pause in typing, before other actions, and when its node is left

function dropComment() {
  clearTimeout(typing?.timer);
  typing = null;
}

/** Sends the text that was typed; without a connection, as soon as there is one. */
function flushComment() {
  if (!typing) return;
  const { node, text } = typing;
  clearTimeout(typing.timer);
  if (connection.send({ type: "comment", node, text })) typing = null;
  else typing.timer = setTimeout(flushComment, TYPING_PAUSE);
}
find("#comment").addEventListener("input", ({ target }) => {
  if (typing && typing.node !== model.current) flushComment();
  dropComment();
  const timer = setTimeout(flushComment, TYPING_PAUSE);
  typing = { game: model.game?.id, node: model.current, text: target.value, timer };
});
find("#comment").addEventListener("blur", flushComment);

// tabs

function selectTab(name) {
  for (const tab of all('[role="tab"]')) {
    const isSelected = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(isSelected));
    tab.tabIndex = isSelected ? 0 : -1;
    find(`#${tab.getAttribute("aria-controls")}`).hidden = !isSelected;
  }
  if (name !== "record" && board.tool) setTool(board.tool);
  remember("kifuwarabe-tab", name);
  drawState();
}
for (const [place, tab] of all('[role="tab"]').entries()) {
  tab.addEventListener("click", () => selectTab(tab.id.slice(4)));
  tab.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const tabs = all('[role="tab"]');
    const next = tabs[(place + by + tabs.length) % tabs.length];
    selectTab(next.id.slice(4));
    next.focus();
  });
}

// keys, except in fields, where letters are text

const shortcuts = {
  p: actions.pass,
  u: actions.undo,
  r: actions.redo,
  h: actions.hint,
  s: actions.score,
  a: toggleWatch,
  o: () => toggleLayer("ownership", !board.layers.has("ownership")),
  m: () => toggleLayer("rens", !board.layers.has("rens")),
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  ",": () => step(-1),
  ".": () => step(1),
  PageUp: () => step(-10),
  PageDown: () => step(10),
  Home: () => step("first"),
  End: () => step("last"),
  ArrowUp: () => {
    const node = model.sibling(-1);
    if (node !== undefined) go(node);
  },
  ArrowDown: () => {
    const node = model.sibling(1);
    if (node !== undefined) go(node);
  },
  Escape: () => {
    if (board.tool) setTool(board.tool);
    board.cancel();
    if (model.hint) hideHint();
  },
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || find("#dialog").open) return;
  if (event.target.matches?.("input:not([type=checkbox]), textarea, select") && event.key !== "Escape") return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!Object.hasOwn(shortcuts, key)) return;
  event.preventDefault();
  shortcuts[key]();
});

// files that are dropped

const hasFile = (event) => event.dataTransfer?.types.includes("Files");
document.addEventListener("dragover", (event) => {
  if (!hasFile(event)) return;
  event.preventDefault();
  find("#drop").hidden = false;
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) find("#drop").hidden = true;
});
document.addEventListener("drop", (event) => {
  find("#drop").hidden = true;
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  openFile(file, load, toast);
});
document.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text") ?? "";
  if (event.target.matches?.("input, textarea") || find("#dialog").open || !/^\s*\(\s*;/.test(text)) return;
  load(text);
});

document.addEventListener("visibilitychange", () => connection.send({ type: "visible", on: !document.hidden }));

// language

function showLanguage() {
  document.documentElement.lang = language;
  applyTexts(document);
  const button = find("#language");
  [button.textContent, button.lang] = language === "en" ? ["日本語", "ja"] : ["English", "en"];
  if (model.game) tree.draw();
  drawState();
}
find("#language").addEventListener("click", () => {
  setLanguage(language === "en" ? "ja" : "en");
  showLanguage();
});

board.layers = new Set((remembered("kifuwarabe-layers") ?? "candidates").split(" ").filter(Boolean));
for (const box of all("[data-layer]")) box.checked = board.layers.has(box.dataset.layer);
showLanguage();
const tab = remembered("kifuwarabe-tab");
if (tab && find(`#tab-${CSS.escape(tab)}`)) selectTab(tab);
