// The panels beside the board: players and clocks, status, score, analysis, rens.

import { other } from "./model.js";
import { T, resultText } from "./texts.js";
import { escape, leadText, moveText, percent, short, timeText, vertexOf } from "./format.js";

const find = (selector) => document.querySelector(selector);

/** Replaces the content of an element, if it differs, so that focus and selection stay. */
function fill(element, html) {
  if (element.shown === html) return;
  element.shown = html;
  element.innerHTML = html;
}

/**
 * Shows rows of a table, each with a key and the HTML of its cells; `head` has the titles of the columns. Rows and
 * cells that stay are kept, so that a click or the focus on one is not lost when the next news arrive.
 */
function fillTable(element, head, rows) {
  if (rows.length === 0) return fill(element, "");
  const titles = head.map((title) => `<th scope="col">${title}</th>`).join("");
  if (element.titles !== titles || !element.firstElementChild) {
    element.titles = titles;
    fill(element, `<table><thead><tr>${titles}</tr></thead><tbody></tbody></table>`);
  }
  const body = element.querySelector("tbody");
  const focused = body.contains(document.activeElement) ? document.activeElement : null;
  const old = new Map([...body.rows].map((row) => [row.dataset.row, row]));
  let place = body.firstElementChild;
  for (const { key, cells } of rows) {
    let row = old.get(String(key));
    old.delete(String(key));
    if (!row) {
      row = document.createElement("tr");
      row.dataset.row = key;
      row.append(...cells.map(() => document.createElement("td")));
    }
    cells.forEach((html, column) => fill(row.cells[column], html));
    if (row === place) place = place.nextElementSibling;
    else body.insertBefore(row, place);
  }
  for (const row of old.values()) row.remove();
  // a row that moves loses the focus
  if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
  return undefined;
}

