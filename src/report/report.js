"use strict";
(() => {
  const find = (selector) => document.querySelector(selector);
  const game = JSON.parse(find("#told").textContent);
  const { width, height, cell, steps } = game;
  const last = steps.length - 1;
  const names = { b: "Black", w: "White" };
  const stone = { b: "black", w: "white", x: "black", o: "white" };

  // the stones of every position: no rule is needed, only what is different from one to the next
  const boards = [];
  for (const [number, step] of steps.entries()) {
    const stones = number === 0 ? [...game.start] : [...boards[number - 1]];
    for (const [point, symbol] of step.changes) stones[point] = symbol;
    boards.push(stones);
  }

  const x = (point) => (point % width) * cell;
  const y = (point) => Math.floor(point / width) * cell;
  const vertex = (point) =>
    point < 0 ? "pass" : "ABCDEFGHJKLMNOPQRSTUVWXYZ"[point % width] + (height - Math.floor(point / width));
  const lead = (points) => (points === 0 ? "even" : (points > 0 ? "B+" : "W+") + Math.abs(points).toFixed(1));
  const other = (color) => (color === "b" ? "w" : "b");

  const board = find("#board svg");
  const layer = (name, content) => { board.querySelector(".go-" + name).innerHTML = content; };
  const cursor = find(".graph .cursor");
  const graph = find(".graph");
  const slider = find("#number");
  const showsExpected = find("#expected");
  const showsOwners = find("#owners");
  let now = -1;

  const place = (shape, color, point) => `<use ${shape} href="#go-${color}" x="${x(point)}" y="${y(point)}"/>`;

  function stones(number) {
    layer("stones", boards[number].map((symbol, point) => symbol === "." ? "" : place("", stone[symbol], point)).join(""));
    const [color, point] = steps[number].played ?? [];
    const isThere = point >= 0 && stone[boards[number][point]] === stone[color];
    layer("last", isThere ? `<circle class="go-last-on-${stone[color]}" cx="${x(point)}" cy="${y(point)}" r="9.5"/>` : "");
  }

  // as print_board numbers a variation, and a square around what was played
  function expected(number) {
    let color = steps[number].mover;
    let content = "";
    const seen = new Set();
    for (const [index, point] of (showsExpected.checked ? steps[number].expected : []).entries()) {
      if (point >= 0 && boards[number][point] === "." && !seen.has(point)) {
        seen.add(point);
        content += place('class="go-ghost"', stone[color], point) +
          `<text class="go-number-on-${stone[color]}" x="${x(point)}" y="${y(point) + 7}">${index + 1}</text>`;
      }
      color = other(color);
    }
    const next = steps[number + 1]?.played[1] ?? -1;
    if (showsExpected.checked && next >= 0) {
      content += `<rect class="go-next" x="${x(next) - 15}" y="${y(next) - 15}" width="30" height="30"/>`;
    }
    layer("variation", content);
  }

  function owners(number) {
    let under = "";
    let over = "";
    for (const [point, letter] of [...(showsOwners.checked ? steps[number].owners : "")].entries()) {
      const owner = (letter.charCodeAt(0) - 97) / 12 - 1;
      if (Math.abs(owner) < 0.05) continue;
      const color = owner > 0 ? "black" : "white";
      const opacity = Math.abs(owner) * (owner > 0 ? 0.6 : 0.75);
      under += `<rect class="go-own-${color}" x="${x(point) - cell / 2}" y="${y(point) - cell / 2}" ` +
        `width="${cell}" height="${cell}" opacity="${opacity.toFixed(2)}"/>`;
      const standing = stone[boards[number][point]];
      if (standing && standing !== color && Math.abs(owner) > 0.3) {
        const side = 8 + 10 * Math.abs(owner);
        over += `<rect class="go-taken-${color}" x="${x(point) - side / 2}" y="${y(point) - side / 2}" ` +
          `width="${side}" height="${side}"/>`;
      }
    }
    layer("ownership", under);
    layer("disputed", over);
  }

  function tell(number) {
    const step = steps[number];
    const lines = [];
    if (step.played) {
      const before = steps[number - 1];
      const loss = step.loss >= 5 ? ` <span class="bad">lost ${step.loss.toFixed(0)}%</span>` : "";
      const better = step.loss >= 5 ? `, ${vertex(before.expected[0])} was better` : "";
      lines.push(`<b>Move ${number}: ${names[step.played[0]]} ${vertex(step.played[1])}</b>${loss}${better}`);
    } else {
      lines.push("<b>Before the first move</b>");
    }
    lines.push(`Black's chances ${step.win.toFixed(0)}%, ${lead(step.lead)}`);
    const next = steps[number + 1]?.played;
    const played = next ? `; played: ${vertex(next[1])}` : "";
    lines.push(`${names[step.mover]} expected: ${step.expected.map(vertex).join(" ")}${played}`);
    find("#now").innerHTML = lines.map((line) => `<p>${line}</p>`).join("");
  }

  function show(number) {
    now = Math.max(0, Math.min(last, number));
    stones(now);
    expected(now);
    owners(now);
    tell(now);
    slider.value = now;
    const { left, right } = graph.dataset;
    const at = Number(left) + ((right - left) * now) / Math.max(last, 1);
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    document.body.dataset.move = now;
  }

  // a link to a move opens what stood before it, with what would have been better
  function follow() {
    const number = /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : null;
    if (number === null) return false;
    showsExpected.checked = true;
    show(number);
    return true;
  }

  function nextMistake() {
    const numbers = [...document.querySelectorAll("td a")].map((link) => Number(link.hash.slice(1))).sort((a, b) => a - b);
    const next = numbers.find((number) => number > now) ?? numbers[0];
    if (next === undefined) return;
    showsExpected.checked = true;
    show(next);
  }

  function toggle(box) {
    box.checked = !box.checked;
    show(now);
  }

  const moves = { first: () => show(0), last: () => show(last), mistake: nextMistake };
  const keys = {
    ArrowLeft: () => show(now - 1), ArrowRight: () => show(now + 1),
    PageUp: () => show(now - 10), PageDown: () => show(now + 10),
    Home: moves.first, End: moves.last, m: nextMistake, e: () => toggle(showsExpected), o: () => toggle(showsOwners),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of document.querySelectorAll("button[data-to]")) {
    const to = button.dataset.to;
    button.addEventListener("click", moves[to] ?? (() => show(now + Number(to))));
  }
  // also when the address has named this move before
  for (const link of document.querySelectorAll("td a")) {
    link.addEventListener("click", () => { showsExpected.checked = true; show(Number(link.hash.slice(1))); });
  }
  for (const box of [showsExpected, showsOwners]) box.addEventListener("change", () => show(now));
  slider.addEventListener("input", () => show(Number(slider.value)));
  const jump = (event) => {
    const { left, width: across } = graph.getBoundingClientRect();
    const at = ((event.clientX - left) / across) * graph.viewBox.baseVal.width;
    show(Math.round(((at - graph.dataset.left) / (graph.dataset.right - graph.dataset.left)) * last));
  };
  graph.addEventListener("pointerdown", (event) => { graph.setPointerCapture(event.pointerId); jump(event); });
  graph.addEventListener("pointermove", (event) => { if (event.buttons) jump(event); });
  window.addEventListener("hashchange", follow);
  for (const hidden of document.querySelectorAll(".steps[hidden]")) hidden.hidden = false;
  if (!follow()) show(last);
})();
