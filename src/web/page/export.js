// The position as a picture and the game as SGF: downloads and the clipboard.

/** The style rules of the board, from the style sheets of the page. */
function boardStyle() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules
    .map((rule) => rule.cssText)
    .filter((text) => text.includes(".go-"))
    .join("\n");
}

/** The board as a self-contained SVG file, without what belongs to the pointer. */
export function svgText(svg) {
  const copy = svg.cloneNode(true);
  for (const name of ["hover", "cursor", "focus"]) copy.querySelector(`g.go-${name}`)?.replaceChildren();
  for (const title of copy.querySelectorAll("title")) title.remove();
  copy.removeAttribute("aria-hidden");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const text = new XMLSerializer().serializeToString(copy);
  // as text: a style element in this page would be against its policy
  return text.replace(/>/, () => `><style>${boardStyle().replace(/</g, "&lt;")}</style>`);
}

/** The board as a PNG of twice its size in drawing units. */
export async function pngBlob(svg) {
  const image = new Image();
  const { width, height } = svg.viewBox.baseVal;
  const address = URL.createObjectURL(new Blob([svgText(svg)], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width * 2, height * 2];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no PNG"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Saves a file by the browser's download. */
export function download(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  [link.href, link.download] = [address, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Copies a text; throws if the browser refuses. Pages of other hosts have no clipboard, but may copy a selection. */
export async function copyText(text, dialog) {
  if (navigator.clipboard?.writeText) {
    try {
      return await navigator.clipboard.writeText(text);
    } catch {
      // without permission: as below
    }
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  // a modal dialog makes everything outside of it inert
  (dialog?.open ? dialog : document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (!isCopied) throw new Error("not copied");
  return undefined;
}

/** Copies a picture; throws if the browser refuses. */
export async function copyPng(svg) {
  await navigator.clipboard.write([new ClipboardItem({ "image/png": pngBlob(svg) })]);
}

/** The record of the current game. */
export async function sgfText() {
  const answer = await fetch("game.sgf", { cache: "no-store" });
  if (!answer.ok) throw new Error(`game.sgf: ${answer.status}`);
  return answer.text();
}

/**
 * A file as a record: its text, or if it is not UTF-8, its bytes as characters, of which the server detects the
 * character set. Text with zero characters is UTF-16.
 */
export async function fileRecord(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return { text, isBytes: false };
  } catch {
    // another character set
  }
  return { text: Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""), isBytes: true };
}
