// Live analysis, several tabs, reloads and lost connections on the page of `web`: `node web_analysis.mjs ENGINE`.

import {must, run, same} from './web.mjs'

const count = stones => [...stones].filter(stone => stone !== '.').length
const visits = async view => {
  const [, number, unit] = /([\d.]+)(k|M)? visits/.exec(await view.text('#meter')) ?? [0, 0]
  return Number(number) * ({k: 1e3, M: 1e6}[unit] ?? 1)
}

async function analysis(view) {
  const {page} = view
  const watch = '#watch'
  const disks = () => page.locator('#board .go-candidates g').count()
  await view.newGame()
  await view.play(4, 4)
  for (let turn = 0; turn < 20; turn++) {
    await page.click(watch)
    if (turn % 4 === 0) await view.until(async () => (await disks()) > 0, 'candidates')
    await page.click(watch)
    await view.until(async () => (await disks()) === 0, 'no candidates')
  }
  // it follows the position
  await page.click(watch)
  await view.until(async () => (await visits(view)) > 0, 'visits')
  await view.play(2, 2)
  await view.until(async () => (await disks()) > 0, 'candidates of the next position')
  const rows = page.locator('#candidates tbody tr')
  await view.until(async () => (await rows.count()) > 0, 'a table of candidates')

  // a variation on hover, on focus, and a move by its button
  await rows.first().hover()
  await view.until(async () => (await page.locator('.go-variation text').count()) > 0, 'a variation on hover')
  await page.mouse.move(5, 5)
  await view.until(async () => (await page.locator('.go-variation text').count()) === 0, 'no variation')
  await rows.first().locator('button').focus()
  await view.until(async () => (await page.locator('.go-variation text').count()) > 0, 'a variation on focus')
  // rows that stay are the same elements, so that a press and its release find the same button
  const first = await page.evaluateHandle(() => document.activeElement)
  const before = await visits(view)
  await view.until(async () => (await visits(view)) > before, 'more visits')
  must(await first.evaluate(button => button.isConnected && button === document.activeElement), 'the focus was lost')
  await page.locator(watch).focus()

  for (const [layer, shown] of [
    ['ownership', '.go-ownership rect'],
    ['policy', '.go-heat rect']
  ]) {
    await page.check(`[data-layer=${layer}]`)
    await view.until(async () => (await page.locator(`#board ${shown}`).count()) > 0, layer)
    await page.uncheck(`[data-layer=${layer}]`)
    await view.until(async () => (await page.locator(`#board ${shown}`).count()) === 0, `no ${layer}`)
  }
  await view.until(async () => (await page.locator('#graph .lead-line').count()) > 0, 'a graph')

  // bounds
  await page.fill('#visits', '50')
  await page.press('#visits', 'Enter')
  await page.fill('#threads', '1')
  await page.press('#threads', 'Enter')
  await page.keyboard.press('Tab')
  await view.play(6, 6)
  await view.until(async () => (await visits(view)) >= 50, 'fifty visits')
  const bounded = await visits(view)
  await page.waitForTimeout(1500)
  must((await visits(view)) <= Math.max(bounded, 200), `${await visits(view)} visits with a bound of 50`)
  await page.fill('#visits', '0')
  await page.press('#visits', 'Enter')
  await page.click(watch)

  await page.click('[data-do=hint]')
  await view.untilText('#status', 'Hint: ')
  await page.click('#review')
  await view.until(
    async () =>
      (await page.getAttribute('#review', 'aria-pressed')) === 'false' &&
      (await page.getAttribute('#graph .win-rate', 'd'))?.split('L').length === 4,
    'a reviewed game'
  )

  // a click on the graph goes to a move
  const box = await page.locator('#graph').boundingBox()
  await page.mouse.click(box.x + box.width * 0.08, box.y + box.height / 2)
  await view.until(async () => count(await view.stones()) === 0, 'the start of the game')
}

