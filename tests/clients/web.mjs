// Starts `kifuwarabe-uec14 web` and opens its page in Chromium: for the scripts `web_*.mjs`, each called as
// `node SCRIPT ENGINE`. Everything is done and checked as a person would: by clicks, touches and keys, and by what is
// shown.

import {spawn} from 'node:child_process'
import {existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {delimiter, join, resolve} from 'node:path'
import {createInterface} from 'node:readline'
import {chromium} from 'playwright-core'

const [engine, shots] = process.argv.slice(2)

/** Chromium, by the names under which it is installed. */
const browserPath = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap(name => process.env.PATH.split(delimiter).map(folder => join(folder, name)))
  .find(existsSync)

const FILES = 'ABCDEFGHJKLMNOPQRSTUVWXYZ'

/** Longest wait for anything, in milliseconds: the machine may be busy. */
export const PATIENCE = 60_000

let checks = 0

export function must(holds, what) {
  checks++
  if (!holds) throw new Error(what)
}

export function same(found, expected, what) {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)]
  // long texts from shortly before their first difference
  const at = Math.max(0, [...left].findIndex((character, index) => character !== right[index]) - 40)
  must(left === right, `${what}: ${left.slice(at, at + 400)}, expected ${right.slice(at, at + 400)}`)
}

/** The folder for screenshots, if one was named. */
export const shotFolder = shots && resolve(shots)
if (shotFolder) mkdirSync(shotFolder, {recursive: true})

/** A server of the program, with a state folder of its own. */
export class Server {
  constructor(folder) {
    this.folder = folder
  }

  async start(...options) {
    const env = {...process.env, XDG_STATE_HOME: this.folder, XDG_DATA_HOME: this.folder}
    this.child = spawn(engine, ['web', ...options], {env, stdio: ['ignore', 'pipe', 'inherit']})
    const lines = createInterface({input: this.child.stdout})[Symbol.asyncIterator]()
    const {value} = await lines.next()
    must(/^http:\/\/127\.0\.0\.1:\d+\/$/.test(value), `the address: ${value}`)
    this.address = value
    return this
  }

  /** Ends the process at once, as by a crash. */
  async kill() {
    const ended = new Promise(done => this.child.once('exit', done))
    this.child.kill('SIGKILL')
    await ended
  }
}

/** A page in the browser, by what a person sees of it. */
export class View {
  constructor(page) {
    this.page = page
  }

  /** The size of the board, from its labels. */
  async size() {
    const names = await this.page.locator('#board .go-name').allTextContents()
    const letters = names.filter(name => /[A-Z]/.test(name)).length / 2
    return [letters, names.length / 2 - letters]
  }

  /** The stones, from the highest rank down. */
  async stones() {
    const [width, height] = await this.size()
    const found = await this.page
      .locator('#board .go-stones use')
      .evaluateAll(uses =>
        uses.map(use => [
          use.getAttribute('href'),
          Number(use.getAttribute('x')) / 40,
          Number(use.getAttribute('y')) / 40
        ])
      )
    const stones = Array(width * height).fill('.')
    for (const [color, x, y] of found) stones[y * width + x] = color === '#go-black' ? 'x' : 'o'
    return stones.join('')
  }

  /** Where a point is in the window, from its column and row. */
  async place(column, row) {
    const box = await this.page.locator('#board svg').boundingBox()
    const [width] = await this.size()
    const unit = box.width / (40 * (width - 1) + 108)
    return [box.x + (54 + 40 * column) * unit, box.y + (54 + 40 * row) * unit]
  }

  async click(column, row) {
    const [x, y] = await this.place(column, row)
    await this.page.mouse.click(x, y)
  }

  async tap(column, row) {
    const [x, y] = await this.place(column, row)
    await this.page.touchscreen.tap(x, y)
  }

  async vertex(column, row) {
    const [, height] = await this.size()
    return FILES[column] + (height - row)
  }

  /** Plays a move by a click and waits for the stone. */
  async play(column, row) {
    const [width] = await this.size()
    await this.click(column, row)
    await this.until(async () => (await this.stones())[row * width + column] !== '.', `a stone at ${column}, ${row}`)
  }

  /** The node of the address. */
  node() {
    return Number(/node=(\d+)/.exec(this.page.url())?.[1] ?? -1)
  }

  async text(selector) {
    return (await this.page.locator(selector).textContent()).trim()
  }

  /** Waits until something holds. */
  async until(holds, what) {
    for (const end = Date.now() + PATIENCE; Date.now() < end;) {
      if (await holds()) {
        checks++
        return
      }
      await this.page.waitForTimeout(40)
    }
    throw new Error(
      `in vain: ${what}; status: ${await this.text('#status')}; ` +
        `messages: ${await this.page.locator('#toasts').textContent()}`
    )
  }

  async untilText(selector, part) {
    await this.until(async () => (await this.text(selector)).includes(part), `"${part}" in ${selector}`)
  }

  /** Begins a game by the dialog. */
  async newGame({size = '9', person = 'both', level = '3', komi = '7'} = {}) {
    const {page} = this
    const before = page.url()
    await page.click('#new')
    await page.check(`#dialog input[name=size][value="${size}"]`)
    await page.selectOption('#dialog [name=person]', person)
    await page.selectOption('#dialog [name=level]', level)
    await page.fill('#dialog [name=komi]', komi)
    await page.selectOption('#dialog [name=handicap]', '0')
    await page.check('#dialog [name=noTime]')
    await page.click('#dialog [value=start]')
    await this.until(() => page.url().replace(/&.*/, '') !== before.replace(/&.*/, ''), 'a new game')
  }

  async shot(name) {
    if (shotFolder) await this.page.screenshot({path: join(shotFolder, `${name}.png`)})
  }
}

/** Runs a script with a server and a browser; no page may report an error. */
export async function run(script) {
  const folder = mkdtempSync(join(tmpdir(), 'kifuwarabe-web-'))
  const server = new Server(folder)
  let browser
  const faults = []
  try {
    await server.start()
    browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox']})
    const open = async (options = {}, address = server.address) => {
      const context = await browser.newContext({viewport: {width: 1280, height: 900}, locale: 'en-US', ...options})
      context.setDefaultTimeout(PATIENCE)
      const page = await context.newPage()
      page.on('pageerror', error => faults.push(String(error)))
      page.on('console', message => {
        // a lost connection is reported by the browser itself
        if (message.type() === 'error' && !/WebSocket|ERR_CONNECTION/.test(message.text())) faults.push(message.text())
      })
      await page.goto(address)
      await page.waitForSelector('#board .go-wood')
      await page.waitForFunction(() => location.hash.includes('node='))
      return new View(page)
    }
    await script({server, browser, open})
    same(faults, [], 'errors of the pages')
  } finally {
    await browser?.close()
    server.child?.kill('SIGKILL')
    rmSync(folder, {recursive: true, force: true})
  }
  console.log(`every check passed: ${checks}`)
}
