// The form of the page of `web`: `node web_pages.mjs ENGINE [FOLDER]`. axe-core finds no serious fault in either
// language, in light and dark, on large and small screens; the folder gets screenshots of all combinations. Without a
// folder, and without KIFUWARABE_SLOW_TESTS=1, four of the eight combinations are seen, which hold every pair.

import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {must, run, same} from './web.mjs'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SCREENS = {
  desktop: {viewport: {width: 1280, height: 900}},
  phone: {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true, deviceScaleFactor: 2}
}

/** Faults that axe-core calls serious or critical. */
async function check(view, what) {
  const {violations} = await view.page.evaluate(() => globalThis.axe.run())
  const serious = violations.filter(({impact}) => ['serious', 'critical'].includes(impact))
  const text = serious.map(
    ({id, nodes}) => `${id}: ${nodes.map(node => `${node.html} ${node.failureSummary}`).join('; ')}`
  )
  same(text, [], what)
}

await run(async ({open}) => {
  const first = await open()
  await first.newGame({size: '19'})
  for (const at of [
    [3, 3],
    [15, 3],
    [3, 15],
    [15, 15],
    [2, 5],
    [3, 5],
    [2, 6],
    [3, 6],
    [9, 9]
  ])
    await first.play(...at)
  same(
    await first.page.evaluate(
      () =>
        performance
          .getEntriesByType('resource')
          .filter(({name}) => !name.startsWith(location.origin) && !name.startsWith('data:')).length
    ),
    0,
    'addresses elsewhere'
  )

  const isWhole = process.argv.length > 3 || process.env.KIFUWARABE_SLOW_TESTS === '1'
  for (const [screen, size] of Object.entries(SCREENS)) {
    for (const colorScheme of ['light', 'dark']) {
      for (const locale of ['en-US', 'ja-JP']) {
        const others = [screen === 'phone', colorScheme === 'dark', locale === 'ja-JP'].filter(Boolean).length
        if (!isWhole && others % 2 === 1) continue
        const name = `${screen}-${colorScheme}-${locale.slice(0, 2)}`
        // the content security policy keeps axe out of the page
        const view = await open({...size, colorScheme, locale, bypassCSP: true})
        const {page} = view
        await page.addScriptTag({content: AXE})
        same(await page.getAttribute('html', 'lang'), locale.slice(0, 2), 'the language')
        await page.click('#watch')
        await view.until(async () => (await page.locator('#candidates tbody tr').count()) > 2, 'candidates')
        await check(view, `${name}: analysis`)
        await view.shot(`${name}-analysis`)
        await page.click('#watch')
        await page.click('#tab-record')
        await check(view, `${name}: record`)
        await view.shot(`${name}-record`)
        await page.click('#tab-rens')
        await page.check('#panel-rens [data-layer=rens]')
        await check(view, `${name}: rens`)
        await view.shot(`${name}-rens`)
        for (const dialog of ['new', 'open', 'share', 'settings']) {
          await page.click(`#${dialog}`)
          await page.waitForSelector('#dialog[open]')
          await check(view, `${name}: ${dialog}`)
          await view.shot(`${name}-${dialog}`)
          await page.keyboard.press('Escape')
        }
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        must(overflow <= 0, `${name}: ${overflow} pixels too wide`)
        const small = await page.locator('button:visible').evaluateAll(
          buttons =>
            buttons.filter(button => {
              const {width, height} = button.getBoundingClientRect()
              return width < 24 || height < 24
            }).length
        )
        same(small, 0, `${name}: buttons smaller than 24 pixels`)
        await page.context().close()
      }
    }
  }

  // the language is remembered, and spoken words follow it
  const view = await open()
  await view.page.click('#language')
  await view.page.reload()
  await view.page.waitForSelector('#board .go-wood')
  same(await view.page.getAttribute('html', 'lang'), 'ja', 'the remembered language')
  await view.newGame()
  await view.play(4, 4)
  await view.untilText('#announcer', '黒 E5')
})