/** A single value is a dot on the graph; values two moves apart are joined. */
async function graph(view) {
  const {page} = view
  await view.newGame()
  await page.click('[data-do=hint]')
  await view.until(async () => (await page.locator('#graph .lead-dot').count()) === 1, 'a dot')
  await view.play(4, 4)
  await view.play(2, 2)
  await page.click('[data-do=hint]')
  await view.until(async () => (await page.locator('#graph .lead-line').count()) === 1, 'a line')
  same(await page.locator('#graph .lead-dot').count(), 0, 'dots beside the line')
  // layers without an analysis are explained
  must(await page.isHidden('#layers-note'), 'a note on layers')
  await page.check('[data-layer=ownership]')
  must(await page.isVisible('#layers-note'), 'no note on layers')
  await page.uncheck('[data-layer=ownership]')
}

/** On a touch screen a long press shows the variation of a candidate, and plays nothing. */
async function longPress(view) {
  const {page} = view
  await view.newGame()
  await page.tap('#watch')
  // in one step, since every report draws the candidates anew
  let box
  const find = () => document.querySelector('.go-candidates g')?.getBoundingClientRect().toJSON()
  await view.until(async () => (box = await page.evaluate(find)) !== undefined, 'candidates')
  const {x, y, width, height} = box
  const touch = await page.context().newCDPSession(page)
  const touchPoints = [{x: x + width / 2, y: y + height / 2}]
  await touch.send('Input.dispatchTouchEvent', {type: 'touchStart', touchPoints})
  await view.until(async () => (await page.locator('.go-variation text').count()) > 0, 'a variation under a long press')
  await touch.send('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []})
  await view.until(async () => (await page.locator('.go-variation text').count()) === 0, 'no variation after it')
  must(await page.isHidden('#confirm'), 'a stone after a long press')
  same(count(await view.stones()), 0, 'stones after a long press')
  await page.context().close()
}

/** Two tabs show the same game; a hidden one still follows. */
async function tabs(view, open) {
  await view.newGame()
  const other = await open()
  await view.play(4, 4)
  await other.until(async () => count(await other.stones()) === 1, 'the move in the other tab')
  await other.play(2, 2)
  await view.until(async () => count(await view.stones()) === 2, 'the answer in the first tab')
  same(await view.stones(), await other.stones(), 'the boards of two tabs')
  await other.page.click('#language')
  same(await other.text('[data-do=pass]'), 'パス', 'the other tab in Japanese')
  same(await view.text('[data-do=pass]'), 'Pass', 'the first tab in English')

  // a link opens its position
  const link = view.page.url().replace(/node=\d+/, 'node=1')
  const third = await open({}, link)
  await third.until(async () => count(await third.stones()) === 1, 'the position of the link')
  await view.until(async () => count(await view.stones()) === 1, 'the same in the first tab')
  await view.page.evaluate(() => {
    location.hash = location.hash.replace(/node=\d+/, 'node=2')
  })
  await view.until(async () => count(await view.stones()) === 2, 'the position of an edited address')
  await other.page.context().close()
  await third.page.context().close()
}

/** A reload while the engine thinks keeps the game, and the answer comes. */
async function reload(view) {
  await view.newGame({person: 'b', level: '10'})
  await view.play(4, 4)
  await view.page.reload()
  await view.page.waitForSelector('#board .go-wood')
  await view.until(async () => count(await view.stones()) === 2, 'the answer after a reload')
  await view.untilText('#status', 'Your move')
  same((await view.stones())[4 * 9 + 4], 'x', 'the stone before the reload')
}

/** The server ends and comes back: the page says so, and goes on with the kept game. */
async function restart(view, server) {
  await view.newGame()
  await view.play(4, 4)
  await view.play(2, 6)
  const stones = await view.stones()
  const {port} = new URL(server.address)
  await server.kill()
  await view.untilText('#lost', 'connection to the engine is lost')
  must(await view.page.isVisible('#lost'), 'the message')
  await view.click(6, 6)
  await view.untilText('#toasts', 'Not connected')
  await server.start('--port', port)
  await view.until(() => view.page.isHidden('#lost'), 'a new connection')
  await view.until(async () => (await view.stones()) === stones, 'the stones before the end')
  await view.play(6, 6)
}

await run(async ({server, open}) => {
  const view = await open()
  await analysis(view)
  await graph(view)
  await tabs(view, open)
  await longPress(await open({viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true}))
  await reload(view)
  await restart(view, server)
})
