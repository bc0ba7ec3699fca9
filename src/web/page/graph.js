// The graph of Black's win rate (area) and lead (line) along the current line. A click or the arrow keys go to a move.

import { T } from "./texts.js";
import { leadText, percent } from "./format.js";

const WIDTH = 600;
const HEIGHT = 150;
const LEFT = 42;
const RIGHT = 46;
const TOP = 6;
const BOTTOM = 20;

/** The most moves between two values that a line joins: in a game against the engine every second position has one. */
const MAX_GAP = 2;

/** The smallest lead at the edge of the scale, in points. */
const MIN_LEAD = 10;

export class Graph {
  /** `go` receives the node to go to. */
  constructor(svg, model, go) {
    Object.assign(this, { svg, model, go });
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    const jump = (event) => {
      const { left, width } = svg.getBoundingClientRect();
      this.goTo(this.numberAt(((event.clientX - left) / width) * WIDTH));
    };
    svg.addEventListener("pointerdown", (event) => {
      svg.setPointerCapture(event.pointerId);
      jump(event);
    });
    svg.addEventListener("pointermove", (event) => {
      if (event.buttons) jump(event);
    });
    svg.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 1, ArrowDown: -1, PageDown: -10, PageUp: 10 }[event.key];
      if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const node = model.step(by);
      if (node !== undefined) go(node);
    });
  }

  get last() {
    return Math.max(1, this.model.line.nodes.length - 1);
  }
  x(number) {
    return LEFT + ((WIDTH - LEFT - RIGHT) * number) / this.last;
  }
  numberAt(x) {
    return Math.round(((x - LEFT) / (WIDTH - LEFT - RIGHT)) * this.last);
  }

  goTo(number) {
    const { line, place } = this.model;
    const to = Math.max(0, Math.min(line.nodes.length - 1, number));
    if (to !== place) this.go(line.nodes[to]);
  }

  draw() {
    const { model, svg } = this;
    const { nodes, at } = model.line;
    const values = nodes.map((node) => model.valueAt(node));
    const height = HEIGHT - TOP - BOTTOM;
    const scale =
      Math.ceil(values.reduce((most, value) => Math.max(most, Math.abs(value?.lead ?? 0)), MIN_LEAD) / 10) * 10;
    const rateY = ({ winRate }) => TOP + height * (1 - winRate);
    const leadY = ({ lead }) => TOP + (height / 2) * (1 - lead / scale);
    const rule = (y, name, text, other) =>
      `<line class="${name}" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/>` +
      `<text x="${LEFT - 5}" y="${y + 4}" text-anchor="end">${text}</text>` +
      `<text class="lead-scale" x="${WIDTH - RIGHT + 5}" y="${y + 4}">${other}</text>`;
    const width = WIDTH - LEFT - RIGHT;
    let content = `<rect class="unknown-area" x="${LEFT}" y="${TOP}" width="${width}" height="${height}"/>`;
    const dot = (number, y, name) =>
      `<circle class="${name}" cx="${this.x(number).toFixed(1)}" cy="${y(values[number]).toFixed(1)}" r="2.5"/>`;
    const found = runs(values);
    for (const run of found) {
      if (run.length === 1) {
        content += dot(run[0], rateY, "win-rate-dot");
        continue;
      }
      const curve = run.map((number) => `${this.x(number).toFixed(1)} ${rateY(values[number]).toFixed(1)}`).join("L");
      const [from, to] = [this.x(run[0]).toFixed(1), this.x(run.at(-1)).toFixed(1)];
      content +=
        `<rect class="white-area" x="${from}" y="${TOP}" width="${to - from}" height="${height}"/>` +
        `<path class="black-area" d="M${from} ${TOP + height}L${curve}L${to} ${TOP + height}Z"/>` +
        `<path class="win-rate" d="M${curve}"/>`;
    }
    content +=
      rule(TOP, "rule", "100%", T.lead("b", scale)) +
      rule(TOP + height / 2, "rule middle", "50%", "0") +
      rule(TOP + height, "rule", "0%", T.lead("w", scale));
    for (const run of found) {
      if (run.length === 1) {
        content += dot(run[0], leadY, "lead-dot");
        continue;
      }
      const curve = run.map((number) => `${this.x(number).toFixed(1)} ${leadY(values[number]).toFixed(1)}`).join("L");
      content += `<path class="lead-line" d="M${curve}"/>`;
    }
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((size) => this.last / size <= 8) ?? this.last;
    for (let number = 0; number < nodes.length; number += step) {
      content += `<text x="${this.x(number).toFixed(1)}" y="${HEIGHT - 5}" text-anchor="middle">${number}</text>`;
    }
    const x = this.x(at).toFixed(1);
    content += `<line class="cursor" x1="${x}" x2="${x}" y1="${TOP}" y2="${TOP + height}"/>`;
    const value = values[at];
    if (value) content += `<circle class="cursor" cx="${x}" cy="${rateY(value).toFixed(1)}" r="3.5"/>`;
    if (content !== this.content) svg.innerHTML = content;
    this.content = content;
    svg.setAttribute("aria-valuemax", nodes.length - 1);
    svg.setAttribute("aria-valuenow", at);
    const text = value ? `${T.rate(T.b, percent(value.winRate))}, ${leadText(value.lead)}` : T.unknown;
    svg.setAttribute("aria-valuetext", T.graphAt(at, text));
  }
}

/** The places of known values, in runs without larger gaps. */
function runs(values) {
  const found = [];
  for (const [number, value] of values.entries()) {
    if (!value) continue;
    if (number - found.at(-1)?.at(-1) <= MAX_GAP) found.at(-1).push(number);
    else found.push([number]);
  }
  return found;
}
