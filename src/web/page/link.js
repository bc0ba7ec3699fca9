// The address of the current position, `#game=ID&node=N`: written at each change, and followed where a person opens it.

import { T } from "./texts.js";

/** The game and node that a hash names; null if it names none. */
function parse(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const [game, node] = [fields.get("game"), fields.get("node")];
  return game && /^\d+$/.test(node ?? "") ? { game, node: Number(node) } : null;
}

export class Link {
  constructor(model, send, tell) {
    Object.assign(this, { model, send, tell });
    // an address that this page wrote itself is where it was, not where the person wants to go: after a reload the game
    // may have gone on
    this.wanted = history.state?.isOwn ? null : parse(location.hash);
    window.addEventListener("hashchange", () => {
      if (history.state?.isOwn) return;
      this.wanted = parse(location.hash);
      this.asked = false;
      this.update();
    });
  }

  /** Follows the wanted link as far as the server's news allow, then writes the address of the current position. */
  update() {
    const { model, wanted } = this;
    if (!model.game || !model.state) return;
    if (wanted && wanted.game !== model.game.id) {
      const isKept = model.games.some(({ id }) => id === wanted.game);
      if (isKept && !this.asked) {
        this.asked = this.send({ type: "open", game: wanted.game });
        return;
      }
      if (isKept) return;
      this.wanted = null;
      this.tell(T.noSuchGame);
    } else if (wanted) {
      this.wanted = null;
      if (wanted.node !== model.current && model.nodes[wanted.node]) {
        this.send({ type: "go", node: wanted.node });
        return;
      }
    }
    if (this.wanted) return;
    const hash = `#game=${encodeURIComponent(model.game.id)}&node=${model.current}`;
    if (hash !== location.hash) history.replaceState({ isOwn: true }, "", hash);
  }
}
