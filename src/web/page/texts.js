// The words of the page in English and Japanese, and the choice between them.

const EN = {
  skip: "Skip to the board", players: "Players", menu: "Menu", newGame: "New game", open: "Open",
  save: "Save", settings: "Settings",
  keys: "Keys", board: "Board", steps: "Steps", first: "First position", back10: "Ten moves back",
  back: "One move back", moveNumber: "Move number", forward: "One move on", forward10: "Ten moves on",
  last: "Last position", game: "Game", actions: "Actions", undo: "Undo", redo: "Redo", pass: "Pass", hint: "Hint",
  score: "Score", genmove: "Engine move", resign: "Resign", cancel: "Cancel", close: "Close",
  boardHelp: "Arrow keys move the cursor, Enter plays, P passes, U takes back. Escape leaves the cursor.",
  countHelp: "Click on a group to mark its stones dead or alive.", accept: "Accept the result", playOn: "Play on",
  panels: "Panels", analysis: "Analysis", record: "Record", rens: "Rens", watch: "Live analysis",
  review: "Review the game", graph: "Win rate and lead along the game", onBoard: "On the board",
  candidates: "Candidates", ownership: "Ownership", policy: "Policy", criticality: "Criticality", threads: "Threads",
  visits: "Visits", noBound: "0 threads: one per processor; 0 visits: no limit", tree: "Move tree",
  variations: "Variations here", promote: "Make main line",
  remove: "Delete from here", marks: "Marks", triangle: "Triangle", square: "Square", circle: "Circle",
  crossMark: "Cross", label: "Label", labelText: "Text of the label", comment: "Comment", renMap: "Ren map",
  safe: "Safe points (Benson)", illegal: "Forbidden points", dropHere: "Drop the SGF file here",
  b: "Black", w: "White", person: "You", engine: "Kifuwarabe",
  boardLabel: (width, height, number, toMove) =>
    `Board, ${width} by ${height}, move ${number}${toMove ? `, ${toMove} to move` : ""}`,
  played: (color, vertex) => `${color} ${vertex}`, passed: (color) => `${color} passes`, startPosition: "Start",
  captured: (count) => (count === 1 ? "1 stone captured" : `${count} stones captured`),
  toMove: (color) => `${color} to move`, yourTurn: (color) => `Your move (${color})`,
  thinkingMove: "Kifuwarabe is thinking…", thinkingHint: "Looking for a hint…", thinkingScore: "Counting…",
  thinkingReview: (done, count) => `Reviewing the game: ${done} of ${count}`,
  clockStands: "The clock stands.", layersNote: "Shown during live analysis.", over: (result) => `Game over: ${result}`,
  bothPassed: "Both passed",
  wins: (color, by) => `${color} wins${by && ` ${by}`}`, byPoints: (points) => `by ${points}`,
  byResign: "by resignation",
  byTime: "on time", byForfeit: "by forfeit", draw: "draw", noResult: "no result",
  prisoners: (count) => `${count} captured`, clockLabel: (text) => `Clock ${text}`,
  moveOf: (number, count) => `Move ${number} of ${count}`,
  playAt: (vertex) => `Play ${vertex}`, empty: "empty", stoneOf: (color) => `${color} stone`,
  lastMark: "last move", cursorOff: "Cursor off. Arrow keys step through the game.",
  forbidden: (vertex, rule, reason) => `${vertex} is forbidden (${rule}): ${reason}`,
  forbiddenNone: "No empty point is forbidden.", forbiddenTitle: "Forbidden now",
  rules: {
    masonry: ["occupied", "there is a stone on the point"],
    opponent_eye: ["suicide in an eye", "the stone would stand alone in the opponent's eye, without a liberty"],
    my_eye: ["own eye", "the point is your own eye, and this game forbids filling it"],
    suicide: ["suicide", "your stones would be left without a liberty, and nothing is taken"],
    ko: ["ko", "the ko may not be retaken at once"],
    superko: ["superko", "the board would be as it was before"],
  },
  errors: {
    busy: "The engine is busy.", over: "The game is over.", notFound: "There is nothing to do.",
    invalid: "The page and the engine do not understand each other.", size: "The board cannot have this size.",
    value: "A setting has a value that cannot be used.", file: "The file cannot be read, or not all of it.",
    limit: "A limit is reached.",
  },
  notices: {
    firstGameOnly: "The file has several games: the first one is loaded.",
    illegalMove: "A move of the record cannot be played.",
    notSaved: "Games are not saved.", savedAgain: "Games are saved again.",
  },
  engineThinks: "The engine is thinking; wait for its move.",
  hintIs: (vertex, rate, lead) => `Hint: ${vertex} (${rate}, ${lead})`, even: "even",
  lead: (color, points) => `${color === "b" ? "B" : "W"}+${points}`, rate: (color, rate) => `${color} ${rate}`,
  visitsOf: (count) => `${count} visits`, column: { move: "Move", rate: "Black wins", lead: "Lead", visits: "Visits",
    pv: "Variation" },
  noAnalysis: "Live analysis shows the best moves, their win rates and leads.",
  stdev: (points) => `standard deviation ${points}`,
  graphAt: (number, text) => `Move ${number}: ${text}`, unknown: "not evaluated",
  ren: (name) => `Ren ${name}`, renColumn: { name: "Ren", color: "Colour", stones: "Stones", liberties: "Liberties",
    since: "Since", state: "State" },
  renText: (color, stones, liberties, since) =>
    `${color}, ${stones} ${stones === 1 ? "stone" : "stones"}, ` +
    `${liberties} ${liberties === 1 ? "liberty" : "liberties"}, since move ${since}`,
  atari: "in atari", isSafe: "safe", safePoint: "safe for its owner (Benson)",
  renSummary: (rens, atari, safe) => `${rens} rens, ${atari} in atari, ${safe} safe points`,
  policyAt: (percent) => `policy ${percent}`, criticalityAt: (percent) => `criticality ${percent}`,
  ownedBy: (color, percent) => `${color}'s to ${percent}`,
  lost: (seconds) => `The connection to the engine is lost. Trying again${seconds > 0 ? ` in ${seconds} s` : ""}…`,
  connecting: "Connecting to the engine…", again: "Connected again.", notConnected: "Not connected; nothing was sent.",
  dead: "dead", unfinished: "The game does not look finished.",
  uncertain: "The life of some stones is unclear: check those with a question mark.", unclear: "unclear",
  edited: "Dead stones changed by hand.",
  resultIs: (result) => `Result: ${result}`, estimateIs: (result) => `Estimate: ${result}`,
  resignTitle: "Resign?", resignText: "The game ends, and the other side wins.",
  removeTitle: "Delete this move and all that follows?", yes: "Yes", no: "No", ok: "OK",
  size: "Size", width: "Width", height: "Height", otherSize: "other", komi: "Komi", rulesName: "Rules",
  handicap: "Handicap", handicapNone: "none", you: "You play", playBlack: "Black", playWhite: "White",
  playBoth: "both colours (two people, or study)", playNone: "neither (the engine plays itself)",
  level: "Level of the engine", weakest: "weakest", strongest: "strongest", time: "Time", noTime: "no clock",
  minutes: "Main time, minutes", seconds: "Byo-yomi, seconds", periodCount: "Periods", start: "Start",
  ruleSets: { chinese: "Chinese", japanese: "Japanese", korean: "Korean", aga: "AGA", "new-zealand": "New Zealand",
    "tromp-taylor": "Tromp-Taylor", "chinese-ogs": "Chinese (OGS)", "chinese-kgs": "Chinese (KGS)",
    "stone-scoring": "Stone scoring", "aga-button": "AGA with button", bga: "BGA", cgos: "CGOS", french: "French",
    ing: "Ing" },
  openTitle: "Open a game", chooseFile: "SGF file", paste: "or paste an SGF record", load: "Load",
  savedGames: "Saved games", noGames: "No game is saved yet.",
  moves: (count) => (count === 1 ? "1 move" : `${count} moves`),
  forget: "Delete", forgetOf: (title) => `Delete ${title}`, forgetTitle: (title) => `Delete “${title}” for good?`,
  current: "open now", tooLarge: "The file is larger than 4 MiB.",
  saveTitle: "Save and share", downloadSgf: "Download SGF", copySgf: "Copy SGF", downloadSvg: "Download SVG",
  copySvg: "Copy SVG", downloadPng: "Download PNG", copyPng: "Copy PNG", copyLink: "Copy link to this position",
  copied: "Copied.", copyFailed: "The browser refused to copy.", recordPart: "Record",
  picturePart: "Picture of the board",
  settingsTitle: "Settings of this game", engineInfo: (version, net) => `${version}${net ? `, net ${net}` : ""}`,
  keysTitle: "Keys",
  keyList: [
    ["Tab", "to the board: shows the cursor"],
    ["← ↑ → ↓", "move the cursor on the board; elsewhere step through the game and its variations"],
    ["Enter, Space", "play at the cursor"],
    ["P", "pass"],
    ["U / R", "take back / play again"],
    [", / .", "one move back / on"],
    ["Page Up / Page Down", "ten moves back / on"],
    ["Home / End", "first / last position"],
    ["H", "hint"],
    ["S", "score"],
    ["A", "live analysis on or off"],
    ["O", "ownership"],
    ["M", "ren map"],
    ["Escape", "leaves the cursor, a tool, a dialog"],
  ],
  unknownKomi: (text, komi) => `KM[${text}] is no komi known here: ${komi} is used.`,
  unknownRules: (text, rules) => `RU[${text}] names no rules known here: ${rules} rules are used.`,
  noSuchGame: "The game of this link is not saved here.",
  fileUnreadable: "The file cannot be read.", markHint: "Click on the board to place marks; Escape ends.",
  treeNode: (number, text) => `${number}. ${text}`, setup: "edited", main: "main line",
};

