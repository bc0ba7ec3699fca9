// The current game as the server told it: settings, tree, current node, analysis and values, and what follows from
// these.

/** Flags of a node. */
export const HAS_COMMENT = 1;
export const HAS_MARKS = 2;
const IS_REMOVED = 4;
export const IS_SETUP = 8;

export const other = (color) => (color === "b" ? "w" : "b");

export class Model {
  constructor() {
    this.hello = null;
    this.game = null;
    this.state = null;
    this.games = [];
    this.forget();
  }

  /** What belongs to one game. */
  forget() {
    this.nodes = [];
    this.children = [];
    this.order = {};
    this.values = new Map();
    this.analysis = null;
    this.hint = null;
    /** The node that was asked for and has not arrived, so that steps in quick succession add up. */
    this.target = null;
    /** The child through which each node was left last. */
    this.taken = new Map();
  }

  /** Takes a message over. Returns its name. */
  receive(message) {
    switch (message.type) {
      case "hello":
        this.target = null;
        this.hello = message;
        break;
      case "game":
        if (message.id !== this.game?.id) {
          this.forget();
          this.state = null;
        }
        this.game = message;
        break;
      case "tree":
        this.setTree(message);
        break;
      case "state":
        this.setState(message);
        break;
      case "analysis":
        this.analysis = message;
        break;
      case "values":
        for (const [node, winRate, lead, visits] of message.values) this.values.set(node, { winRate, lead, visits });
        break;
      case "error":
        this.target = null;
        break;
      case "hint":
        this.hint = message;
        break;
      case "games":
        this.games = message.games;
        break;
    }
    return message.type;
  }

  setTree({ nodes, order }) {
    this.nodes = nodes.map(([parent, color, point, flags]) => ({ parent, color, point, flags }));
    this.children = nodes.map(() => []);
    for (const [id, { parent, flags }] of this.nodes.entries()) {
      if (parent >= 0 && !(flags & IS_REMOVED)) this.children[parent].push(id);
    }
    for (const [parent, ids] of Object.entries(order ?? {})) this.children[parent] = ids;
    this.line_ = null;
  }

  setState(state) {
    this.state = state;
    this.line_ = null;
    if (state.node === this.target) this.target = null;
    for (let node = state.node; this.nodes[node]?.parent >= 0; node = this.nodes[node].parent) {
      this.taken.set(this.nodes[node].parent, node);
    }
    if (this.analysis?.node !== state.node) this.analysis = null;
    if (this.hint?.node !== state.node) this.hint = null;
  }

  get current() {
    return this.state?.node ?? 0;
  }

  /** The child of a node on the line that is shown: the one visited last, else the first. */
  next(node) {
    const children = this.children[node] ?? [];
    const taken = this.taken.get(node);
    return children.includes(taken) ? taken : children[0];
  }

  /** The line through the current node, from the root to a leaf, and the place of the current node on it. */
  get line() {
    if (this.line_) return this.line_;
    const nodes = [];
    for (let node = this.current; node >= 0 && this.nodes[node]; node = this.nodes[node].parent) nodes.push(node);
    nodes.reverse();
    const at = Math.max(0, nodes.length - 1);
    for (let node = this.next(this.current); node !== undefined; node = this.next(node)) nodes.push(node);
    this.line_ = { nodes, at };
    return this.line_;
  }

  /** The place on the line of the node that was asked for, else of the current one. */
  get place() {
    const { nodes, at } = this.line;
    const asked = this.target === null ? -1 : nodes.indexOf(this.target);
    return asked < 0 ? at : asked;
  }

  /** The node so many steps along the line; undefined if there is none. */
  step(by) {
    const { nodes } = this.line;
    const at = this.place;
    const to = Math.max(0, Math.min(nodes.length - 1, at + by));
    return to === at ? undefined : nodes[to];
  }

  /** The next or previous sibling of the current node, or of its nearest ancestor that has one. */
  sibling(by) {
    for (let node = this.current; this.nodes[node]?.parent >= 0; node = this.nodes[node].parent) {
      const siblings = this.children[this.nodes[node].parent];
      const to = siblings[siblings.indexOf(node) + by];
      if (to !== undefined) return to;
    }
    return undefined;
  }

  /** Whether it is the person's turn in a game against the engine. */
  get isPersonsTurn() {
    return this.state?.turn === "person" && ["b", "w"].includes(this.game?.person);
  }

  /** Whether a click plays a move now. */
  get mayPlay() {
    const { state } = this;
    return Boolean(state) && state.mayGoOn && !state.score && !(state.turn === "engine" && state.thinking === "move");
  }

  /** Whether a move or a result can be taken back here. */
  get mayUndo() {
    if (this.state.result) return true;
    const isAnyones = !["b", "w"].includes(this.game.person);
    for (let node = this.current; this.nodes[node]?.parent >= 0; node = this.nodes[node].parent) {
      if (isAnyones || this.nodes[node].color === this.game.person) return true;
    }
    return false;
  }

  /** The ren of a point; undefined for an empty one. */
  renAt(point) {
    return this.state?.rens.find(({ stones }) => stones.includes(point));
  }

  /** The value of a node: that of the running analysis, else the last known one. */
  valueAt(node) {
    const { analysis } = this;
    return analysis && analysis.node === node ? analysis : this.values.get(node);
  }
}
