// The board of the page: what is drawn on it, and what pointers, touches and keys on it do.

import { T } from "./texts.js";
import { leadText, percent, short, vertexOf } from "./format.js";

/** The time after which a touch that stays shows a variation, in milliseconds. */
const LONG_PRESS = 450;

/** The side of a point from which on a candidate has two and three lines of text, in pixels. */
const MIN_SIDE_FOR_TWO = 26;
const MIN_SIDE_FOR_THREE = 40;

const SVG = "http://www.w3.org/2000/svg";

export class BoardView {
  /**
   * `element` holds the board. `actions`: `play(point)`, `refuse(point)`, `mark(point)`, `dead(point)`, `say(text)`,
   * `about(point)` (shows a text on a point, or none).
   */
  constructor(element, model, actions) {
    Object.assign(this, { element, model, actions });
    this.layers = new Set(["candidates"]);
    this.tool = null;
    this.cursor = null;
    this.hovered = null;
    /** The point whose stone a second tap plays. */
    this.pending = null;
    /** The candidate whose variation is shown, by its point. */
    this.shown = null;
    /** The ren that a row of the table or the pointer selects. */
    this.selectedRen = null;
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("aria-hidden", "true");
    element.append(this.svg);
    this.board = null;
    this.listen();
  }

  listen() {
    const { element, svg } = this;
    const at = (event) => this.board?.pointAt(event.clientX, event.clientY) ?? null;
    svg.addEventListener("pointerdown", (event) => {
      this.hideCursor();
      this.pressed = event.button === 0 ? at(event) : null;
      this.isLong = false;
      clearTimeout(this.press);
      if (event.pointerType !== "mouse" && this.pressed !== null) {
        const point = this.pressed;
        this.press = setTimeout(() => {
          this.isLong = true;
          this.hover(point);
        }, LONG_PRESS);
      }
    });
    svg.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse" || this.isLong) this.hover(at(event));
    });
    svg.addEventListener("pointerleave", () => {
      clearTimeout(this.press);
      this.hover(null);
    });
    svg.addEventListener("pointercancel", () => {
      clearTimeout(this.press);
      this.pressed = null;
      this.hover(null);
    });
    svg.addEventListener("pointerup", (event) => {
      clearTimeout(this.press);
      const point = at(event);
      const isClick = point !== null && point === this.pressed && !this.isLong;
      this.pressed = null;
      if (event.pointerType !== "mouse") this.hover(null);
      if (isClick) this.choose(point, event.pointerType === "mouse");
    });
    svg.addEventListener("contextmenu", (event) => {
      if (this.isLong) event.preventDefault();
    });
    element.addEventListener("focus", () => {
      if (element.matches(":focus-visible") && this.pressed == null) this.showCursor();
    });
    element.addEventListener("blur", () => {
      this.cursor = null;
      this.drawPointers();
    });
    element.addEventListener("keydown", (event) => this.key(event));
  }

  // keys

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (move && this.cursor !== null) this.moveCursor(...move);
    else if (event.key === "Enter" || event.key === " ") {
      if (this.cursor === null) this.showCursor();
      else this.choose(this.cursor, true);
    } else if (event.key === "Escape" && this.cursor !== null) {
      this.hideCursor();
      this.actions.say(T.cursorOff);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  showCursor() {
    if (!this.board || !this.model.state) return;
    const { width, height } = this.board;
    const last = this.model.state?.last;
    const middle = Math.floor(height / 2) * width + Math.floor(width / 2);
    this.setCursor(this.kept ?? (last >= 0 && last !== null ? last : middle));
  }

  setCursor(point) {
    this.cursor = point;
    this.kept = point;
    this.drawPointers();
    this.actions.about(point);
    this.actions.say(this.describe(point));
  }

  moveCursor(dx, dy) {
    const { width, height } = this.board;
    const x = Math.max(0, Math.min(width - 1, (this.cursor % width) + dx));
    const y = Math.max(0, Math.min(height - 1, Math.floor(this.cursor / width) + dy));
    this.setCursor(y * width + x);
  }

  hideCursor() {
    if (this.cursor === null) return;
    this.cursor = null;
    this.drawPointers();
    this.actions.about(null);
  }

  // choosing a point

  choose(point, isFirm) {
    const { model, actions } = this;
    if (this.tool) return actions.mark(point);
    if (model.state?.score) return actions.dead(point);
    if (this.refusal(point)) {
      this.cancel();
      return actions.refuse(point);
    }
    if (isFirm || this.pending === point) {
      this.cancel();
      return actions.play(point);
    }
    this.pending = point;
    this.drawPointers();
    actions.about(point);
    return actions.confirm(point);
  }

  cancel() {
    if (this.pending === null) return;
    this.pending = null;
    this.drawPointers();
    this.actions.confirm(null);
  }

  /** The rule that forbids the side to move a point; undefined if none does. */
  refusal(point) {
    const { state } = this.model;
    if (!state) return undefined;
    return state.board[point] === "." ? state.illegal[point] : "masonry";
  }

  hover(point) {
    if (point === this.hovered) return;
    this.hovered = point;
    this.drawPointers();
    this.actions.about(point ?? this.cursor);
  }

  /** Shows the variation of the candidate at a point; null shows none. */
  showVariation(point) {
    this.shown = point;
    this.drawPointers();
  }

  selectRen(ren) {
    this.selectedRen = ren;
    this.drawPointers();
  }

  // what a point is, in words

  describe(point) {
    const { model } = this;
    const { state, game, analysis } = model;
    const vertex = vertexOf(game, point);
    const parts = [];
    const ren = model.renAt(point);
    if (ren) {
      parts.push(`${vertex}: ${T.stoneOf(T[ren.color])}`);
      if (point === state.last) parts.push(T.lastMark);
      parts.push(`${T.ren(ren.name)}: ${T.renText(T[ren.color], ren.stones.length, ren.liberties.length, ren.since)}`);
      if (ren.atari) parts.push(T.atari);
      if (ren.safe) parts.push(T.isSafe);
    } else {
      const rule = state.illegal[point];
      const [name, reason] = T.rules[rule] ?? [rule, rule];
      parts.push(rule ? T.forbidden(vertex, name, reason) : `${vertex}: ${T.empty}`);
      if (state.safe.includes(point)) parts.push(T.safePoint);
    }
    if (state.score?.dead.includes(point)) parts.push(T.dead);
    if (state.score?.unclear.includes(point)) parts.push(T.unclear);
    const mark = state.marks.find((each) => each.point === point);
    if (mark)
      parts.push(
        { TR: T.triangle, SQ: T.square, CR: T.circle, MA: T.crossMark }[mark.kind] ?? `${T.label} ${mark.text}`,
      );
    const candidate = this.candidateAt(point);
    if (candidate) {
      parts.push(`${percent(candidate.winRate)} ${leadText(candidate.lead)} ${T.visitsOf(short(candidate.visits))}`);
    }
    if (analysis && this.layers.has("ownership")) {
      const owner = analysis.ownership[point];
      if (Math.abs(owner) >= 5) parts.push(T.ownedBy(T[owner > 0 ? "b" : "w"], `${Math.abs(owner)}%`));
    }
    if (analysis?.policy && this.layers.has("policy")) parts.push(T.policyAt(percent(analysis.policy[point] / 1000)));
    if (analysis?.criticality && this.layers.has("criticality")) {
      parts.push(T.criticalityAt(`${analysis.criticality[point]}%`));
    }
    return parts.join(" · ");
  }

  candidateAt(point) {
    if (!this.layers.has("candidates")) return undefined;
    return this.model.analysis?.moves.find((move) => move.point === point);
  }

  // drawing

  draw() {
    const { game, state } = this.model;
    if (!game || !state || state.board.length !== game.width * game.height) return;
    if (this.board?.width !== game.width || this.board?.height !== game.height || this.id !== game.id) {
      this.board = new globalThis.GoBoard(this.svg, game.width, game.height);
      this.board.resize(game.width, game.height);
      const { width, height } = this.svg.viewBox.baseVal;
      this.svg.style.setProperty("--ratio", width / height);
      Object.assign(this, { id: game.id, cursor: null, kept: null, hovered: null, pending: null, shown: null });
    }
    if (this.drawnNode !== state.node) {
      this.cancel();
      this.shown = null;
      this.selectedRen = null;
      this.drawnNode = state.node;
    }
    const { layers } = this;
    this.board.draw({
      stones: state.board,
      last: state.last,
      marks: state.marks,
      rens: layers.has("rens") ? state.rens : null,
      safe: layers.has("safe") ? state.safe : null,
      illegal: layers.has("illegal") ? Object.keys(state.illegal).map(Number) : null,
      dead: state.score?.dead ?? null,
      unclear: state.score?.unclear ?? null,
      territory: state.score?.owner ?? null,
    });
    this.element.setAttribute(
      "aria-label",
      T.boardLabel(game.width, game.height, state.number, state.over ? "" : T[state.toMove]),
    );
    this.drawAnalysis();
  }

  drawAnalysis() {
    const { board, layers } = this;
    const { analysis, state } = this.model;
    if (!board || !state) return;
    const has = (name) => analysis && layers.has(name);
    let heat = null;
    if (has("policy") && analysis.policy) {
      const most = Math.max(1, ...analysis.policy);
      heat = {
        values: analysis.policy.map((value) => value / most),
        color: "#2f6fed",
        labels: analysis.policy.map((value) => (value >= 10 ? Math.round(value / 10) : null)),
      };
    } else if (has("criticality") && analysis.criticality) {
      heat = {
        values: analysis.criticality.map((value) => value / 100),
        color: "#b3389b",
        labels: analysis.criticality.map((value) => (value >= 10 ? value : null)),
      };
    }
    board.draw({ heat, ownership: has("ownership") ? analysis.ownership.map((value) => value / 100) : null });
    this.drawPointers();
  }

  /** The candidates, or the variation of one; the stone under the pointer; the cursor. */
  drawPointers() {
    const { board, model } = this;
    const { state, analysis, hint } = model;
    if (!board || !state) return;
    const isOn = !state.score && !this.tool;
    const shown = [this.shown, this.hovered, this.cursor, this.pending].find(
      (point) => point !== null && this.candidateAt(point)?.pv.length > 0,
    );
    const moves = isOn && shown !== undefined ? this.candidateAt(shown).pv : isOn && hint ? hint.pv : null;
    const candidates = isOn && !moves && analysis && this.layers.has("candidates") ? this.candidates(analysis) : [];
    const pointed = this.pending ?? (isOn && model.mayPlay ? this.hovered : null);
    const isFree = pointed !== null && !this.refusal(pointed) && !moves;
    const ren = this.selectedRen ?? (this.layers.has("rens") ? model.renAt(this.hovered ?? this.cursor) : null);
    board.draw({
      variation: moves ? { first: state.toMove, moves } : null,
      candidates,
      ghost:
        pointed !== null && (isFree || this.pending !== null)
          ? { point: pointed, color: state.toMove, isFirm: this.pending !== null }
          : null,
      focus: ren ?? null,
      cursor: this.cursor,
    });
    this.element.classList.toggle("can-play", isFree);
  }

  /** Candidates with a share of the visits, or among the best few, as disks. */
  candidates({ moves }) {
    const { state, game } = this.model;
    const drawn = moves.filter(({ point }) => point >= 0 && state.board[point] === ".");
    const most = Math.max(1, ...drawn.map(({ visits }) => visits));
    // small points have room for the win rate only
    const side = (this.svg.clientWidth / this.svg.viewBox.baseVal.width) * globalThis.GoBoard.CELL;
    const lines = side < MIN_SIDE_FOR_TWO ? 1 : side < MIN_SIDE_FOR_THREE ? 2 : 3;
    return drawn
      .filter(({ visits }, index) => index < 3 || visits >= most / 200)
      .map((move, index) => ({
        point: move.point,
        lines: [
          lines === 1 ? (move.winRate * 100).toFixed(0) : (move.winRate * 100).toFixed(1),
          ...(lines < 3 || move.lead === null ? [] : [move.lead.toFixed(1)]),
          ...(lines < 2 ? [] : [short(move.visits)]),
        ],
        strength: Math.sqrt(move.visits / most),
        isBest: index === 0,
        title: [vertexOf(game, move.point), percent(move.winRate), leadText(move.lead), T.visitsOf(move.visits)].join(
          " ",
        ),
      }));
  }
}
