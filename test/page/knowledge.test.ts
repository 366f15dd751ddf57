import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser/chromium.ts';
import { useSite, withBrowser, withWindow } from '../support/browser/with-browser.ts';

/** The states of the facts about who has the key, one below the other. */
const keyStates = `[...document.querySelectorAll('.belief[aria-label="Tool shed KEY_IS_WITH"] .fact')].map((fact) => fact.dataset.state).join()`;

describe.skipIf(chromiumPath === null)('the views of memory and knowledge', () => {
  const demo = useSite('demo');

  it('V-11 a belief that changed stands below the one before; sliders go back in both times by keyboard; the episode is told', async () => {
    await withWindow(await demo(), async ({ page, open, until, troubles }) => {
      await open('/knowledge');
      await page.waitForSelector('.fact');
      expect(await page.evaluate(keyStates)).toBe('ended,superseded,holds');
      const struck = await page.evaluate(
        `getComputedStyle(document.querySelector('.fact[data-state="superseded"] .fact-target')).textDecorationLine`,
      );
      expect(struck).toBe('line-through');
      await page.getByLabel('Valid on', { exact: true }).focus();
      for (let times = 0; times < 5; times += 1) await page.keyboard.press('PageDown');
      await until(`${keyStates} === 'ended,holds,to come'`);
      expect(new URL(page.url()).searchParams.get('as_of')).toMatch(/^2025/);
      expect(await page.getByLabel('Valid on', { exact: true }).getAttribute('aria-valuetext')).toContain('2025');
      // By what was known before the last episode came, nobody knew of Tomas.
      await page.getByLabel('Known by').focus();
      await page.keyboard.press('Home');
      await until(`${keyStates} === 'unknown,unknown,unknown'`);
      await page.reload();
      await until(`${keyStates} === 'unknown,unknown,unknown'`);
      await page.getByRole('button', { name: 'Now' }).nth(1).click();
      await page.getByRole('button', { name: 'Now' }).click();
      await until(`${keyStates} === 'ended,superseded,holds'`);
      await page.locator('.fact[data-state="superseded"] a').press('Enter');
      await page.waitForSelector('.episode blockquote');
      expect(await page.textContent('.episode blockquote')).toContain('Rosa');
      // Names are not broken between their letters: each stands in one line.
      const lines = `(name) => { const range = document.createRange(); range.selectNodeContents(name); return range.getClientRects().length; }`;
      expect(await page.evaluate(`[...document.querySelectorAll('.detail-properties th')].map(${lines})`)).toEqual([1, 1, 1, 1]);
      await page.keyboard.press('Escape');
      await page.waitForSelector('.detail', { state: 'detached' });
      expect(troubles).toEqual([]);
    });
  });

  it('V-12 a fact and an observation that come in show by themselves', async () => {
    await withBrowser('demo', async ({ page, open, until, server, troubles }) => {
      const ada = await server.agent('ada');
      await open('/knowledge');
      await page.waitForSelector('.fact');
      const said = {
        source: 'text',
        body: 'Ivo -[LOOKS_AFTER]-> Hens: Ivo looks after the hens.',
        reference_time: '2026-05-01T10:00:00.000Z',
      };
      await ada.ask('kg_add_episodes', { input: { group_id: 'garden', items: [said] } });
      await page.waitForSelector('.belief[aria-label="Ivo LOOKS_AFTER"]');
      await open('/memory');
      await page.locator('.entities a', { hasText: 'City parks office' }).click();
      await page.waitForSelector('.detail .observations');
      await ada.ask('add_observations', { observations: [{ entityName: 'City parks office', contents: ['moved to Dock Street'] }] });
      await until(`document.querySelector('.observations li')?.textContent === 'moved to Dock Street'`);
      await until(`document.querySelector('.entities')?.parentElement?.parentElement?.textContent.includes('moved to Dock Street')`);
      expect(troubles).toEqual([]);
    });
  });

  it('V-11 the memory is found by words and kinds, and walked along its relations by keyboard', async () => {
    await withWindow(await demo(), async ({ page, open, until, troubles }) => {
      await open('/memory');
      await page.waitForSelector('.entities a');
      await page.keyboard.press('/');
      await until(`document.activeElement?.matches('input[type=search]')`);
      await page.keyboard.type('coffee');
      await until(`document.querySelectorAll('.entities a').length === 1`);
      expect(new URL(page.url()).searchParams.get('q')).toBe('coffee');
      await page.locator('.entities a').press('Enter');
      await until(`document.activeElement?.textContent === 'Corner bakery'`);
      await page.locator('.detail-tasks a').first().press('Enter');
      await until(`document.activeElement?.textContent === 'Grant request 2026'`);
      await page.goBack();
      await until(`document.querySelector('.detail h2')?.textContent === 'Corner bakery'`);
      await open('/memory');
      await page.locator('.kinds a', { hasText: 'preference' }).press('Enter');
      await until(`document.querySelectorAll('.entities a').length === 1`);
      expect(troubles).toEqual([]);
    });
  });
});