/** Points as the Japanese say them: 3.5 is 3目半, 0.5 is 半目. */
const pointsInJapanese = (points) =>
  points === "0.5" ? "半目" : `${points.replace(/\.5$/, "")}目${points.endsWith(".5") ? "半" : ""}`;

const JA = {
  skip: "碁盤へ移動", players: "対局者", menu: "メニュー", newGame: "新しい対局", open: "開く", save: "保存", settings: "設定",
  keys: "キー", board: "碁盤", steps: "手順", first: "最初の局面", back10: "10手戻る", back: "1手戻る",
  moveNumber: "手数", forward: "1手進む", forward10: "10手進む", last: "最後の局面", game: "対局", actions: "操作",
  undo: "待った", redo: "やり直す", pass: "パス", hint: "ヒント", score: "地の計算", genmove: "エンジンに打たせる",
  resign: "投了", cancel: "やめる", close: "閉じる",
  boardHelp: "矢印キーでカーソルを動かし、Enterで打ち、Pでパス、Uで待った。Escapeでカーソルを消します。",
  countHelp: "石をクリックすると、その一団の生き死にの扱いが切り替わります。", accept: "この結果で終局", playOn: "対局を続ける",
  panels: "パネル", analysis: "解析", record: "棋譜", rens: "連", watch: "ライブ解析", review: "全局を検討",
  graph: "勝率と目数差のグラフ", onBoard: "盤上の表示", candidates: "候補手", ownership: "地の帰属", policy: "方策",
  criticality: "クリティカリティ", threads: "スレッド", visits: "訪問回数",
  noBound: "スレッド 0: プロセッサーと同数、訪問回数 0: 無制限", tree: "手順の木",
  variations: "ここからの変化", promote: "本譜にする", remove: "ここから削除", marks: "印", triangle: "三角",
  square: "四角", circle: "丸", crossMark: "バツ", label: "文字", labelText: "印の文字", comment: "コメント",
  renMap: "連の地図", safe: "安全な点（ベンソン）", illegal: "打てない点", dropHere: "SGFファイルをここにドロップ",
  b: "黒", w: "白", person: "あなた", engine: "きふわらべ",
  boardLabel: (width, height, number, toMove) => `${width}×${height}の碁盤、${number}手目まで${toMove ? `、${toMove}番` : ""}`,
  played: (color, vertex) => `${color} ${vertex}`, passed: (color) => `${color} パス`, startPosition: "開始局面",
  captured: (count) => `${count}子取り`,
  toMove: (color) => `${color}番`, yourTurn: (color) => `あなたの番（${color}）`,
  thinkingMove: "きふわらべが考えています…", thinkingHint: "ヒントを探しています…", thinkingScore: "地を計算しています…",
  thinkingReview: (done, count) => `検討しています：${done}／${count}`,
  clockStands: "時計は止まっています。", layersNote: "ライブ解析中に表示されます。", over: (result) => `終局：${result}`,
  bothPassed: "両者がパスしました",
  wins: (color, by) => `${color}の${by || "勝ち"}`, byPoints: (points) => `${pointsInJapanese(points)}勝ち`,
  byResign: "中押し勝ち",
  byTime: "時間切れ勝ち", byForfeit: "反則勝ち", draw: "持碁", noResult: "無勝負",
  prisoners: (count) => `アゲハマ ${count}`, clockLabel: (text) => `残り時間 ${text}`,
  moveOf: (number, count) => `${number}手目／全${count}手`,
  playAt: (vertex) => `${vertex}に打つ`, empty: "空点", stoneOf: (color) => `${color}石`,
  lastMark: "最後の手", cursorOff: "カーソルを消しました。矢印キーで手順を進めます。",
  forbidden: (vertex, rule, reason) => `${vertex}は打てません（${rule}）：${reason}`,
  forbiddenNone: "打てない空点はありません。", forbiddenTitle: "いま打てない点",
  rules: {
    masonry: ["石がある", "その点には石があります"],
    opponent_eye: ["相手の眼", "相手の眼の中で、呼吸点のない石になります"],
    my_eye: ["自分の眼", "自分の眼を埋める手は、この対局では禁じられています"],
    suicide: ["自殺手", "石の呼吸点がなくなり、取れる石もありません"],
    ko: ["コウ", "すぐには取り返せません。先にほかへ打ってください"],
    superko: ["スーパーコウ", "盤面が前と同じになります"],
  },
  errors: {
    busy: "エンジンは作業中です。", over: "対局は終わっています。", notFound: "実行できる操作がありません。",
    invalid: "ページとエンジンの間で通信の形式が合いません。", value: "設定の値が使えません。", size: "その大きさの碁盤は使えません。",
    file: "棋譜に読めないところがあります。", limit: "上限に達しました。",
  },
  notices: {
    firstGameOnly: "ファイルの最初の対局だけを開きました。", illegalMove: "棋譜に打てない手があります。",
    notSaved: "対局を保存できません。", savedAgain: "対局を再び保存できるようになりました。",
  },
  engineThinks: "エンジンが考えています。お待ちください。",
  hintIs: (vertex, rate, lead) => `ヒント：${vertex}（${rate}、${lead}）`, even: "互角",
  lead: (color, points) => `${color === "b" ? "黒" : "白"}+${points}`, rate: (color, rate) => `${color} ${rate}`,
  visitsOf: (count) => `訪問回数 ${count}`, column: { move: "手", rate: "黒勝率", lead: "目数差", visits: "訪問回数",
    pv: "読み筋" },
  noAnalysis: "ライブ解析は、候補手とその勝率・目数差を示します。", stdev: (points) => `標準偏差 ${points}`,
  graphAt: (number, text) => `${number}手目：${text}`, unknown: "未評価",
  ren: (name) => `連 ${name}`, renColumn: { name: "連", color: "色", stones: "石数", liberties: "呼吸点",
    since: "できた手", state: "状態" },
  renText: (color, stones, liberties, since) => `${color}、${stones}子、呼吸点${liberties}、${since}手目から`,
  atari: "アタリ", isSafe: "安全", safePoint: "持ち主にとって安全（ベンソン）",
  renSummary: (rens, atari, safe) => `連 ${rens}、アタリ ${atari}、安全な点 ${safe}`,
  policyAt: (percent) => `方策 ${percent}`, criticalityAt: (percent) => `クリティカリティ ${percent}`,
  ownedBy: (color, percent) => `${color} ${percent}`,
  lost: (seconds) => `エンジンとの接続が切れました。${seconds > 0 ? `${seconds}秒後に` : ""}再接続します…`,
  connecting: "エンジンに接続しています…", again: "再接続しました。", notConnected: "接続していないため、送れませんでした。",
  dead: "死に石", unfinished: "まだ終局していないようです。",
  uncertain: "生死のはっきりしない石があります。「?」の付いた石を確かめてください。", unclear: "生死不明",
  edited: "死に石を手で直しました。",
  resultIs: (result) => `結果：${result}`, estimateIs: (result) => `形勢の見積もり：${result}`,
  resignTitle: "投了しますか？", resignText: "対局は終わり、相手の勝ちになります。",
  removeTitle: "この手と、続く手をすべて削除しますか？", yes: "はい", no: "いいえ", ok: "OK",
  size: "路数", width: "横", height: "縦", otherSize: "その他", komi: "コミ", rulesName: "ルール",
  handicap: "置き石", handicapNone: "なし", you: "あなたの手番", playBlack: "黒", playWhite: "白",
  playBoth: "両方（二人で、または研究）", playNone: "なし（エンジン同士）",
  level: "エンジンの強さ", weakest: "最も弱い", strongest: "最も強い", time: "持ち時間", noTime: "時計なし",
  minutes: "持ち時間（分）", seconds: "秒読み（秒）", periodCount: "秒読みの回数", start: "始める",
  ruleSets: { chinese: "中国", japanese: "日本", korean: "韓国", aga: "AGA", "new-zealand": "ニュージーランド",
    "tromp-taylor": "トロンプ・テイラー", "chinese-ogs": "中国（OGS）", "chinese-kgs": "中国（KGS）",
    "stone-scoring": "純碁", "aga-button": "AGA（ボタン碁）", bga: "英国", cgos: "CGOS", french: "フランス", ing: "応氏" },
  openTitle: "棋譜を開く", chooseFile: "SGFファイル", paste: "または棋譜（SGF）を貼り付け", load: "読み込む",
  savedGames: "保存された対局", noGames: "保存された対局はまだありません。", moves: (count) => `${count}手`,
  forget: "削除", forgetOf: (title) => `${title}を削除`, forgetTitle: (title) => `「${title}」を完全に削除しますか？`,
  current: "表示中", tooLarge: "ファイルが4 MiBを超えています。",
  saveTitle: "保存と共有", downloadSgf: "SGFをダウンロード", copySgf: "SGFをコピー", downloadSvg: "SVGをダウンロード",
  copySvg: "SVGをコピー", downloadPng: "PNGをダウンロード", copyPng: "PNGをコピー", copyLink: "この局面へのリンクをコピー",
  copied: "コピーしました。", copyFailed: "ブラウザーがコピーを許可しませんでした。", recordPart: "棋譜", picturePart: "盤面の画像",
  settingsTitle: "この対局の設定", engineInfo: (version, net) => `${version}${net ? `、ネット ${net}` : ""}`,
  keysTitle: "キー操作",
  keyList: [
    ["Tab", "碁盤へ移動し、カーソルを出す"],
    ["← ↑ → ↓", "盤上ではカーソルを動かし、ほかでは手順と変化をたどる"],
    ["Enter、Space", "カーソルの点に打つ"],
    ["P", "パス"],
    ["U / R", "待った／やり直す"],
    [", / .", "1手戻る／進む"],
    ["Page Up / Page Down", "10手戻る／進む"],
    ["Home / End", "最初／最後の局面"],
    ["H", "ヒント"],
    ["S", "地の計算"],
    ["A", "ライブ解析の開始と停止"],
    ["O", "地の帰属"],
    ["M", "連の地図"],
    ["Escape", "カーソル、印の道具、ダイアログを終える"],
  ],
  unknownKomi: (text, komi) => `KM[${text}]はコミとして読めません。${komi}を使います。`,
  unknownRules: (text, rules) => `RU[${text}]は知らないルールです。${rules}を使います。`,
  noSuchGame: "このリンクの対局は、ここに保存されていません。",
  fileUnreadable: "ファイルを読めません。", markHint: "盤上をクリックすると印が付きます。Escapeで終わります。",
  treeNode: (number, text) => `${number}. ${text}`, setup: "編集", main: "本譜",
};

