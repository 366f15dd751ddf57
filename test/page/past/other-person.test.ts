import { spawnSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { TOKEN, useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';
import { program, testEnvironment } from '../../support/program/cli.ts';
import type { TestVault } from '../../support/vault.ts';
import { typeAtEnd } from '../note/type-at-end.ts';

/** A test changes notes of its own only. */
const NOTES = { 'a.md': 'one\n', 'b.md': '---\nkind: open\n---\nText\n', 'named.md': 'one\n' };

describe.skipIf(chromiumPath === null)('the next person at a browser', () => {
  const site = useSite(NOTES);

  it('U-01 what one typed into a note is kept for them, and not shown to the bearer of another token', async () =>
    withWindow(await site(), async ({ page, vault, server, until, troubles, forgive }) => {
      const other = addToken(vault, 'carol');
      await signIn(page, `${server.url}/note/a.md?edit=`, TOKEN);
      await page.waitForSelector('.cm-content');
      await typeAtEnd(page, 'typed by the first');
      const tab = await page.context().newPage();
      await tab.goto(`${server.url}/note`);
      await signOut(tab);
      await page.waitForSelector('.sign-in');
      await enter(page, other);
      // Not where the one before was, and nothing of what they did.
      await page.waitForSelector('main h1');
      await until(`location.pathname === '/'`);
      await page.goto(`${server.url}/note/a.md`);
      await page.waitForSelector('.prose');
      expect(await page.locator('.edit-notice').count()).toBe(0);
      await page.goto(`${server.url}/note/a.md?edit=`);
      await page.waitForSelector('.cm-content');
      expect(await page.locator('.cm-content').innerText()).not.toContain('typed by the first');
      await page.getByRole('button', { name: 'Close' }).click();
      await signOut(page);
      await enter(page, TOKEN);
      await until(`location.pathname === '/'`);
      await page.waitForSelector('main h1');
      await page.goto(`${server.url}/note/a.md`);
      await page.getByRole('button', { name: 'Go on editing' }).click();
      await page.waitForSelector('.cm-content:has-text("typed by the first")');
      expect(vault.read('a.md')).toBe('one\n');
      forgive(/401|409/);
      expect(troubles).toEqual([]);
    }));

  it('U-03 a property that is being edited is still there after signing in again, and elsewhere in the page', async () =>
    withWindow(await site(), async ({ page, vault, server, troubles, forgive }) => {
      await signIn(page, `${server.url}/note/b.md`, TOKEN);
      await editKind(page, 'half a value');
      await signOut(page);
      await enter(page, TOKEN);
      await expectTyped(page, 'half a value');
      await page.getByRole('link', { name: 'Tasks' }).click();
      await page.waitForSelector('h1:has-text("Tasks")');
      await page.goBack();
      await expectTyped(page, 'half a value');
      // Renamed or removed by somebody else: what was typed stays, and is not written over it.
      await server.page('rename', { changes: [{ from: 'b.md', to: 'c' }] });
      await page.waitForURL('**/note/c.md');
      await expectTyped(page, 'half a value');
      await server.page('update_node', { id: 'c.md', properties: { kind: null, other: 'there' } });
      await page.waitForSelector('.properties th:has-text("other")');
      await expectTyped(page, 'half a value');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForSelector('.edit-property .failure:has-text("removed this property")');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.waitForSelector('.edit-property', { state: 'detached' });
      expect(vault.read('c.md')).toContain('other: there');
      forgive(/401|409/);
      expect(troubles).toEqual([]);
    }));

  it('U-03 the title of a new note and a new name are still there after signing in again', async () =>
    withWindow(await site(), async ({ page, server, troubles, forgive }) => {
      await signIn(page, `${server.url}/note/named.md`, TOKEN);
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByLabel('Title', { exact: true }).fill('half a na');
      await page.keyboard.press('Escape');
      await page.keyboard.press('c');
      await page.getByLabel('Title, with a folder').fill('half a ti');
      // The button is behind the dialog, so another tab signs out.
      const tab = await page.context().newPage();
      await tab.goto(server.url);
      await signOut(tab);
      await enter(page, TOKEN);
      await page.getByLabel('Title, with a folder').waitFor();
      expect(await page.getByLabel('Title, with a folder').inputValue()).toBe('half a ti');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Rename' }).click();
      expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('half a na');
      forgive(/401/);
      expect(troubles).toEqual([]);
    }));

  it('U-10 a token for some folders is told of them where it would write elsewhere, and makes a note from a link inside', () =>
    withBrowser({ 'in/a.md': '[[wanted]]\n', 'out/b.md': '[[wanted]] [[a]]\n' }, async ({ page, vault, server, forgive, troubles }) => {
      await signIn(page, `${server.url}/note/in/a.md`, addToken(vault, 'dora', ['in']));
      await page.getByRole('button', { name: 'Move', exact: true }).click();
      await page.getByLabel('Folder; empty is the top').fill('out');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.form-problem:has-text("Your token is only for in.")');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'wanted' }).click();
      await page.waitForSelector('.empty:has-text("One note links to it")');
      await page.getByRole('button', { name: 'Create this note' }).click();
      await page.waitForSelector('.cm-content');
      expect(vault.files()).toEqual(['in/a.md', 'in/wanted.md', 'out/b.md']);
      forgive(/401|403/);
      expect(troubles).toEqual([]);
    }));

  it('O-03 where the server writes in some folders only, the owner is told so, and not that another token would do', () =>
    withBrowser(
      { 'in/a.md': 'a\n', 'out/b.md': 'links [[a]]\n' },
      async ({ page, vault, open, forgive, troubles }) => {
        const refused = 'would be written, but this server writes only in in (--write-folders';
        await open('/note/in/a.md');
        await page.getByRole('button', { name: 'Rename', exact: true }).click();
        await page.getByLabel('Title', { exact: true }).fill('another');
        await page.keyboard.press('Enter');
        await page.waitForSelector(`.form-problem:has-text("out/b.md ${refused}")`);
        await open('/note/out/b.md');
        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        await page.locator('.cm-content').fill('typed');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.waitForSelector(`text=Not saved: out/b.md ${refused}`);
        expect(await page.locator('.cm-content').innerText()).toContain('typed');
        expect(vault.read('out/b.md')).toBe('links [[a]]\n');
        forgive(/403/);
        expect(troubles).toEqual([]);
      },
      { flags: ['--write-folders', 'in'] },
    ));
});

function addToken(vault: TestVault, name: string, folders: readonly string[] = []): string {
  const limits = folders.length === 0 ? [] : ['--folders', folders.join(',')];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'token', 'add', name, '--scope', 'write', ...limits, '--vault', vault.root],
    { encoding: 'utf8', env: testEnvironment({}) },
  );
  const [token] = /^ {2}[\w-]{40,}$/m.exec(stdout) ?? [];
  if (token === undefined) throw new Error(`No token: ${stdout} ${stderr}`);
  return token.trim();
}

async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(url);
  await enter(page, token);
}

async function enter(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForSelector('.sign-in');
}

async function editKind(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit kind' }).click();
  await page.getByLabel('Value of kind').fill(text);
}

async function expectTyped(page: Page, text: string): Promise<void> {
  await page.getByLabel('Value of kind').waitFor();
  expect(await page.getByLabel('Value of kind').inputValue()).toBe(text);
}
