// The dialogs: a new game, opening, saving, settings, keys, and questions. One `<dialog>` shows one of them at a time.

import { T, language, remember, remembered, resultText } from "./texts.js";
import { escape } from "./format.js";
import { copyPng, copyText, download, fileRecord, pngBlob, sgfText, svgText } from "./export.js";

/** The largest record, in bytes. */
const MAX_RECORD = 4 << 20;

const NEW_GAME = "kifuwarabe-new-game";

const dialog = document.querySelector("#dialog");

/** Shows a dialog with a title and content; `listen` gets it to add listeners. */
function show(title, content, listen = () => {}) {
  dialog.innerHTML = `<form method="dialog"><h2 id="dialog-title">${escape(title)}</h2>${content}</form>`;
  dialog.onclose = null;
  listen(dialog);
  if (!dialog.open) dialog.showModal();
}

/** The place for the reason why a dialog's action was refused. */
const PROBLEM = '<p class="problem" role="alert" hidden></p>';

function complain(reason) {
  const problem = dialog.querySelector(".problem");
  problem.textContent = reason;
  problem.hidden = false;
}

/**
 * Makes a request, and closes the dialog when it is accepted; a refusal is shown in the dialog, whose fields stay.
 * `request` resolves to null or to the reason for the refusal. Resolves to whether it is accepted.
 */
async function closeIfAccepted(request) {
  const form = dialog.querySelector("form");
  if (form.ariaBusy === "true") return false;
  form.ariaBusy = "true";
  const reason = await request();
  form.ariaBusy = "false";
  // another dialog may have taken the place of this one
  if (form.isConnected && dialog.open) {
    if (reason === null) dialog.close();
    else complain(reason);
  }
  return reason === null;
}

const field = (text, input) => `<label class="field"><span>${escape(text)}</span> ${input}</label>`;
const options = (pairs, chosen) =>
  pairs
    .map(
      ([value, text]) =>
        `<option value="${escape(value)}"${String(value) === String(chosen) ? " selected" : ""}>` +
        `${escape(text)}</option>`,
    )
    .join("");
const number = (name, value, min, max, step = 1) =>
  `<input name="${name}" type="number" value="${value}" min="${min}" max="${max}" step="${step}" required>`;
const buttons = (...items) => `<div class="row end">${items.join("")}</div>`;
const button = (value, text, attributes = "") => `<button value="${value}" ${attributes}>${escape(text)}</button>`;

/** Asks a question; resolves to whether the answer is yes. */
export function ask(title, text) {
  return new Promise((resolve) => {
    show(
      title,
      (text ? `<p>${escape(text)}</p>` : "") +
        buttons(button("no", T.no, "autofocus"), button("yes", T.yes, 'class="danger"')),
      () => {
        dialog.returnValue = "";
        dialog.onclose = () => resolve(dialog.returnValue === "yes");
      },
    );
  });
}

const people = () => [
  ["b", T.playBlack],
  ["w", T.playWhite],
  ["both", T.playBoth],
  ["none", T.playNone],
];
const levels = () =>
  Array.from({ length: 10 }, (_, index) => [
    index + 1,
    index === 0 ? `1 (${T.weakest})` : index === 9 ? `10 (${T.strongest})` : String(index + 1),
  ]);

/** The settings of the last new game that this browser began. */
function lastNewGame(game) {
  const standard = {
    width: game?.width ?? 19,
    height: game?.height ?? 19,
    komi: game?.komi ?? 7,
    rules: game?.rules ?? "chinese",
    handicap: 0,
    person: "b",
    level: game?.level ?? 5,
    time: null,
  };
  try {
    return { ...standard, ...JSON.parse(remembered(NEW_GAME) ?? "{}") };
  } catch {
    return standard;
  }
}

/** The usual komi without handicap, by rule set where it is not the common one, and with handicap. */
const KOMI = { japanese: 6.5, korean: 6.5, "new-zealand": 7, "aga-button": 7 };
const COMMON_KOMI = 7.5;
const HANDICAP_KOMI = 0.5;

/** The most handicap stones on a board. */
function maxHandicap(width, height) {
  const least = Math.min(width, height);
  if (least < 7) return 0;
  return least >= 9 && width % 2 === 1 && height % 2 === 1 ? 9 : 4;
}

/**
 * The dialog of a new game; `begin` receives its settings, and resolves to null or to the reason why they are refused.
 */