const LANGUAGES = { en: EN, ja: JA };
const KEY = "kifuwarabe-language";

/** What the browser remembers under a key; null if it remembers nothing or refuses. */
export function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers a text, if the browser allows it. */
export function remember(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // private windows may forbid it; the choice then lasts as long as the page
  }
}

const preferred = () => ((navigator.languages ?? [navigator.language])
  .map((tag) => String(tag).slice(0, 2)).find((tag) => tag in LANGUAGES) ?? "en");

const saved = remembered(KEY);
export let language = saved in LANGUAGES ? saved : preferred();

/** The words of the chosen language. */
export let T = LANGUAGES[language];

export function setLanguage(next) {
  language = next;
  T = LANGUAGES[next];
  remember(KEY, next);
}

/** Puts the words into the elements below `root` that name one: as text, as label, and as title. */
export function applyTexts(root) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = T[element.dataset.t];
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", T[element.dataset.label]);
    if (element.matches("button")) element.title = T[element.dataset.label];
  }
}

/** The words of a game's result in the form of SGF, such as `B+3.5`. */
export function resultText(result) {
  if (!result) return "";
  if (/^(0|draw|jigo)$/i.test(result)) return T.draw;
  const [, color, how] = /^([BW])\+(.*)$/i.exec(result) ?? [];
  if (!color) return /^void$/i.test(result) ? T.noResult : result;
  const by = { R: T.byResign, T: T.byTime, F: T.byForfeit }[how[0]?.toUpperCase()] ?? (how && T.byPoints(how));
  return T.wins(T[color.toLowerCase()], by);
}
