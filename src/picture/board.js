// Draws and updates a board in SVG, in the form of the pictures that the engine writes: adjacent points are 40 units
// apart, the upper left point is at 0, 0, classes begin with `go-`. A classic script without imports: it defines
// `GoBoard`. Points are indices from the highest rank down, a pass is -1; colours are "b" and "w"; boards are one
// character a point: ".", "x" (Black), "o" (White).
"use strict";
globalThis.GoBoard = (() => {
  const CELL = 40;
  const MARGIN = 54;
  const LABEL_DISTANCE = 36;
  const FILES = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
  const FONT = 'font-family="system-ui, DejaVu Sans, sans-serif" text-anchor="middle"';
  const NAMESPACE = "http://www.w3.org/2000/svg";
  const STONE = { b: "black", w: "white", x: "black", o: "white" };

  /** Smallest absolute ownership that is drawn, and the one at which a stone of the other colour is disputed. */
  const MIN_OWNERSHIP = 0.05;
  const MIN_DISPUTE = 0.3;

  /** Colours of rens: different from each other, and visible on black, white and wood. */
  const REN_COLORS =
    ["#e5243b", "#2f6fed", "#1f9d55", "#f26b0f", "#9b3fd4", "#00a3a3", "#e83e9c", "#7a8b00", "#0091d5"];

  /** Layers from bottom to top. The style sheet of pictures covers some; the others carry their paint as attributes. */
  const LAYERS = ["ownership", "heat", "safe", "stones", "dead", "disputed", "territory", "rens", "last", "illegal",
    "candidates", "variation", "marks", "focus", "hover", "cursor"];

  const DEFINITIONS = `<defs>
<radialGradient id="go-black-shade" cx="0.35" cy="0.3" r="0.75">
<stop offset="0" stop-color="#6a6a6e"/><stop offset="0.45" stop-color="#2a2a2c"/><stop offset="1" stop-color="#0b0b0c"/>
</radialGradient>
<radialGradient id="go-white-shade" cx="0.38" cy="0.32" r="0.8">
<stop offset="0" stop-color="#ffffff"/><stop offset="0.6" stop-color="#f3f1ec"/><stop offset="1" stop-color="#cfcabd"/>
</radialGradient>
<g id="go-black"><circle class="go-shadow" cx="1.5" cy="2.5" r="18.8"/>
<circle fill="url(#go-black-shade)" r="18.8"/></g>
<g id="go-white"><circle class="go-shadow" cx="1.5" cy="2.5" r="18.8"/>
<circle fill="url(#go-white-shade)" r="18.8"/><circle class="go-rim" r="18.4"/></g>
</defs>
`;

  const escape = (text) =>
    String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
      .replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, " ");

  const isPoint = (point) => Number.isInteger(point) && point >= 0;
  const other = (color) => (color === "b" ? "w" : "b");

  /** The lines of an axis on which star points lie. */
  function starLines(side) {
    const low = side >= 13 ? 3 : 2;
    return { corners: [low, side - 1 - low], middle: side % 2 === 1 ? (side - 1) / 2 : null };
  }

  /** Star points as [column, row]. */
  function starPoints(width, height) {
    const least = Math.min(width, height);
    if (least < 7) return [];
    const [across, down] = [starLines(width), starLines(height)];
    const stars = across.corners.flatMap((x) => down.corners.map((y) => [x, y]));
    if (least >= 17) {
      if (across.middle !== null) stars.push(...down.corners.map((y) => [across.middle, y]));
      if (down.middle !== null) stars.push(...across.corners.map((x) => [x, down.middle]));
    }
    if (across.middle !== null && down.middle !== null) stars.push([across.middle, down.middle]);
    return [...new Map(stars.map((star) => [star.join(), star])).values()];
  }

  /**
   * A colour for each ren, different from those of rens at most two points away: ren n takes the first colour, from
   * the n-th on cyclically, that no near ren before it has; the n-th if near rens have all.
   */
  function renColors(rens, width, height) {
    const count = REN_COLORS.length;
    const colorAt = new Array(width * height).fill(null);
    return rens.map(({ stones }, n) => {
      const near = new Set();
      for (const point of stones) {
        const [x, y] = [point % width, Math.floor(point / width)];
        for (let row = Math.max(0, y - 2); row <= Math.min(height - 1, y + 2); row++) {
          for (let column = Math.max(0, x - 2); column <= Math.min(width - 1, x + 2); column++) {
            near.add(colorAt[row * width + column]);
          }
        }
      }
      let color = n % count;
      for (let step = 0; step < count && near.has(color); step++) color = (color + 1) % count;
      for (const point of stones) colorAt[point] = color;
      return REN_COLORS[color];
    });
  }

  /**
   * The stones of a variation, each with `number` (from 1), `color` and `point`, without passes and moves on a
   * point that has a stone already.
   */
  function numberedStones(board, first, moves) {
    const stones = [];
    const seen = new Set();
    let color = first;
    for (const [index, point] of moves.entries()) {
      if (point >= 0 && board[point] === "." && !seen.has(point)) {
        seen.add(point);
        stones.push({ number: index + 1, color, point });
      }
      color = other(color);
    }
    return stones;
  }

  /** A count in at most four characters. */
  function short(count) {
    if (count < 1000) return String(count);
    const [unit, name] = count < 999_500 ? [1e3, "k"] : [1e6, "M"];
    return `${(count / unit).toFixed(count < 9.95 * unit ? 1 : 0)}${name}`;
  }

  /** The name of a point in the coordinates of GTP, or "pass". */
  const vertexName = (point, width, height) =>
    point < 0 ? "pass" : FILES[point % width] + (height - Math.floor(point / width));

  class GoBoard {
    /** Takes over a picture in `svg` with its size; an empty element is drawn anew. */
    constructor(svg, width, height) {
      this.svg = svg;
      this.drawn = {};
      this.view = {};
      if (svg.querySelector(".go-wood")) {
        this.setSize(width, height);
      } else {
        this.resize(width, height);
      }
    }

    setSize(width, height) {
      Object.assign(this, { width, height, area: width * height });
      this.right = (width - 1) * CELL;
      this.bottom = (height - 1) * CELL;
    }

    /** Draws an empty board of a size. */
    resize(width, height) {
      this.setSize(width, height);
      this.view = {};
      this.drawn = {};
      const { svg, right, bottom } = this;
      const [across, down] = [right + 2 * MARGIN, bottom + 2 * MARGIN];
      svg.setAttribute("viewBox", `-${MARGIN} -${MARGIN} ${across} ${down}`);
      svg.setAttribute("width", across);
      svg.setAttribute("height", down);
      svg.classList.add("go");
      svg.innerHTML = DEFINITIONS + this.frame() + LAYERS.map((name) => `<g class="go-${name}"></g>`).join("\n");
    }

    /** The wood, the lines, the star points and the coordinate labels. */
    frame() {
      const { width, height, right, bottom } = this;
      const corner = 1 - MARGIN;
      const side = 2 * MARGIN - 2;
      const columns = Array.from({ length: width }, (_, x) => x * CELL);
      const rows = Array.from({ length: height }, (_, y) => y * CELL);
      const label = (x, y, text) => `<text class="go-name" x="${x}" y="${y + 5}">${text}</text>`;
      const stars = starPoints(width, height);
      return `<rect class="go-wood" x="${corner}" y="${corner}" width="${right + side}" height="${bottom + side}" ` +
        'rx="8"/>\n<path class="go-grid" d="' +
        columns.map((x) => `M${x} 0V${bottom}`).join("") + rows.map((y) => `M0 ${y}H${right}`).join("") +
        `"/>\n<rect class="go-edge" x="0" y="0" width="${right}" height="${bottom}"/>\n` +
        stars.map(([x, y]) => `<circle class="go-star" cx="${x * CELL}" cy="${y * CELL}" r="4.2"/>`).join("") +
        columns.map((x, file) =>
          label(x, -LABEL_DISTANCE, FILES[file]) + label(x, bottom + LABEL_DISTANCE, FILES[file])).join("") +
        rows.map((y, row) =>
          label(-LABEL_DISTANCE, y, height - row) + label(right + LABEL_DISTANCE, y, height - row)).join("") + "\n";
    }

    /** The group of a layer; one that a taken-over picture lacks is put at its place. */
    layer(name) {
      const found = this.svg.querySelector(`g.go-${name}`);
      if (found) return found;
      const group = document.createElementNS(NAMESPACE, "g");
      group.setAttribute("class", `go-${name}`);
      const above = LAYERS.slice(LAYERS.indexOf(name) + 1).map((later) => this.svg.querySelector(`g.go-${later}`));
      this.svg.insertBefore(group, above.find((element) => element) ?? null);
      return group;
    }

    /** Replaces the content of a layer, if it differs. */
    show(name, content) {
      if (this.drawn[name] === content) return;
      this.drawn[name] = content;
      this.layer(name).innerHTML = content;
    }

    x(point) { return (point % this.width) * CELL; }
    y(point) { return Math.floor(point / this.width) * CELL; }
    vertex(point) { return vertexName(point, this.width, this.height); }

    /** The point at client coordinates, such as those of a pointer event; null outside the board. */
    pointAt(clientX, clientY) {
      const matrix = this.svg.getScreenCTM();
      if (!matrix) return null;
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
      const [column, row] = [Math.round(x / CELL), Math.round(y / CELL)];
      const isInside = column >= 0 && column < this.width && row >= 0 && row < this.height;
      return isInside ? row * this.width + column : null;
    }

    use(color, point, attributes = "") {
      return `<use ${attributes} href="#go-${STONE[color]}" x="${this.x(point)}" y="${this.y(point)}"/>`;
    }

    rect(point, side, attributes) {
      const [x, y] = [this.x(point) - side / 2, this.y(point) - side / 2];
      return `<rect ${attributes} x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${side.toFixed(1)}" ` +
        `height="${side.toFixed(1)}"/>`;
    }

    text(point, down, size, attributes, text) {
      return `<text ${FONT} font-size="${size}" x="${this.x(point)}" y="${this.y(point) + down}" ${attributes}>` +
        `${escape(text)}</text>`;
    }

    /**
     * Draws the parts that `view` names, and keeps the others; null empties a part:
     * `stones` (a board), `last` (point), `ownership` (numbers from -1, White's, to 1),
     * `heat` ({values: 0 to 1 a point, color, labels: texts or null}), `dead`, `unclear` (points),
     * `territory` (a character a point: b, w, s for seki), `rens` ([{stones, liberties}]), `safe`, `illegal` (points),
     * `candidates` ([{point, title, lines: [texts], strength: 0 to 1, isBest}]), `variation` ({first, moves, next?}),
     * `marks` ([{point, kind, text?}]), `focus` (a ren whose stones and liberties are pointed out),
     * `ghost` ({point, color, isFirm?}), `cursor` (point).
     */
    draw(view) {
      Object.assign(this.view, view);
      const all = this.view;
      const has = (...names) => names.some((name) => name in view);
      const each = (items, draw) => (items ?? []).map(draw).join("");
      if (has("stones")) {
        this.show("stones", each([...all.stones], (stone, point) => (stone === "." ? "" : this.use(stone, point))));
      }
      if (has("stones", "last", "rens", "marks")) this.show("last", all.rens ? "" : this.lastMove());
      if (has("stones", "ownership")) this.drawOwnership();
      if (has("heat")) this.show("heat", all.heat ? this.heat(all.heat) : "");
      if (has("safe")) {
        this.show("safe", each(all.safe, (point) => this.rect(point, CELL, 'fill="#0b8a4b" opacity="0.42"')));
      }
      if (has("stones", "dead", "unclear")) {
        this.show("dead", each(all.dead, (point) => this.cross(point, 9, "#d11f3a", 3.4)) +
          each(all.unclear, (point) => this.unclear(point)));
      }
      if (has("territory")) {
        this.show("territory", each([...all.territory ?? ""], (owner, point) => this.owner(owner, point)));
      }
      if (has("stones", "rens")) this.show("rens", all.rens ? this.rens(all.rens) : "");
      if (has("illegal")) {
        this.show("illegal", each(all.illegal, (point) => this.cross(point, 6, "#a3142b", 2.6)));
      }
      if (has("candidates")) this.show("candidates", each(all.candidates, (move) => this.candidate(move)));
      if (has("stones", "variation")) this.show("variation", all.variation ? this.variation(all.variation) : "");
      if (has("stones", "marks")) this.show("marks", each(all.marks, (mark) => this.mark(mark)));
      if (has("focus")) this.show("focus", all.focus ? this.focus(all.focus) : "");
      if (has("ghost")) this.show("hover", all.ghost ? this.ghost(all.ghost) : "");
      if (has("cursor")) this.show("cursor", isPoint(all.cursor) ? this.cursor(all.cursor) : "");
    }

    stoneAt(point) { return this.view.stones?.[point] ?? "."; }

    /** A ring on the stone of the last move, unless a mark is there. */
    lastMove() {
      const { last, marks } = this.view;
      const color = STONE[this.stoneAt(last)];
      if (!isPoint(last) || !color || marks?.some(({ point }) => point === last)) return "";
      return `<circle class="go-last-on-${color}" cx="${this.x(last)}" cy="${this.y(last)}" r="9.5"/>`;
    }

    /** Shades points by their owner, and marks stones that the opponent owns. */
    drawOwnership() {
      let [under, over] = ["", ""];
      for (const [point, ownership] of [...this.view.ownership ?? []].entries()) {
        const size = Math.min(1, Math.abs(ownership));
        if (!(size >= MIN_OWNERSHIP)) continue;
        const color = ownership > 0 ? "black" : "white";
        // white needs more opacity to be visible on wood
        const opacity = size * (ownership > 0 ? 0.6 : 0.75);
        under += this.rect(point, CELL, `class="go-own-${color}" opacity="${opacity.toFixed(2)}"`);
        const stone = STONE[this.stoneAt(point)];
        if (stone && stone !== color && size > MIN_DISPUTE) {
          over += this.rect(point, 8 + 10 * size, `class="go-taken-${color}"`);
        }
      }
      this.show("ownership", under);
      this.show("disputed", over);
    }

    heat({ values, color, labels }) {
      return [...values].map((value, point) => {
        if (!(value >= 0.02)) return "";
        const shade = this.rect(point, CELL, `fill="${color}" opacity="${(0.12 + 0.68 * value).toFixed(2)}"`);
        const label = labels?.[point];
        return label ? shade + this.text(point, 5, 13, 'font-weight="600" fill="#1c1206"', label) : shade;
      }).join("");
    }

    owner(owner, point) {
      if (owner === "s") return this.text(point, 5, 14, 'font-weight="700" fill="#7b2fb0"', "S");
      const color = STONE[owner];
      return color && color !== STONE[this.stoneAt(point)] ? this.rect(point, 14, `class="go-taken-${color}"`) : "";
    }

    /** A question mark beside the middle of a stone. */
    unclear(point) {
      const [x, y] = [this.x(point) + 10, this.y(point) - 10];
      return `<circle cx="${x}" cy="${y}" r="8" fill="#7b2fb0" stroke="#fff" stroke-width="1.2"/>` +
        `<text ${FONT} font-size="12" font-weight="700" fill="#fff" x="${x}" y="${y + 4.3}">?</text>`;
    }

    cross(point, arm, color, width) {
      const [x, y] = [this.x(point), this.y(point)];
      const path = `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`;
      return `<path d="${path}" fill="none" stroke="#fff" stroke-opacity="0.75" stroke-width="${width + 2}"/>` +
        `<path d="${path}" fill="none" stroke="${color}" stroke-width="${width}"/>`;
    }

    /** Each ren in its colour: lines between its stones and towards its liberties, and the number of liberties. */
    rens(rens) {
      const colors = renColors(rens, this.width, this.height);
      return rens.map((ren, index) => {
        const color = colors[index];
        const middle = this.middle(ren.stones);
        const count = ren.liberties.length;
        return `<path class="go-link" stroke="${color}" d="${this.links(ren)}"/>` +
          `<circle fill="${color}" cx="${this.x(middle)}" cy="${this.y(middle)}" r="13"/>` +
          `<text class="go-count${count > 99 ? " go-small" : ""}" x="${this.x(middle)}" y="${this.y(middle) + 6}">` +
          `${count}</text>`;
      }).join("");
    }

    /** Path data: lines between adjacent stones of a ren, and part of the way to each liberty. */
    links({ stones, liberties }) {
      const [members, free] = [new Set(stones), new Set(liberties)];
      let path = "";
      for (const point of stones) {
        const start = `M${this.x(point)} ${this.y(point)}`;
        // a dot, so that a single stone without liberties is visible
        path += `${start}h0`;
        for (const [dx, dy] of [[1, 0], [0, -1], [-1, 0], [0, 1]]) {
          const column = (point % this.width) + dx;
          const next = point + dx + dy * this.width;
          if (column < 0 || column >= this.width || next < 0 || next >= this.area) continue;
          if (free.has(next)) path += `${start}l${Math.trunc(dx * CELL * 2 / 3)} ${Math.trunc(dy * CELL * 2 / 3)}`;
          if (members.has(next) && (dx === 1 || dy === -1)) path += `${start}l${dx * CELL} ${dy * CELL}`;
        }
      }
      return path;
    }

    /** The point of a ren nearest to the mean of its points. */
    middle(stones) {
      const mean = (of) => stones.reduce((sum, point) => sum + of(point), 0) / stones.length;
      const [x, y] = [mean((point) => this.x(point)), mean((point) => this.y(point))];
      const distance = (point) => (this.x(point) - x) ** 2 + (this.y(point) - y) ** 2;
      return stones.reduce((best, point) => (distance(point) < distance(best) ? point : best), stones[0]);
    }

    /** A disk from red (strength 0) to green (1), the best one blue, with up to three lines of text. */
    candidate({ point, lines, strength, isBest, title }) {
      const hue = Math.round(20 + 110 * strength);
      const fill = isBest ? "hsl(200 85% 72%)" : `hsl(${hue} 70% 68%)`;
      const edge = isBest ? "hsl(205 90% 26%)" : `hsl(${hue} 60% 28%)`;
      const sizes = [[15], [13, 11], [12.5, 9.5, 9.5]][lines.length - 1] ?? [];
      const tops = [[5.5], [0.5, 12], [-4, 5.5, 14]][lines.length - 1] ?? [];
      const texts = lines.slice(0, 3).map((line, index) =>
        this.text(point, tops[index], sizes[index], `fill="#10202c"${index === 0 ? ' font-weight="700"' : ""}`, line));
      return `<g data-point="${point}">${title ? `<title>${escape(title)}</title>` : ""}` +
        `<circle cx="${this.x(point)}" cy="${this.y(point)}" r="18.6" fill="${fill}" fill-opacity="0.93" ` +
        `stroke="${edge}" stroke-width="${isBest ? 2.2 : 1}"/>${texts.join("")}</g>`;
    }

    /** Numbered translucent stones, and a square around the stone or disk at the point `next`. */
    variation({ first, moves, next }) {
      const stones = numberedStones(this.view.stones ?? "", first, moves).map(({ number, color, point }) =>
        this.use(color, point, 'class="go-ghost"') +
        `<text class="go-number-on-${STONE[color]}${number > 99 ? " go-small" : ""}" x="${this.x(point)}" ` +
        `y="${this.y(point) + 7}">${number}</text>`);
      return stones.join("") + (isPoint(next) ? this.rect(next, 41, 'class="go-next" rx="4"') : "");
    }

    mark({ point, kind, text }) {
      const [x, y] = [this.x(point), this.y(point)];
      const stone = STONE[this.stoneAt(point)];
      const ink = stone === "black" ? "#fff" : "#16110a";
      const line = `fill="none" stroke="${ink}" stroke-width="2.6" stroke-linejoin="round"`;
      const shape = {
        TR: () => `<path ${line} d="M${x} ${y - 11}l10 17h-20Z"/>`,
        SQ: () => `<path ${line} d="M${x - 8} ${y - 8}h16v16h-16Z"/>`,
        CR: () => `<circle ${line} cx="${x}" cy="${y}" r="9.5"/>`,
        MA: () => `<path ${line} d="M${x - 8} ${y - 8}l16 16m0 -16l-16 16"/>`,
        LB: () => (stone ? "" : `<circle class="go-wood" cx="${x}" cy="${y}" r="15"/>`) +
          this.text(point, 6.5, String(text ?? "").length > 2 ? 13 : 19, `font-weight="700" fill="${ink}"`, text ?? ""),
      }[kind];
      return shape ? shape() : "";
    }

    focus({ stones, liberties }) {
      const ring = (point, radius, color) => `<circle cx="${this.x(point)}" cy="${this.y(point)}" r="${radius}" ` +
        `fill="none" stroke="${color}" stroke-width="3"/>`;
      return stones.map((point) => ring(point, 18, "#1257b8")).join("") +
        liberties.map((point) => this.rect(point, 16, 'rx="8" fill="#1257b8" stroke="#fff" stroke-width="2"')).join("");
    }

    ghost({ point, color, isFirm }) {
      return this.use(color, point, `opacity="${isFirm ? 0.8 : 0.5}"`) + (isFirm
        ? `<circle cx="${this.x(point)}" cy="${this.y(point)}" r="24" fill="none" stroke="#1257b8" stroke-width="3"/>`
        : "");
    }

    cursor(point) {
      return this.rect(point, 44, 'rx="8" fill="none" stroke="#fff" stroke-width="6"') +
        this.rect(point, 44, 'rx="8" fill="none" stroke="#1257b8" stroke-width="3"');
    }
  }
  return Object.assign(GoBoard, { CELL, escape, other, renColors, short, vertexName });
})();