export class Panels {
  /** `board` is the view of the board; `play(point)` plays a move of a table. */
  constructor(model, board, play) {
    Object.assign(this, { model, board });
    const rows = (selector, show) => {
      const row = (event) => event.target.closest?.("[data-row]")?.dataset.row;
      const element = find(selector);
      for (const name of ["pointerover", "focusin"]) element.addEventListener(name, (event) => show(row(event)));
      for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, () => show(undefined));
      element.addEventListener("click", (event) => {
        const point = event.target.closest?.("button[data-row]")?.dataset.row;
        if (point !== undefined && selector === "#candidates") play(Number(point));
      });
    };
    rows("#candidates", (point) => board.showVariation(point === undefined ? null : Number(point)));
    rows("#rens", (place) => board.selectRen(place === undefined ? null : (model.state?.rens[place] ?? null)));
    setInterval(() => this.tick(), 200);
  }

  draw() {
    if (!this.model.game || !this.model.state) return;
    this.since = performance.now();
    this.drawPlayers();
    this.drawStatus();
    this.drawCount();
    this.drawRens();
    this.drawAnalysis();
  }

  playerName(color) {
    const { game } = this.model;
    const name = color === "b" ? game.black : game.white;
    if (name) return name;
    if (game.person === "both") return T[color];
    return game.person === color ? T.person : T.engine;
  }

  drawPlayers() {
    const { state } = this.model;
    const row = (color) => {
      const isToMove = !state.over && state.toMove === color;
      return (
        `<div class="player${isToMove ? " to-move" : ""}"><span class="stone stone-${color}" role="img" ` +
        `aria-label="${T[color]}"></span><span class="name">${escape(this.playerName(color))}</span>` +
        `<span class="prisoners">${T.prisoners(state.prisoners[color])}</span>` +
        (state.clock ? `<span class="clock" data-clock="${color}"></span>` : "") +
        "</div>"
      );
    };
    fill(find("#players"), row("b") + row("w"));
    this.tick();
  }

  /** Lets the running clock go on between two states. */
  tick() {
    const { clock, over } = this.model.state ?? {};
    if (!clock) return;
    for (const color of ["b", "w"]) {
      const element = find(`[data-clock="${color}"]`);
      if (!element) continue;
      const passed = clock.running === color && !over ? (performance.now() - this.since) / 1000 : 0;
      const { text, isLow } = this.clockText(clock[color], passed);
      if (element.textContent !== text) element.textContent = text;
      element.setAttribute("aria-label", T.clockLabel(text));
      element.setAttribute("role", "timer");
      element.classList.toggle("low", isLow);
      element.classList.toggle("running", clock.running === color);
    }
  }

  /** The clock of a player after some seconds: main time, then periods, each of which begins anew. */
  clockText({ main, period, periods }, passed) {
    if (main > passed) return { text: timeText(main - passed), isLow: periods === 0 && main - passed < 10 };
    let left = period - Math.max(0, passed - main);
    const whole = this.model.game.time?.period ?? period;
    let count = periods;
    while (left <= 0 && count > 1 && whole > 0) {
      left += whole;
      count--;
    }
    return { text: periods > 0 ? `${timeText(left)} × ${count}` : timeText(0), isLow: left < 10 };
  }

  statusText() {
    const { state, game } = this.model;
    const { thinking } = state;
    if (thinking) {
      const review = T.thinkingReview(...(state.review ?? [0, 0]));
      return { move: T.thinkingMove, hint: T.thinkingHint, score: T.thinkingScore, review }[thinking];
    }
    if (state.over) return state.result ? T.over(resultText(state.result)) : T.bothPassed;
    return this.model.isPersonsTurn ? T.yourTurn(T[state.toMove]) : T.toMove(T[state.toMove]);
  }

  drawStatus() {
    const { state, game, line, hint } = this.model;
    const hintText = hint
      ? T.hintIs(vertexOf(game, hint.point), T.rate(T.b, percent(hint.winRate)), leadText(hint.lead))
      : "";
    fill(
      find("#status"),
      `<b class="${state.thinking ? "busy" : ""}">${escape(this.statusText())}</b>` +
        (state.clock && !state.clock.running && !state.over && !state.thinking
          ? `<span class="faint">${escape(T.clockStands)}</span>`
          : "") +
        (hintText ? `<span class="hint">${escape(hintText)}</span>` : ""),
    );
    const slider = find("#number");
    slider.max = line.nodes.length - 1;
    slider.value = this.model.place;
    slider.setAttribute("aria-valuetext", T.moveOf(line.at, line.nodes.length - 1));
    find("#title").textContent = [
      game.black || game.white ? `${this.playerName("b")} – ${this.playerName("w")}` : "",
      `${game.width}×${game.height}`,
      T.ruleSets[game.rules] ?? game.rules,
      `${T.komi} ${game.komi}`,
      game.handicap > 0 ? `${T.handicap} ${game.handicap}` : "",
    ]
      .filter(Boolean)
      .join(" · ");
    const ends = { "-1": line.at === 0, "-10": line.at === 0, first: line.at === 0 };
    const isLast = line.at === line.nodes.length - 1;
    Object.assign(ends, { 1: isLast, 10: isLast, last: isLast });
    for (const button of document.querySelectorAll("[data-step]")) {
      button.setAttribute("aria-disabled", String(ends[button.dataset.step]));
    }
    this.drawButtons();
  }

  /** Disables the buttons that can do nothing here. */
  drawButtons() {
    const { model } = this;
    const { over, mayGoOn } = model.state;
    const isRoot = model.current === 0;
    for (const [selector, isOff] of [
      ['[data-do="undo"]', !model.mayUndo],
      ['[data-do="redo"]', model.next(model.current) === undefined],
      ['[data-do="pass"]', !mayGoOn],
      ['[data-do="hint"]', over],
      ['[data-do="genmove"]', over],
      ['[data-do="resign"]', over],
      ["#promote", isRoot],
      ["#remove", isRoot],
    ]) {
      find(selector).setAttribute("aria-disabled", String(isOff));
    }
  }

  drawCount() {
    const { score } = this.model.state;
    find("#count").hidden = !score;
    if (!score) return;
    const notes = [
      score.finished ? "" : T.unfinished,
      score.unclear.length > 0 ? T.uncertain : "",
      score.edited ? T.edited : "",
    ];
    fill(
      find("#count-result"),
      `<b>${escape(scoreText(score))}</b> ` + escape(notes.filter(Boolean).join(" ")),
    );
    // an unfinished game goes on
    find("#accept").classList.toggle("primary", score.finished);
    find("#go-on").classList.toggle("primary", !score.finished);
  }

  drawAnalysis() {
    const { model } = this;
    const { analysis, game } = model;
    const value = model.valueAt(model.current);
    const meter = find("#meter");
    if (value) {
      const rate = (value.winRate * 100).toFixed(1);
      const stdev = value.leadStdev === undefined ? "" : ` title="${T.stdev(value.leadStdev.toFixed(1))}"`;
      fill(
        meter,
        `<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="meter-w" ` +
          `width="100" height="4"/><rect class="meter-b" width="${rate}" height="4"/></svg>` +
          `<p><b>${T.rate(T.b, `${rate}%`)}</b> <b${stdev}>${leadText(value.lead)}</b>` +
          ` <span class="faint">${T.visitsOf(short(value.visits))}</span></p>`,
      );
    } else {
      fill(meter, `<p class="faint">${T.noAnalysis}</p>`);
    }
    const isEmpty = ["ownership", "policy", "criticality"].some((name) => this.board.layers.has(name)) && !analysis;
    find("#layers-note").hidden = !isEmpty;
    const rows = (analysis?.moves ?? []).slice(0, 12).map((move) => {
      const vertex = vertexOf(game, move.point);
      const then = move.pv.slice(1, 9).map((point) => vertexOf(game, point));
      const pv = move.isSymmetryOf === undefined ? then.join(" ") : `= ${vertexOf(game, move.isSymmetryOf)}`;
      const title = escape(T.playAt(vertex));
      const button = `<button type="button" data-row="${move.point}" title="${title}">${vertex}</button>`;
      return {
        key: move.point,
        cells: [button, percent(move.winRate), leadText(move.lead), short(move.visits), `<span>${pv}</span>`],
      };
    });
    fillTable(
      find("#candidates"),
      ["move", "rate", "lead", "visits", "pv"].map((name) => T.column[name]),
      rows,
    );
  }

  drawRens() {
    const { state, game } = this.model;
    if (find("#panel-rens").hidden) return;
    const colors = globalThis.GoBoard.renColors(state.rens, game.width, game.height);
    const atari = state.rens.filter((ren) => ren.atari).length;
    fill(find("#ren-summary"), T.renSummary(state.rens.length, atari, state.safe.length));
    const rows = state.rens.map((ren, place) => ({
      key: place,
      cells: [
        `<button type="button" data-row="${place}"><svg viewBox="0 0 10 10" aria-hidden="true">` +
          `<circle cx="5" cy="5" r="5" fill="${colors[place]}"/></svg>${escape(ren.name)}</button>`,
        T[ren.color],
        ren.stones.length,
        ren.liberties.length,
        ren.since,
        [ren.atari ? T.atari : "", ren.safe ? T.isSafe : ""].filter(Boolean).join(" "),
      ],
    }));
    const names = ["name", "color", "stones", "liberties", "since", "state"];
    fillTable(
      find("#rens"),
      names.map((name) => T.renColumn[name]),
      rows,
    );
    const forbidden = Object.entries(state.illegal).map(([point, rule]) => {
      const [name, reason] = T.rules[rule] ?? [rule, rule];
      return `<li><b>${vertexOf(game, Number(point))}</b> ${escape(name)}: ${escape(reason)}</li>`;
    });
    fill(
      find("#forbidden"),
      `<h2>${T.forbiddenTitle}</h2>` +
        (forbidden.length > 0 ? `<ul>${forbidden.join("")}</ul>` : `<p class="faint">${T.forbiddenNone}</p>`),
    );
  }

  /** Buttons for the children of the current node, if there are several. */
  drawVariations() {
    const { model } = this;
    const children = model.children[model.current] ?? [];
    const shown = children.length > 1 ? children : [];
    fill(
      find("#variations"),
      shown
        .map((node, place) => {
          const { color, point } = model.nodes[node];
          const text = color ? moveText(model.game, color, point) : T.setup;
          return (
            `<button type="button" data-row="${node}" data-go="${node}">${escape(text)}` +
            `${place === 0 ? ` (${T.main})` : ""}</button>`
          );
        })
        .join(""),
    );
  }
}

