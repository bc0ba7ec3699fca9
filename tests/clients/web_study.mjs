// Records on the page of `web`: `node web_study.mjs ENGINE`. A record of 250 moves with variations is opened by
// paste, by file and by drop, walked through, marked and saved; saved records have the same nodes as the opened ones.

import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import Board from '@sabaki/go-board'
import sgf from '@sabaki/sgf'
import {must, run, same} from './web.mjs'

const letters = 'abcdefghijklmnopqrs'

/** A record of random legal moves, with variations of three moves, comments and an unknown property. */
function record(moves) {
  let seed = 5
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648
  const choose = (board, sign) => {
    for (;;) {
      const vertex = [Math.floor(random() * 19), Math.floor(random() * 19)]
      const {ko, overwrite, suicide} = board.analyzeMove(sign, vertex)
      if (!ko && !overwrite && !suicide) return vertex
    }
  }
  const node = (sign, [x, y]) => `;${sign > 0 ? 'B' : 'W'}[${letters[x]}${letters[y]}]`
  let board = Board.fromDimensions(19)
  let text = '(;GM[1]FF[4]CA[UTF-8]SZ[19]KM[6.5]RU[Japanese]PB[Kuro]PW[白]GN[Test \\] game]'
  let closing = ''
  for (let number = 0; number < moves; number++) {
    const sign = number % 2 === 0 ? 1 : -1
    if (number % 25 === 20) {
      let [branch, other] = [board, '']
      for (let length = 0; length < 3; length++) {
        const color = length % 2 === 0 ? sign : -sign
        const vertex = choose(branch, color)
        branch = branch.makeMove(color, vertex)
        other += node(color, vertex) + (length === 1 ? 'XX[kept]' : '')
      }
      closing = `)(${other})${closing}`
      text += '('
    }
    const vertex = choose(board, sign)
    board = board.makeMove(sign, vertex)
    text += node(sign, vertex) + (number % 50 === 10 ? `C[Comment ${number}: 手\\: \\]]` : '')
  }
  return `${text}${closing})`
}

/** The nodes of a record, without the properties that a program may write anew. */
function nodes(text) {
  const [root] = sgf.parse(text)
  const plain = node => {
    const data = Object.entries(node.data).filter(
      ([name]) => !['AP', 'CA', 'GM', 'FF', 'ST', 'RU', 'KM'].includes(name)
    )
    data.sort(([a], [b]) => (a < b ? -1 : 1))
    return [data.map(([name, values]) => [name, [...values].sort()]), node.children.map(plain)]
  }
  return plain(root)
}

const saved = view => view.page.evaluate(async () => (await fetch('game.sgf')).text())

async function paste(view, text) {
  const before = view.page.url()
  await view.page.click('#open')
  await view.page.fill('#dialog [name=sgf]', text)
  await view.page.click('#dialog [value=load]')
  await view.until(() => view.page.url() !== before, 'the opened record')
}