export function newGame({ game, hello }, begin) {
  const last = lastNewGame(game);
  const isUsual = last.width === last.height && [9, 13, 19].includes(last.width);
  const size = isUsual ? last.width : "other";
  const time = last.time ?? { main: 600, period: 30, periods: 3 };
  const sizes = [
    [9, "9×9"],
    [13, "13×13"],
    [19, "19×19"],
    ["other", T.otherSize],
  ];
  const radio = ([value, text]) =>
    `<label><input type="radio" name="size" value="${value}"` +
    `${String(value) === String(size) ? " checked" : ""}> ${escape(text)}</label>`;
  const handicaps = [[0, T.handicapNone], ...Array.from({ length: 8 }, (_, index) => [index + 2, String(index + 2)])];
  // other names of a set have no text of their own
  const rules = Object.entries(T.ruleSets).filter(([name]) => hello?.rules.includes(name) ?? true);
  // rules without a name cannot be chosen
  if (!rules.some(([name]) => name === last.rules)) last.rules = "chinese";
  show(
    T.newGame,
    `<fieldset class="choice"><legend>${T.size}</legend>${sizes.map(radio).join("")}
<span class="row" data-if="other">${field(T.width, number("width", last.width, 2, 25))}
${field(T.height, number("height", last.height, 2, 25))}</span></fieldset>
<div class="fields">${field(T.you, `<select name="person">${options(people(), last.person)}</select>`)}
${field(T.level, `<select name="level">${options(levels(), last.level)}</select>`)}
${field(T.rulesName, `<select name="rules">${options(rules, last.rules)}</select>`)}
${field(T.komi, number("komi", last.komi, -150, 150, "any"))}
${field(T.handicap, `<select name="handicap">${options(handicaps, last.handicap)}</select>`)}</div>
<fieldset><legend>${T.time}</legend>
<label><input type="checkbox" name="noTime"${last.time ? "" : " checked"}> ${T.noTime}</label>
<div class="fields" data-if="time">${field(T.minutes, number("main", time.main / 60, 0, 1440, "any"))}
${field(T.seconds, number("period", time.period, 0, 3600))}
${field(T.periodCount, number("periods", time.periods, 0, 100))}</div></fieldset>
${PROBLEM}${buttons(button("cancel", T.cancel, "formnovalidate"), button("start", T.start, 'class="primary"'))}`,
    () => {
      const form = dialog.querySelector("form");
      const { elements } = form;
      const value = (name) => Number(elements[name].value);
      const sides = () => {
        const side = elements.size.value;
        return side === "other" ? [value("width"), value("height")] : [Number(side), Number(side)];
      };
      const usualKomi = () =>
        value("handicap") > 0 ? HANDICAP_KOMI : (KOMI[elements.rules.value] ?? COMMON_KOMI);
      let [isKomiEdited, komi] = [false, usualKomi()];
      elements.komi.addEventListener("input", () => (isKomiEdited = true));
      const update = () => {
        const most = maxHandicap(...sides());
        for (const option of elements.handicap.options) option.disabled = Number(option.value) > most;
        if (value("handicap") > most) elements.handicap.value = "0";
        if (!isKomiEdited && usualKomi() !== komi) elements.komi.value = usualKomi();
        komi = usualKomi();
        for (const [name, isOn] of [
          ["other", elements.size.value === "other"],
          ["time", !elements.noTime.checked],
        ]) {
          const part = form.querySelector(`[data-if="${name}"]`);
          part.hidden = !isOn;
          for (const input of part.querySelectorAll("input")) input.disabled = !isOn;
        }
      };
      form.addEventListener("change", update);
      update();
      form.addEventListener("submit", async (event) => {
        if (event.submitter?.value !== "start") return;
        event.preventDefault();
        const [width, height] = sides();
        const settings = {
          width,
          height,
          komi: value("komi"),
          rules: elements.rules.value,
          handicap: value("handicap"),
          person: elements.person.value,
          level: value("level"),
          time: elements.noTime.checked
            ? null
            : { main: Math.round(value("main") * 60), period: value("period"), periods: value("periods") },
        };
        if (await closeIfAccepted(() => begin(settings))) remember(NEW_GAME, JSON.stringify(settings));
      });
    },
  );
}

/** Opens a file: `load` receives its text and whether that stands for bytes, `fail` a message. */
export async function openFile(file, load, fail) {
  if (file.size > MAX_RECORD) return fail(T.tooLarge);
  try {
    const { text, isBytes } = await fileRecord(file);
    return load(text, isBytes);
  } catch {
    return fail(T.fileUnreadable);
  }
}

/**
 * The dialog to open a file, a pasted record or a saved game. Of `actions`, `send` receives actions, `load` records and
 * `open` the ids of saved games; these two resolve to null or to the reason why they are refused.
 */
