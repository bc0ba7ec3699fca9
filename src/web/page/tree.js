// The move tree: moves from left to right, variations below. Arrow keys walk along it.

import { HAS_COMMENT, HAS_MARKS } from "./model.js";
import { T } from "./texts.js";
import { escape, moveText } from "./format.js";

const STEP = 26;
const RADIUS = 10;

/**
 * A column (depth) and a row for each node: a line of first children lies in one row; the variations that leave it lie
 * below, those that leave it last uppermost, each in the first row free from its parent's column on.
 */
export function layOut(children) {
  const column = [];
  const row = [];
  /** The first free row of each column. */
  const free = [];
  const starts = children.length > 0 ? [{ node: 0, depth: 0, from: 0 }] : [];
  while (starts.length > 0) {
    const { node: start, depth: first, from } = starts.pop();
    const chain = [];
    for (let node = start; node !== undefined; node = children[node][0]) chain.push(node);
    const before = Math.max(0, first - 1);
    let at = from;
    for (let depth = before; depth < first + chain.length; depth++) at = Math.max(at, free[depth] ?? 0);
    for (let depth = before; depth < first + chain.length; depth++) {
      // the line down to a variation takes the room beside its parent
      free[depth] = at + 1;
    }
    for (const [index, node] of chain.entries()) [column[node], row[node]] = [first + index, at];
    // the last start is taken first
    for (const [index, node] of chain.entries()) {
      for (const child of children[node].slice(1).reverse())
        starts.push({ node: child, depth: first + index + 1, from: at + 1 });
    }
  }
  return { column, row };
}

export class Tree {
  /** `go` receives the node to go to. */
  constructor(element, model, go) {
    Object.assign(this, { element, model, go });
    element.addEventListener("click", (event) => {
      const node = event.target.closest?.("[data-node]")?.dataset.node;
      if (node !== undefined) go(Number(node));
    });
    element.addEventListener("keydown", (event) => {
      const to = {
        ArrowLeft: () => model.step(-1),
        ArrowRight: () => model.step(1),
        ArrowUp: () => model.sibling(-1),
        ArrowDown: () => model.sibling(1),
      }[event.key];
      if (!to || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const node = to();
      if (node !== undefined) go(node);
    });
  }

  /** Draws all nodes; needed when the tree or the language changes. */
  draw() {
    const { nodes, children, game } = this.model;
    const { column, row } = layOut(children);
    const x = (node) => column[node] * STEP + STEP / 2 + 2;
    const y = (node) => row[node] * STEP + STEP / 2 + 2;
    let [links, disks, width, height] = ["", "", 0, 0];
    for (const node of column.keys()) {
      if (column[node] === undefined) continue;
      const { parent, color, point, flags } = nodes[node];
      width = Math.max(width, x(node));
      height = Math.max(height, y(node));
      if (parent >= 0) {
        const corner =
          y(node) === y(parent) ? "" : `L${x(parent)} ${y(node) - STEP / 2}L${x(parent) + STEP / 2} ${y(node)}`;
        links += `M${x(parent)} ${y(parent)}${corner}L${x(node)} ${y(node)}`;
      }
      const name = color ? `tree-${color}` : "tree-root";
      const text = color
        ? T.treeNode(column[node], moveText(game, color, point))
        : node === 0
          ? T.startPosition
          : T.setup;
      const label = color ? (point < 0 ? "–" : column[node]) : "";
      disks +=
        `<g class="${name}" data-node="${node}"><title>${escape(text)}</title>` +
        (color
          ? `<circle cx="${x(node)}" cy="${y(node)}" r="${RADIUS}"/>`
          : `<rect x="${x(node) - 7}" y="${y(node) - 7}" width="14" height="14" rx="3"/>`) +
        `<text x="${x(node)}" y="${y(node) + 3.5}">${label}</text>` +
        (flags & HAS_COMMENT ? `<circle class="tree-note" cx="${x(node) + 8}" cy="${y(node) - 8}" r="3.5"/>` : "") +
        (flags & HAS_MARKS
          ? `<rect class="tree-note" x="${x(node) + 5}" y="${y(node) + 5}" width="6" height="6"/>`
          : "") +
        "</g>";
    }
    const [across, down] = [width + STEP / 2 + 4, height + STEP / 2 + 4];
    this.element.innerHTML =
      `<svg width="${across}" height="${down}" viewBox="0 0 ${across} ${down}" aria-hidden="true">` +
      `<path class="tree-line" d="${links}"/><circle class="tree-now" r="${RADIUS + 2.5}"/>${disks}</svg>`;
    Object.assign(this, { x, y });
    this.show();
  }

  /** Marks the current node and brings it into view. */
  show() {
    const { element, model } = this;
    const now = element.querySelector(".tree-now");
    const node = model.current;
    if (!now || !model.nodes[node]) return;
    const [x, y] = [this.x(node), this.y(node)];
    // a deleted node has no place; the next state names another
    if (Number.isNaN(x)) return;
    now.setAttribute("cx", x);
    now.setAttribute("cy", y);
    if (element.clientWidth > 0) {
      const margin = 2 * STEP;
      const scroll = (at, start, size) =>
        at < start + margin ? at - size / 2 : at > start + size - margin ? at - size / 2 : start;
      element.scrollLeft = scroll(x, element.scrollLeft, element.clientWidth);
      element.scrollTop = scroll(y, element.scrollTop, element.clientHeight);
    }
  }
}
