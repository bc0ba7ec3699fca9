// Games on the page of `web`: `node web_play.mjs ENGINE`. A whole game against level 3 with refused moves, undo and
// score, a ko, a game by keys, and touches on a small screen.

import {must, run, same} from './web.mjs'

const count = stones => [...stones].filter(stone => stone !== '.').length
const settled = async view => /^(Your move|Game over)/.test(await view.text('#status'))

/** A whole game: some moves, then passes until the engine passes, too, or resigns. */
async function wholeGame(view) {
  const {page} = view
  await view.newGame({person: 'b', level: '3'})
  await view.untilText('#status', 'Your move (Black)')
  await view.play(4, 4)
  await view.until(() => settled(view), 'the answer')
  const stones = await view.stones()
  same(count(stones), 2, 'stones after an answer')

  // the engine's stone is in the way
  const white = stones.indexOf('o')
  await view.click(white % 9, Math.floor(white / 9))
  await view.untilText('#toasts', 'occupied')
  same(await view.stones(), stones, 'the board after a refused move')

  await page.click('[data-do=undo]')
  await view.until(async () => count(await view.stones()) === 0, 'an empty board after undo')
  await page.click('[data-do=redo]')
  await view.until(async () => count(await view.stones()) > 0, 'a stone after redo')
  await page.keyboard.press('End')
  await view.until(async () => count(await view.stones()) === 2, 'both stones')

  for (const [column, row] of [
    [2, 2],
    [6, 6],
    [2, 6],
    [6, 2],
    [4, 2],
    [4, 6],
    [2, 4],
    [6, 4]
  ]) {
    if ((await view.stones())[row * 9 + column] !== '.') continue
    const before = view.node()
    await view.click(column, row)
    await view.until(async () => view.node() !== before && (await settled(view)), 'a move and its answer')
  }
  for (let turn = 0; !(await page.isVisible('#count')); turn++) {
    must(turn < 100, 'the game does not end')
    if ((await view.text('#status')).startsWith('Game over')) break
    const before = view.node()
    await page.click('[data-do=pass]')
    await view.until(
      async () => view.node() !== before && ((await page.isVisible('#count')) || (await settled(view))),
      'an answer'
    )
  }
  if (await page.isVisible('#count')) await page.click('#accept')
  await view.untilText('#status', 'Game over: ')
  must(/Game over: (Black|White) wins|Game over: draw/.test(await view.text('#status')), await view.text('#status'))
}

/** Two walls and a dead stone; both pass, and the score is corrected by clicks. */
async function score(view) {
  const {page} = view
  await view.newGame()
  for (let row = 0; row < 9; row++) {
    await view.play(3, row)
    await view.play(4, row)
  }
  await view.play(0, 8)
  await view.play(1, 1)
  await page.click('[data-do=pass]')
  await view.until(() => view.node() === 21, 'a pass')
  await page.click('[data-do=pass]')
  await page.waitForSelector('#count:not([hidden])')
  const dead = () => page.locator('#board .go-dead path').count()
  const owned = () => page.locator('#board .go-territory rect').count()
  await view.until(async () => (await dead()) === 2, 'one dead stone, a cross of two strokes')
  // all but the stones, and the dead stone
  same(await owned(), 81 - 19, 'marked points')
  // 36 points for Black, 45 and 7 for White
  same(await view.text('#count-result b'), 'Result: White wins by 16', 'the result')
  await view.shot('score')
  await view.click(1, 1)
  await view.until(async () => (await dead()) === 0, 'no dead stone')
  await view.untilText('#count-result', 'by hand')
  must((await view.text('#count-result b')) !== 'Result: White wins by 16', 'the result without a dead stone')
  await view.click(1, 1)
  await view.until(async () => (await dead()) === 2, 'the dead stone')
  await view.untilText('#count-result', 'Result: White wins by 16')
  await page.click('#go-on')
  await view.until(async () => (await dead()) === 0 && (await page.isHidden('#count')), 'no score')
  await view.untilText('#status', 'White to move')
  await page.click('[data-do=pass]')
  await view.untilText('#count-result', 'Result: White wins by 16')
  await page.click('#accept')
  await view.untilText('#status', 'Game over: White wins by 16')
  await view.untilText('#announcer', 'Game over: White wins by 16')
}