async function study(view, folder) {
  const {page} = view
  const text = record(250)
  await paste(view, text)
  same(await view.size(), [19, 19], 'the size')
  same(nodes(await saved(view)), nodes(text), 'the saved record')
  await page.click('#tab-record')
  await view.until(async () => (await page.locator('#tree [data-node]').count()) === 281, 'every node in the tree')

  // the whole line, the current node in view
  await page.keyboard.press('Home')
  await view.until(() => view.node() === 0, 'the start')
  await page.focus('#number')
  for (const key of ['PageDown', 'PageDown']) await page.click(`[data-step="10"]`)
  await view.until(
    async () =>
      /^(Move|20)/.test(await page.getAttribute('#number', 'aria-valuetext')) &&
      (await page.inputValue('#number')) === '20',
    'move 20'
  )
  await view.until(async () => (await page.locator('#variations button').count()) === 2, 'two variations')
  await page.locator('#variations button').nth(1).click()
  await view.until(async () => (await page.inputValue('#number')) === '21', 'the variation')
  await page.click('[data-step=last]')
  await view.until(async () => (await page.inputValue('#number')) === '23', 'the end of the variation')
  await page.focus('#tree')
  await page.keyboard.press('ArrowUp')
  await view.until(async () => (await page.inputValue('#number')) === '21', 'the main line')
  await page.click('[data-step=last]')
  await view.until(async () => (await page.inputValue('#number')) === '250', 'the last move')
  const isInView = () =>
    page.evaluate(() => {
      const [tree, now] = ['#tree', '.tree-now'].map(name => document.querySelector(name).getBoundingClientRect())
      return now.left >= tree.left && now.right <= tree.right && now.top >= tree.top && now.bottom <= tree.bottom
    })
  must(await isInView(), 'the current node is out of view')
  await view.shot('record')
  await page.click('[data-step=first]')
  await view.until(() => view.node() === 0, 'the start')
  must(await isInView(), 'the first node is out of view')

  // a comment and marks are kept, and nothing else changes
  await page.click('[data-step="10"]')
  await view.until(async () => (await page.inputValue('#number')) === '10', 'move 10')
  await page.click('[data-step="1"]')
  await view.until(async () => (await page.inputValue('#comment')) === 'Comment 10: 手: ]', 'the comment')
  const comment = 'New words: ]\\ 新しい'
  await page.fill('#comment', comment)
  // the node is left before the pause in which the comment is sent
  await page.evaluate(() => document.querySelector('[data-step="-1"]').click())
  await view.until(async () => (await page.inputValue('#number')) === '10', 'the move before')
  await view.until(async () => (await page.inputValue('#comment')) === '', 'no comment')
  await page.click('[data-step="1"]')
  await view.until(async () => (await page.inputValue('#comment')) === comment, 'the comment that was typed')
  await page.click('[data-mark=TR]')
  await view.click(3, 3)
  await view.until(async () => (await page.locator('.go-marks path').count()) === 1, 'a triangle')
  await page.click('[data-mark=LB]')
  await view.click(5, 3)
  await view.until(async () => (await page.locator('.go-marks text').allTextContents()).join() === 'A', 'a label')
  // a mark takes the place of the ring on the last move
  const ring = page.locator('#board .go-last circle')
  same(await ring.count(), 1, 'a ring on the last move')
  const [x, y] = await ring.evaluate(circle => [circle.getAttribute('cx') / 40, circle.getAttribute('cy') / 40])
  await view.click(x, y)
  await view.until(async () => (await ring.count()) === 0, 'no ring under a label')
  await view.click(x, y)
  await view.until(async () => (await ring.count()) === 1, 'the ring again')
  await page.keyboard.press('Escape')
  await page.click('[data-step="1"]')
  await view.until(async () => (await page.inputValue('#number')) === '12', 'the next move')
  await page.click('[data-step="-1"]')
  await view.until(async () => (await page.inputValue('#comment')) === comment, 'the new comment')
  const changed = await saved(view)
  must(/TR\[dd\]/.test(changed) && /LB\[fd:A\]/.test(changed), changed)
  const unmarked = text =>
    JSON.stringify(nodes(text), (_, value) =>
      Array.isArray(value) ? value.filter(item => !['TR', 'LB', 'C'].includes(item?.[0])) : value
    )
  same(unmarked(changed), unmarked(text), 'the record but for marks and comments')
  const again = page.url()

  // the saved file opens again, by the file chooser
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.click('#share').then(() => page.click('#dialog a[href="game.sgf"]'))
  ])
  const path = join(folder, 'saved.sgf')
  await file.saveAs(path)
  same(readFileSync(path, 'utf8'), changed, 'the downloaded record')
  await page.keyboard.press('Escape')
  await page.click('#open')
  await page.setInputFiles('#dialog [name=file]', path)
  await view.until(() => page.url().replace(/&.*/, '') !== again.replace(/&.*/, ''), 'the record from the file')
  same(nodes(await saved(view)), nodes(changed), 'the record, saved and opened again')

  // the saved games: the first one again, and one deleted
  await page.click('#open')
  const games = page.locator('#dialog [data-open]')
  const number = await games.count()
  must(number >= 2, `${number} saved games`)
  await page.locator('#dialog [data-forget]').last().click()
  await page.click('#dialog [value=yes]')
  await view.until(async () => (await games.count()) === number - 1, 'a game less')
  await page.keyboard.press('Escape')
}

/** Promotes and deletes a variation. */
async function edit(view) {
  const {page} = view
  await paste(view, '(;GM[1]FF[4]SZ[9]KM[7];B[cc](;W[gg];B[cg])(;W[ee];B[gc]))')
  await page.keyboard.press('Home')
  await page.click('[data-step="1"]')
  await view.until(async () => (await page.locator('#variations button').count()) === 2, 'two variations')
  await page.locator('#variations button').nth(1).click()
  await view.untilText('#announcer', 'White E5')
  await page.click('#promote')
  await view.until(
    async () => /;W\[ee\];B\[gc\]\)\s*\(;W\[gg\]/.test((await saved(view)).replace(/\n/g, '')),
    'the promoted line'
  )
  await page.click('#remove')
  await page.click('#dialog [value=yes]')
  await view.until(async () => !(await saved(view)).includes('W[ee]'), 'the deleted line')
  must((await saved(view)).includes('W[gg]'), 'the other line')
}

/** Buttons that can do nothing are disabled. */
async function disabled(view) {
  const {page} = view
  const off = () => page.locator('[data-do], #promote, #remove').evaluateAll(buttons => buttons
    .filter(button => button.getAttribute('aria-disabled') === 'true').map(button => button.dataset.do ?? button.id))
  await paste(view, '(;GM[1]FF[4]SZ[9]KM[7]RE[W+R];B[cc];W[gg])')
  same(await off(), ['undo', 'promote', 'remove'], 'disabled at the start')
  await page.click('[data-step="1"]')
  await view.until(async () => (await off()).length === 0, 'nothing disabled in the middle')
  await page.click('[data-step="1"]')
  await view.until(async () => (await off()).join() === 'redo,hint,genmove,resign', 'disabled at the end')
  await page.click('[data-do=resign]', {force: true})
  must(!(await page.isVisible('#dialog')), 'a question of a disabled button')
}

