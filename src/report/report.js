"use strict";
(() => {
  const find = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const game = JSON.parse(find("#data").textContent);
  const { width, height, steps } = game;
  const last = steps.length - 1;
  const names = { b: "Black", w: "White" };
  const symbols = { b: "x", w: "o" };
  const other = GoBoard.other;

  /** Smallest losses that are shown: per cent of win rate, and points. */
  const MIN_SHOWN_LOSS = { loss: 1, points: 0.5 };
  /** Distances that make a swipe, and a step of the wheel, in pixels. */
  const SWIPE = 40;
  const NOTCH = 50;

  // the stones of every position, from the changes of each step
  const boards = [];
  for (const [number, step] of steps.entries()) {
    const stones = number === 0 ? [...game.start] : [...boards[number - 1]];
    for (const [point, symbol] of step.changes) stones[point] = symbol;
    boards.push(stones);
  }

  const lead = (points) =>
    (Math.abs(points) < 0.05 ? "even" : (points > 0 ? "B+" : "W+") + Math.abs(points).toFixed(1));

  /** A lead in few characters, for a disk. */
  const shortLead = (points) =>
    (Math.abs(points) < 9.95 ? lead(points) : (points > 0 ? "B+" : "W+") + Math.abs(points).toFixed(0));

  const board = new GoBoard(find("#board svg"), width, height);
  const vertex = (point) => board.vertex(point);
  const cursor = find(".graph .cursor");
  const graph = find(".graph");
  const slider = find("#number");
  const shows = { candidates: find("#candidates"), expected: find("#expected"), ownership: find("#ownership") };

  // the position shown, the variation that is played out from it, if any, and the number of its moves played
  let current = 0;
  let line = null;
  let preview = null;

  // the elements are the fields of CandidateData in data.rs, in its order
  const candidates = () =>
    steps[current].candidates.map(([winRate, points, visits, variation, captures], index) =>
      ({ index, winRate, lead: points, visits, moves: variation, captures, point: variation[0] }));

  /** A variation after its first `depth` moves: the stones, and the number on each stone of the variation. */
  function played({ moves, captures }, depth) {
    const stones = [...boards[current]];
    const numbers = new Map();
    let color = steps[current].to_move;
    for (const [index, point] of moves.slice(0, depth).entries()) {
      if (point >= 0) {
        stones[point] = symbols[color];
        numbers.set(point, index + 1);
      }
      for (const [at, points] of captures) {
        if (at !== index) continue;
        for (const captured of points) {
          stones[captured] = ".";
          numbers.delete(captured);
        }
      }
      color = other(color);
    }
    return { stones, numbers };
  }

  function drawLine() {
    const { stones, numbers } = played(candidates()[line.index], line.depth);
    board.draw({
      stones, last: null, variation: null, candidates: null, ownership: null,
      marks: [...numbers].map(([point, text]) => ({ point, kind: "LB", text })),
    });
  }

  /** Disks with numbers on the candidates, or the expected moves as numbered stones; a square around the move played. */
  function drawPosition() {
    const { played: move, to_move: first, variation, ownership } = steps[current];
    const stones = boards[current];
    const [moves, next] = [candidates(), steps[current + 1]?.played[1]];
    const seen = preview === null ? null : moves[preview];
    const showsNumbers = seen || shows.expected.checked;
    const best = moves[0];
    const disks = moves.filter(({ point }) => point >= 0).map((candidate) => ({
      point: candidate.point,
      title: `${vertex(candidate.point)}: ${candidate.winRate.toFixed(1)}%, ${lead(candidate.lead)}, ` +
        `${candidate.visits} visits`,
      lines: [`${candidate.winRate.toFixed(0)}%`, shortLead(candidate.lead), GoBoard.short(candidate.visits)],
      strength: Math.max(0, Math.min(1, 1 - (best.winRate - candidate.winRate) / 15)),
      isBest: candidate.index === 0,
    }));
    // no mark for a suicide, which leaves no stone
    const isThere = move && stones[move[1]] === symbols[move[0]];
    board.draw({
      stones,
      last: isThere ? move[1] : null,
      candidates: shows.candidates.checked && !showsNumbers ? disks : null,
      variation: showsNumbers || shows.candidates.checked
        ? { first, moves: showsNumbers ? (seen?.moves ?? variation) : [], next } : null,
      ownership: shows.ownership.checked
        ? [...ownership].map((letter) => (letter.charCodeAt(0) - 97) / 12 - 1)
        : null,
      marks: null,
    });
  }

  /** What a move lost and its class, as HTML. */
  function verdict(step, before) {
    const losses = [];
    if (step.loss >= MIN_SHOWN_LOSS.loss) losses.push(`${step.loss.toFixed(0)}%`);
    if (step.points >= MIN_SHOWN_LOSS.points) losses.push(`${step.points.toFixed(1)} points`);
    if (losses.length === 0) return "";
    const name = step.class ? ` <span class="badge ${step.class}">${step.class}</span>` : "";
    const better = step.class ? `, ${vertex(before.variation[0])} was better` : "";
    return `${name} lost ${losses.join(" and ")}${better}`;
  }

  function describe() {
    const step = steps[current];
    const lines = [];
    if (step.played) {
      const [color, point] = step.played;
      lines.push(`<b>Move ${current}: ${names[color]} ${vertex(point)}</b>${verdict(step, steps[current - 1])}`);
    } else {
      lines.push("<b>Before the first move</b>");
    }
    const [black, white] = step.prisoners;
    lines.push(`Black's win rate ${step.win_rate.toFixed(0)}%, ${lead(step.lead)} · ` +
      `prisoners: Black ${black}, White ${white}`);
    const next = steps[current + 1]?.played;
    const then = next ? `; played: ${vertex(next[1])}` : "";
    lines.push(`${names[step.to_move]} expected: ${step.variation.map(vertex).join(" ")}${then}`);
    if (current === last && game.unfinished_count) lines.push(`Score: ${game.unfinished_count}`);
    find("#position").innerHTML = lines.map((text) => `<p>${text}</p>`).join("");
    for (const comment of all(".comment")) comment.hidden = Number(comment.dataset.number) !== current;
    const comments = find("#comments");
    if (comments) comments.hidden = all(".comment").every((comment) => comment.hidden);
  }

  /** The candidates as a table, whose rows open their variations. */
  function listCandidates() {
    const rows = candidates().map((candidate) =>
      `<tr><td><button data-line="${candidate.index}" title="play out (${candidate.index + 1})">` +
      `${vertex(candidate.point)}</button></td>` +
      `<td class="n">${candidate.winRate.toFixed(1)}%</td><td class="n">${lead(candidate.lead)}</td>` +
      `<td class="n">${candidate.visits}</td><td>${candidate.moves.slice(1).map(vertex).join(" ")}</td></tr>`);
    const box = '<div class="wide" tabindex="0" role="region" aria-label="Candidates">';
    find("#moves").innerHTML = rows.length === 0 ? "" : box + "<table><thead><tr>" +
      `<th>${names[steps[current].to_move]}</th><th class="n">win rate</th><th class="n">lead</th>` +
      `<th class="n">visits</th><th>then</th>` +
      `</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
  }

  /** The line above the board: the variation that is played out, else the number of the move. */
  function describeLine() {
    const bar = find("#line");
    if (line === null) {
      bar.innerHTML = `<span class="faint">Move ${current} of ${last}</span>`;
      return;
    }
    const { moves, winRate, lead: points } = candidates()[line.index];
    const words = moves.map((point, index) => {
      const word = vertex(point);
      return index + 1 === line.depth ? `<b>${word}</b>` : index < line.depth ? word : `<span class="faint">${word}</span>`;
    });
    bar.innerHTML = `<button data-back title="back to the game (Escape)">back to game</button>` +
      `<span>Variation ${line.index + 1}, ${winRate.toFixed(0)}%, ${lead(points)}: ${words.join(" ")}</span>`;
  }

  /** The address names the position, so that it can be shared and reloaded. */
  function followAddress() {
    if (location.hash === `#${current}`) return;
    // refused by some browsers if it happens too often
    try { history.replaceState(null, "", `#${current}`); } catch { /* the address stays */ }
  }

  function draw() {
    if (line === null) drawPosition();
    else drawLine();
    describeLine();
    slider.value = current;
    const { left, right } = graph.dataset;
    const at = Number(left) + ((right - left) * current) / Math.max(last, 1);
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    document.body.dataset.move = current;
    document.body.dataset.depth = line?.depth ?? 0;
  }

  function show(number) {
    current = Math.max(0, Math.min(last, number));
    line = null;
    preview = null;
    describe();
    listCandidates();
    draw();
    followAddress();
  }

  function openLine(index) {
    if (!candidates()[index]) return;
    line = { index, depth: 1 };
    preview = null;
    draw();
  }

  function closeLine() {
    line = null;
    draw();
  }

  /** Steps in the variation that is played out, else in the game. Before its first move a variation ends. */
  function step(count) {
    if (line === null) {
      show(current + count);
      return;
    }
    const depth = Math.min(line.depth + count, candidates()[line.index].moves.length);
    if (depth < 1) line = null;
    else line.depth = depth;
    draw();
  }

  // the link of a mistake opens the position before it
  function openLink() {
    if (!/^#\d+$/.test(location.hash)) return false;
    show(Number(location.hash.slice(1)));
    return true;
  }

  /** The positions before mistakes and blunders. */
  const mistakes = steps.flatMap((step, number) => (["mistake", "blunder"].includes(step.class) ? [number - 1] : []));

  function nextMistake() {
    show(mistakes.find((number) => number > current) ?? mistakes[0] ?? current);
  }

  function previousMistake() {
    show(mistakes.findLast((number) => number < current) ?? mistakes.at(-1) ?? current);
  }

  function toggle(name) {
    shows[name].checked = !shows[name].checked;
    preview = null;
    closeLine();
  }

  const moves = { first: () => show(0), last: () => show(last), mistake: nextMistake };
  const keys = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), PageUp: () => show(current - 10), PageDown: () => show(current + 10),
    Home: moves.first, End: moves.last, m: nextMistake, M: previousMistake, Escape: closeLine,
    c: () => toggle("candidates"), e: () => toggle("expected"), o: () => toggle("ownership"),
  };
  for (let index = 0; index < 9; index++) keys[index + 1] = () => openLine(index);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of all("button[data-to]")) {
    const to = button.dataset.to;
    const single = Math.abs(Number(to)) === 1;
    button.addEventListener("click", moves[to] ?? (() => (single ? step(Number(to)) : show(current + Number(to)))));
  }
  // there is no hashchange event if the address already has this hash
  for (const link of all("td a, .comment a")) {
    link.addEventListener("click", () => show(Number(link.hash.slice(1))));
  }
  for (const name of Object.keys(shows)) shows[name].addEventListener("change", closeLine);
  slider.addEventListener("input", () => show(Number(slider.value)));
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-line]");
    if (opener) openLine(Number(opener.dataset.line));
    if (event.target.closest("[data-back]")) closeLine();
  });

  // the board: a click plays out a candidate or the next move, a pointer over a candidate shows its variation
  const svg = board.svg;
  const candidateAt = (event) => {
    const point = line === null && shows.candidates.checked ? board.pointAt(event.clientX, event.clientY) : null;
    return point === null ? -1 : candidates().findIndex((candidate) => candidate.point === point);
  };
  svg.addEventListener("click", (event) => {
    if (swiped) return;
    const index = candidateAt(event);
    if (index >= 0) {
      openLine(index);
    } else if (line !== null || board.pointAt(event.clientX, event.clientY) === steps[current + 1]?.played[1]) {
      step(1);
    }
  });
  const peek = (index) => {
    const next = index >= 0 ? index : null;
    if (next === preview) return;
    preview = next;
    draw();
  };
  svg.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") peek(candidateAt(event)); });
  svg.addEventListener("pointerleave", () => peek(-1));

  // the wheel in notches, so that a touchpad does not rush
  let rolled = 0;
  svg.addEventListener("wheel", (event) => {
    if (event.ctrlKey) return;
    event.preventDefault();
    rolled += event.deltaMode === 0 ? event.deltaY : event.deltaY * NOTCH;
    const count = Math.trunc(rolled / NOTCH);
    rolled -= count * NOTCH;
    if (count !== 0) step(Math.sign(count));
  }, { passive: false });

  // a swipe to the left is one move on
  let touch = null;
  let swiped = false;
  svg.addEventListener("touchstart", (event) => {
    swiped = false;
    touch = event.touches.length === 1 ? event.touches[0] : null;
  }, { passive: true });
  svg.addEventListener("touchend", (event) => {
    if (touch === null) return;
    const [across, down] = [event.changedTouches[0].clientX - touch.clientX, event.changedTouches[0].clientY - touch.clientY];
    touch = null;
    if (Math.abs(across) < SWIPE || Math.abs(across) < 1.5 * Math.abs(down)) return;
    swiped = true;
    step(across < 0 ? 1 : -1);
  });

  const jump = (event) => {
    const { left, width: across } = graph.getBoundingClientRect();
    const at = ((event.clientX - left) / across) * graph.viewBox.baseVal.width;
    show(Math.round(((at - graph.dataset.left) / (graph.dataset.right - graph.dataset.left)) * last));
  };
  graph.addEventListener("pointerdown", (event) => { graph.setPointerCapture(event.pointerId); jump(event); });
  graph.addEventListener("pointermove", (event) => { if (event.buttons) jump(event); });
  window.addEventListener("hashchange", openLink);
  for (const hidden of all(".steps[hidden], #moves[hidden]")) hidden.hidden = false;
  if (!openLink()) show(game.first);
})();