async function ko(view) {
  await view.newGame()
  for (const [column, row] of [
    [2, 1],
    [3, 1],
    [1, 2],
    [4, 2],
    [2, 3],
    [3, 3],
    [3, 2]
  ])
    await view.play(column, row)
  await view.play(2, 2)
  await view.until(async () => (await view.stones())[2 * 9 + 3] === '.', 'a captured stone')
  const stones = await view.stones()
  await view.page.mouse.move(5, 5)
  const [x, y] = await view.place(3, 2)
  await view.page.mouse.move(x, y)
  await view.untilText('#about', 'D7 is forbidden (ko)')
  await view.click(3, 2)
  await view.untilText('#toasts', 'D7 is forbidden (ko)')
  same(await view.stones(), stones, 'the board after a refused ko')
  await view.page.click('#tab-rens')
  await view.untilText('#forbidden', 'D7 ko')
  await view.page.click('#tab-analysis')
  await view.play(8, 8)
  await view.play(8, 0)
  await view.play(3, 2)
  await view.until(async () => (await view.stones())[2 * 9 + 2] === '.', 'the ko retaken')
  await view.untilText('#announcer', 'Black D7. 1 stone captured')
}

async function keys(view) {
  const {page} = view
  await view.newGame({size: '13'})
  await page.focus('#language')
  await page.focus('#board')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Shift+Tab')
  await page.waitForSelector('.go-cursor rect')
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowLeft']) await page.keyboard.press(key)
  await view.untilText('#announcer', 'F9: empty')
  await page.keyboard.press('Enter')
  await view.until(async () => (await view.stones())[4 * 13 + 5] === 'x', 'a stone at F9')
  await view.untilText('#announcer', 'Black F9')
  await page.keyboard.press('p')
  await view.until(() => view.node() === 2, 'a pass')
  await view.untilText('#announcer', 'White passes')
  await page.keyboard.press('u')
  await view.until(() => view.node() === 1, 'a step back')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowLeft')
  await view.until(() => view.node() === 0, 'the start')
  await page.keyboard.press('End')
  await view.until(() => view.node() === 2, 'the end')
}

async function resign(view) {
  await view.newGame()
  await view.page.click('[data-do=resign]')
  await view.page.click('#dialog [value=no]')
  must(!(await view.text('#status')).includes('over'), 'resigned without an answer')
  await view.page.click('[data-do=resign]')
  await view.page.click('#dialog [value=yes]')
  await view.untilText('#status', 'White wins by resignation')
}