/** Long names leave room for captures and clock. */
async function names(view) {
  const {page} = view
  await paste(view, `(;GM[1]FF[4]SZ[9]KM[7]PB[${'Long name '.repeat(30)}]PW[w])`)
  const edge = await page.locator('.player .prisoners').first().evaluate(part => part.getBoundingClientRect().right)
  must(edge <= 1280, `captures end at ${edge} of 1280 pixels`)
}

/** A move may follow the end of a record. */
async function goOn(view) {
  const {page} = view
  await paste(view, '(;GM[1]FF[4]SZ[9]KM[7]RE[W+3.5];B[cc];W[gg])')
  await page.click('[data-step=last]')
  await view.until(async () => (await page.inputValue('#number')) === '2', 'the last move')
  await view.click(4, 4)
  await view.until(async () => (await saved(view)).replace(/\n/g, '').includes(';W[gg];B[ee]'), 'a move after the end')
}

/** Files that are no records are refused, and dropped ones are opened in the character set that they name. */
async function files(view, folder) {
  const {page} = view
  // the node may still change after the last deletion
  const game = () => /game=\w+/.exec(page.url())[0]
  const before = game()
  await page.click('#open')
  await page.fill('#dialog [name=sgf]', 'no record')
  await page.click('#dialog [value=load]')
  await view.until(async () => (await page.locator('#dialog .problem:visible').count()) === 1, 'the reason')
  must((await view.text('#dialog .problem')).length > 0, 'a reason in words')
  same(await page.inputValue('#dialog [name=sgf]'), 'no record', 'the text after its refusal')
  same(game(), before, 'the game after a refused record')
  await page.keyboard.press('Escape')
  const bytes = [...Buffer.from('(;GM[1]SZ[9]CA[Shift_JIS]PB['), 0x8d, 0x95, ...Buffer.from('];B[ee])')]
  const data = await page.evaluateHandle(bytes => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([new Uint8Array(bytes)], 'game.sgf'))
    return transfer
  }, bytes)
  await page.dispatchEvent('#board', 'dragover', {dataTransfer: data})
  must(await page.isVisible('#drop'), 'the place to drop')
  await page.dispatchEvent('#board', 'drop', {dataTransfer: data})
  await view.untilText('#players', '黒')
  // so are those of the file chooser
  const name = [0xc4, 0xf4, 0xce, 0xc0, 0xc6, 0xbd]
  const buffer = Buffer.from([...Buffer.from('(;GM[1]SZ[9]PB['), ...name, ...Buffer.from('];B[ee])')])
  await page.click('#open')
  await page.setInputFiles('#dialog [name=file]', {name: 'gbk.sgf', mimeType: 'application/x-go-sgf', buffer})
  await view.untilText('#players', '聂卫平')
  must(await page.isHidden('#drop'), 'the place to drop, after it')
}

/** Pictures: the SVG is complete in itself, and the PNG is one of the board. */
async function pictures(view, folder) {
  const {page} = view
  await view.newGame()
  await view.play(4, 4)
  await page.click('#share')
  for (const [action, name] of [
    ['svgFile', 'board.svg'],
    ['pngFile', 'board.png']
  ]) {
    const [file] = await Promise.all([page.waitForEvent('download'), page.click(`#dialog [data-copy=${action}]`)])
    same(file.suggestedFilename(), name, 'the name of the file')
    await file.saveAs(join(folder, name))
  }
  const svg = readFileSync(join(folder, 'board.svg'), 'utf8')
  must(svg.includes('.go-wood') && svg.includes('href="#go-black"'), 'the picture in itself')
  must(!/https?:\/\/(?!www\.w3\.org)/.test(svg), 'the picture names another address')
  const png = readFileSync(join(folder, 'board.png'))
  same([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)], ['PNG', 856, 856], 'the PNG')
  // wood in a corner and a black stone in the middle
  const colors = await page.evaluate(async base64 => {
    const image = new Image()
    image.src = `data:image/png;base64,${base64}`
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), {width: 856, height: 856})
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    return [
      [40, 40],
      [428, 428]
    ].map(at => [...context.getImageData(...at, 1, 1).data])
  }, png.toString('base64'))
  must(colors[0][0] > 150 && colors[0][2] < 150 && colors[1][0] < 120, `colours ${JSON.stringify(colors)}`)
  await page.keyboard.press('Escape')
}

await run(async ({server, open}) => {
  const view = await open({acceptDownloads: true})
  await study(view, server.folder)
  await edit(view)
  await goOn(view)
  await disabled(view)
  await names(view)
  await files(view, server.folder)
  await pictures(view, server.folder)
})
