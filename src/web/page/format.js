// Numbers and points as text, in the chosen language.

import { T } from "./texts.js";

/** A probability as a percentage. */
export const percent = (part, digits = 1) => `${(part * 100).toFixed(digits)}%`;

/** Black's lead in points, by the colour that leads. */
export function leadText(lead) {
  if (lead === null || lead === undefined) return "";
  const points = Math.abs(lead).toFixed(1);
  return points === "0.0" ? T.even : T.lead(lead > 0 ? "b" : "w", points);
}

/** A count in at most four characters. */
export const short = globalThis.GoBoard.short;

/** The name of a point on a board of the game's size. */
export const vertexOf = (game, point) =>
  point < 0 ? T.pass : globalThis.GoBoard.vertexName(point, game.width, game.height);

/** A move in words. */
export const moveText = (game, color, point) =>
  point < 0 ? T.passed(T[color]) : T.played(T[color], vertexOf(game, point));

/** Seconds as minutes and seconds. */
export function timeText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds - 1e-6));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** Escaped for HTML. */
export const escape = globalThis.GoBoard.escape;