/** Boards that are not square, up to 25 x 25, handicap and clocks. */
async function sizes(view) {
  const {page} = view
  for (const [width, height] of [
    [7, 5],
    [25, 25],
    [2, 13]
  ]) {
    const before = page.url()
    await page.click('#new')
    await page.check('#dialog input[value=other]')
    await page.fill('#dialog [name=width]', String(width))
    await page.fill('#dialog [name=height]', String(height))
    await page.selectOption('#dialog [name=person]', 'both')
    await page.click('#dialog [value=start]')
    await view.until(() => page.url().replace(/&.*/, '') !== before.replace(/&.*/, ''), 'a new game')
    same(await view.size(), [width, height], 'the size')
    await view.play(width - 1, height - 1)
    await view.play(0, 0)
    same(await view.stones(), `o${'.'.repeat(width * height - 2)}x`, 'the corners')
    const overflow = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
    must(overflow <= 0, `${width}x${height}: ${overflow} pixels too high`)
  }
  const before = page.url()
  await page.click('#new')
  // komi follows rules and handicap until it is edited; the handicap is one that the board has
  const komi = async expected => same(await page.inputValue('#dialog [name=komi]'), expected, 'the komi')
  await page.check('#dialog input[value="9"]')
  await page.selectOption('#dialog [name=rules]', 'japanese')
  await komi('6.5')
  await page.selectOption('#dialog [name=handicap]', '4')
  await komi('0.5')
  await page.check('#dialog input[value=other]')
  await page.fill('#dialog [name=width]', '6')
  await page.press('#dialog [name=width]', 'Tab')
  same(await page.inputValue('#dialog [name=handicap]'), '0', 'the handicap of a small board')
  await komi('6.5')
  await page.check('#dialog input[value="9"]')
  await page.selectOption('#dialog [name=rules]', 'chinese')
  await komi('7.5')
  await page.fill('#dialog [name=komi]', '1e9')
  await page.locator('#dialog [name=komi]').evaluate(input => input.removeAttribute('max'))
  await page.selectOption('#dialog [name=handicap]', '4')
  await komi('1e9')
  await page.click('#dialog [value=start]')
  await view.until(async () => (await page.locator('#dialog .problem:visible').count()) === 1, 'a refused game')
  await page.fill('#dialog [name=komi]', '0.5')
  await page.uncheck('#dialog [name=noTime]')
  await page.fill('#dialog [name=main]', '1')
  await page.fill('#dialog [name=period]', '10')
  await page.fill('#dialog [name=periods]', '3')
  await page.click('#dialog [value=start]')
  await view.until(() => page.url().replace(/&.*/, '') !== before.replace(/&.*/, ''), 'a new game')
  same(count(await view.stones()), 4, 'handicap stones')
  await view.untilText('#status', 'White to move')
  await view.play(4, 4)
  await view.untilText('[data-clock=b]', '0:5')
  const seconds = async () => Number((await view.text('[data-clock=b]')).slice(2))
  const left = await seconds()
  await view.until(async () => (await seconds()) < left, 'a running clock')
  const other = await view.text('[data-clock=w]')
  await page.waitForTimeout(1200)
  same(await view.text('[data-clock=w]'), other, 'the clock that stands')
}

/** The count of an unfinished game is an estimate, and the game goes on by the main button. */
async function estimate(view) {
  const {page} = view
  await view.newGame()
  await view.play(4, 4)
  await page.click('[data-do=score]')
  await view.untilText('#count-result', 'Estimate: ')
  same(await page.locator('#count .primary').getAttribute('id'), 'go-on', 'the main button')
  await page.click('#go-on')
  await view.until(() => page.isHidden('#count'), 'no score')
}

/** On a phone held across, the whole board is in view beside the panels. */
async function landscape(view) {
  const {page} = view
  const board = await page.locator('#board svg').boundingBox()
  const side = await page.locator('#side').boundingBox()
  must(board.y + board.height <= 390 && board.width > 300, `a board of ${board.width}x${board.height} at ${board.y}`)
  must(side.x >= board.x + board.width, 'panels beside the board')
}

async function touches(view) {
  await view.newGame()
  const {page} = view
  await view.tap(2, 2)
  await page.waitForSelector('#confirm:not([hidden])')
  same(count(await view.stones()), 0, 'stones after one tap')
  same(await view.text('#confirm-play'), 'Play C7', 'the button')
  await view.tap(6, 6)
  await view.untilText('#confirm-play', 'Play G3')
  await view.tap(6, 6)
  await view.until(async () => (await view.stones())[6 * 9 + 6] === 'x', 'a stone after the second tap')
  await view.tap(2, 2)
  await page.tap('#confirm-play')
  await view.until(async () => (await view.stones())[2 * 9 + 2] === 'o', 'a stone after the button')
  await view.tap(4, 4)
  await page.tap('#confirm-cancel')
  must(await page.isHidden('#confirm'), 'the button after cancelling')
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  must(overflow <= 0, `the page is ${overflow} pixels too wide`)
}

await run(async ({open}) => {
  const view = await open()
  await ko(view)
  await score(view)
  await keys(view)
  await resign(view)
  await estimate(view)
  await sizes(view)
  await wholeGame(view)
  await landscape(await open({viewport: {width: 844, height: 390}, hasTouch: true, isMobile: true}))
  await touches(await open({viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true}))
})