/** The score in words: the result, or its estimate in an unfinished game. */
const scoreText = ({ result, finished }) => (finished ? T.resultIs : T.estimateIs)(resultText(result));

/** What happened between two states, in words, for screen readers. */
export function announcement(model, before) {
  const { state, game } = model;
  const parts = [];
  const node = model.nodes[state.node];
  if (!before || before.node !== state.node) {
    parts.push(node?.color ? moveText(game, node.color, node.point) : state.number === 0 ? T.startPosition : T.setup);
    if (before && node?.color && node.parent === before.node) {
      const taken = state.prisoners[node.color] - before.prisoners[node.color];
      if (taken > 0) parts.push(T.captured(taken));
    }
    const rule = state.over ? "" : T.toMove(T[state.toMove]);
    if (rule) parts.push(rule);
  }
  if (state.over && (!before?.over || before.result !== state.result)) 
    parts.push(state.result ? T.over(resultText(state.result)) : T.bothPassed);
  if (state.score && state.score.result !== before?.score?.result)
    parts.push(scoreText(state.score));
  const suicide = before && node?.color && state.prisoners[other(node.color)] - before.prisoners[other(node.color)];
  if (suicide > 0 && node.parent === before.node) parts.push(T.captured(suicide));
  return parts.join(". ");
}