export function openGame(model, actions) {
  const { send } = actions;
  const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const titleOf = ({ black, white }) => `${black.trim() || T.b} – ${white.trim() || T.w}`;
  const row = (game) => {
    const { id, moves, when, result } = game;
    const title = titleOf(game);
    const isOpen = id === model.game?.id;
    const facts = [T.moves(moves), resultText(result), date.format(when * 1000), isOpen ? T.current : ""].filter(
      Boolean,
    );
    return (
      `<li><button type="button" data-open="${escape(id)}"><b>${escape(title)}</b> ` +
      `<span class="faint">${escape(facts.join(" · "))}</span></button>` +
      (isOpen
        ? ""
        : `<button type="button" data-forget="${escape(id)}" aria-label="${escape(T.forgetOf(title))}">` +
          `${escape(T.forget)}</button>`) +
      "</li>"
    );
  };
  const games = [...model.games].sort((a, b) => b.when - a.when);
  show(
    T.openTitle,
    field(T.chooseFile, '<input type="file" name="file" accept=".sgf,application/x-go-sgf,text/plain">') +
      `<label class="block"><span>${escape(T.paste)}</span>` +
      '<textarea name="sgf" rows="4" spellcheck="false"></textarea></label>' +
      PROBLEM +
      buttons(button("cancel", T.close), button("load", T.load, 'type="button" class="primary"')) +
      `<h3>${escape(T.savedGames)}</h3>` +
      (games.length > 0
        ? `<ul class="games">${games.map(row).join("")}</ul>`
        : `<p class="faint">${escape(T.noGames)}</p>`),
    () => {
      const { elements } = dialog.querySelector("form");
      const load = (sgf, isBytes) => closeIfAccepted(() => actions.load(sgf, isBytes));
      elements.file.addEventListener("change", () => {
        if (elements.file.files[0]) openFile(elements.file.files[0], load, complain);
      });
      dialog.querySelector('[value="load"]').addEventListener("click", () => {
        if (elements.sgf.value.trim()) load(elements.sgf.value);
        else elements.sgf.focus();
      });
      for (const open of dialog.querySelectorAll("[data-open]")) {
        open.addEventListener("click", () => closeIfAccepted(() => actions.open(open.dataset.open)));
      }
      for (const forget of dialog.querySelectorAll("[data-forget]")) {
        forget.addEventListener("click", async () => {
          const game = forget.dataset.forget;
          const known = model.games.find(({ id }) => id === game);
          if (known && (await ask(T.forgetTitle(titleOf(known))))) {
            send({ type: "deleteGame", game });
            model.games = model.games.filter(({ id }) => id !== game);
          }
          openGame(model, actions);
        });
      }
    },
  );
}

/** The dialog to save the game and the picture of the board. `tell` receives what happened. */
export function saveGame(svg, tell) {
  const action = (name, text) => `<button type="button" data-copy="${name}">${escape(text)}</button>`;
  const canCopyPng = typeof ClipboardItem === "function" && navigator.clipboard?.write;
  show(
    T.saveTitle,
    `<h3>${escape(T.recordPart)}</h3><div class="row">
<a class="button primary" href="game.sgf" download>${escape(T.downloadSgf)}</a>
${action("sgf", T.copySgf)}${action("link", T.copyLink)}</div>
<h3>${escape(T.picturePart)}</h3><div class="row">${action("svgFile", T.downloadSvg)}${action("svg", T.copySvg)}
${action("pngFile", T.downloadPng)}${canCopyPng ? action("png", T.copyPng) : ""}</div>
<p id="copied" role="status"></p>${buttons(button("cancel", T.close))}`,
    () => {
      const actions = {
        sgf: async () => copyText(await sgfText(), dialog),
        link: () => copyText(location.href, dialog),
        svg: () => copyText(svgText(svg), dialog),
        png: () => copyPng(svg),
        svgFile: () => download("board.svg", svgText(svg), "image/svg+xml"),
        pngFile: async () => download("board.png", await pngBlob(svg)),
      };
      for (const copy of dialog.querySelectorAll("[data-copy]")) {
        copy.addEventListener("click", async () => {
          const status = dialog.querySelector("#copied");
          try {
            await actions[copy.dataset.copy]();
            status.textContent = copy.dataset.copy.endsWith("File") ? "" : T.copied;
          } catch {
            status.textContent = T.copyFailed;
            tell(T.copyFailed);
          }
        });
      }
    },
  );
}

/** The dialog of the current game's settings. `send` receives actions. */
export function settings(model, send) {
  const { game, hello } = model;
  show(
    T.settingsTitle,
    `<div class="fields">
${field(T.b, `<input name="black" maxlength="200" value="${escape(game.black)}">`)}
${field(T.w, `<input name="white" maxlength="200" value="${escape(game.white)}">`)}
${field(T.you, `<select name="person">${options(people(), game.person)}</select>`)}
${field(T.level, `<select name="level">${options(levels(), game.level)}</select>`)}</div>
<p class="faint">${escape(hello ? `${hello.engine} ${T.engineInfo(hello.version, hello.net)}` : "")}</p>
${buttons(button("cancel", T.cancel), button("ok", T.ok, 'class="primary"'))}`,
    () => {
      const { elements } = dialog.querySelector("form");
      dialog.returnValue = "";
      dialog.onclose = () => {
        if (dialog.returnValue !== "ok") return;
        const [black, white] = [elements.black.value.trim(), elements.white.value.trim()];
        if (black !== game.black || white !== game.white) send({ type: "rename", black, white });
        const [person, level] = [elements.person.value, Number(elements.level.value)];
        const changed = { ...(person === game.person ? {} : { person }), ...(level === game.level ? {} : { level }) };
        if (Object.keys(changed).length > 0) send({ type: "settings", ...changed });
      };
    },
  );
}

/** The dialog that lists the keys. */
export function keys() {
  const rows = T.keyList.map(([key, meaning]) => `<dt><kbd>${escape(key)}</kbd></dt><dd>${escape(meaning)}</dd>`);
  show(T.keysTitle, `<dl class="keys">${rows.join("")}</dl>${buttons(button("cancel", T.close, "autofocus"))}`);
}
