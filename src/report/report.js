"use strict";
(() => {
  const find = (selector) => document.querySelector(selector);
  const game = JSON.parse(find("#data").textContent);
  const { width, height, steps } = game;
  const last = steps.length - 1;
  const names = { b: "Black", w: "White" };
  const symbols = { b: "x", w: "o" };

  // the stones of every position, from the changes of each step
  const boards = [];
  for (const [number, step] of steps.entries()) {
    const stones = number === 0 ? [...game.start] : [...boards[number - 1]];
    for (const [point, symbol] of step.changes) stones[point] = symbol;
    boards.push(stones);
  }

  const lead = (points) => (points === 0 ? "even" : (points > 0 ? "B+" : "W+") + Math.abs(points).toFixed(1));

  const board = new GoBoard(find("#board svg"), width, height);
  const vertex = (point) => board.vertex(point);
  const cursor = find(".graph .cursor");
  const graph = find(".graph");
  const slider = find("#number");
  const showExpected = find("#expected");
  const showOwnership = find("#ownership");
  let current = -1;

  // the expected moves as numbered stones, and a square around the move played
  function draw(number) {
    const { played, to_move: first, variation, ownership } = steps[number];
    const stones = boards[number];
    // no mark for a suicide, which leaves no stone
    const isThere = played && stones[played[1]] === symbols[played[0]];
    board.draw({
      stones,
      last: isThere ? played[1] : null,
      variation: showExpected.checked ? { first, moves: variation, next: steps[number + 1]?.played[1] } : null,
      ownership: showOwnership.checked
        ? [...ownership].map((letter) => (letter.charCodeAt(0) - 97) / 12 - 1)
        : null,
    });
  }

  function describe(number) {
    const step = steps[number];
    const lines = [];
    if (step.played) {
      const before = steps[number - 1];
      const loss = step.loss >= 5 ? ` <span class="bad">lost ${step.loss.toFixed(0)}%</span>` : "";
      const better = step.loss >= 5 ? `, ${vertex(before.variation[0])} was better` : "";
      lines.push(`<b>Move ${number}: ${names[step.played[0]]} ${vertex(step.played[1])}</b>${loss}${better}`);
    } else {
      lines.push("<b>Before the first move</b>");
    }
    lines.push(`Black's win rate ${step.win_rate.toFixed(0)}%, ${lead(step.lead)}`);
    const next = steps[number + 1]?.played;
    const played = next ? `; played: ${vertex(next[1])}` : "";
    lines.push(`${names[step.to_move]} expected: ${step.variation.map(vertex).join(" ")}${played}`);
    find("#position").innerHTML = lines.map((line) => `<p>${line}</p>`).join("");
  }

  function show(number) {
    current = Math.max(0, Math.min(last, number));
    draw(current);
    describe(current);
    slider.value = current;
    const { left, right } = graph.dataset;
    const at = Number(left) + ((right - left) * current) / Math.max(last, 1);
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    document.body.dataset.move = current;
  }

  // the link of a mistake opens the position before it, with the expected moves
  function openLink() {
    const number = /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : null;
    if (number === null) return false;
    showExpected.checked = true;
    show(number);
    return true;
  }

  function nextMistake() {
    const numbers = [...document.querySelectorAll("td a")].map((link) => Number(link.hash.slice(1))).sort((a, b) => a - b);
    const next = numbers.find((number) => number > current) ?? numbers[0];
    if (next === undefined) return;
    showExpected.checked = true;
    show(next);
  }

  function toggle(box) {
    box.checked = !box.checked;
    show(current);
  }

  const moves = { first: () => show(0), last: () => show(last), mistake: nextMistake };
  const keys = {
    ArrowLeft: () => show(current - 1), ArrowRight: () => show(current + 1),
    PageUp: () => show(current - 10), PageDown: () => show(current + 10),
    Home: moves.first, End: moves.last, m: nextMistake, e: () => toggle(showExpected), o: () => toggle(showOwnership),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of document.querySelectorAll("button[data-to]")) {
    const to = button.dataset.to;
    button.addEventListener("click", moves[to] ?? (() => show(current + Number(to))));
  }
  // there is no hashchange event if the address already has this hash
  for (const link of document.querySelectorAll("td a")) {
    link.addEventListener("click", () => { showExpected.checked = true; show(Number(link.hash.slice(1))); });
  }
  for (const box of [showExpected, showOwnership]) box.addEventListener("change", () => show(current));
  slider.addEventListener("input", () => show(Number(slider.value)));
  const jump = (event) => {
    const { left, width: across } = graph.getBoundingClientRect();
    const at = ((event.clientX - left) / across) * graph.viewBox.baseVal.width;
    show(Math.round(((at - graph.dataset.left) / (graph.dataset.right - graph.dataset.left)) * last));
  };
  graph.addEventListener("pointerdown", (event) => { graph.setPointerCapture(event.pointerId); jump(event); });
  graph.addEventListener("pointermove", (event) => { if (event.buttons) jump(event); });
  window.addEventListener("hashchange", openLink);
  for (const hidden of document.querySelectorAll(".steps[hidden]")) hidden.hidden = false;
  if (!openLink()) show(last);
})();
