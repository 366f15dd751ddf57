import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { FrameLocator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { seriousFindings } from '../support/browser/accessibility.ts';
import { chromiumPath, openBrowser } from '../support/browser/chromium.ts';
import { withServer } from '../support/program/mcp-server.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';
import { ATTACKS } from './hostile.ts';

const ALL = { message: {}, serverTools: {} };

interface AppTest {
  readonly page: Page;
  readonly app: FrameLocator;
  /** Tells the app what a tool was asked and answered. */
  readonly show: (args: object, answer: unknown, isError?: boolean) => Promise<void>;
  /** A value of the host, as `host.messages`. */
  readonly told: <T>(expression: string) => Promise<T>;
  readonly troubles: string[];
}

let hostScript = '';

/** Runs with the app in a page that is its host, by the official bridge. Whatever it asks of the network is a trouble. */
async function withApp(
  run: (test: AppTest) => Promise<void>,
  { theme = 'light', width = 700, capabilities = ALL }: { theme?: 'light' | 'dark'; width?: number; capabilities?: object } = {},
): Promise<void> {
  const html = readFileSync(join(repositoryRoot, 'dist/page/graph-app.html'), 'utf8');
  const context = await (await openBrowser()).newContext({ viewport: { width, height: 700 }, colorScheme: theme });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('request', (request) => {
    if (!/^(about|data|https:\/\/host\.test\/$)/.test(request.url())) troubles.push(`request: ${request.url()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && troubles.push(`console: ${message.text()}`));
  page.on('dialog', (dialog) => (troubles.push(`dialog: ${dialog.message()}`), void dialog.dismiss()));
  try {
    await page.route('https://host.test/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang="en"><title>Host</title><body></body></html>' }),
    );
    await page.goto('https://host.test/');
    await page.evaluate(hostScript);
    await page.evaluate(`host.open(${JSON.stringify(html)}, ${JSON.stringify({ theme, capabilities })})`);
    await run({
      page,
      app: page.frameLocator('iframe'),
      show: async (args, answer, isError = false) =>
        void (await page.evaluate(`host.send(${JSON.stringify(args)}, ${JSON.stringify(JSON.stringify(answer))}, ${isError})`)),
      told: (expression) => page.evaluate(expression),
      troubles,
    });
  } finally {
    await context.close();
  }
}

describe.skipIf(chromiumPath === null)('the graph inside a conversation', () => {
  beforeAll(() => {
    const { outputFiles } = buildSync({
      entryPoints: [join(repositoryRoot, 'test/page/mcp-app-host.ts')],
      bundle: true,
      write: false,
      format: 'iife',
      logLevel: 'error',
    });
    hostScript = outputFiles[0]?.text ?? '';
  });
  it('draws what get_neighbors, find_path and graph_open of a vault answer, in both themes, and tells how large it is', async () => {
    const answers = await withVault('demo', (vault) =>
      withServer(vault, async ({ ask }) => ({
        neighbors: await ask('get_neighbors', { id: 'Compost' }),
        path: await ask('find_path', { source: 'Compost', target: 'Costs' }),
        projects: await ask('graph_open'),
        project: await ask('graph_open', { project: 'greenhouse-roof' }),
        none: await ask('get_neighbors', { id: 'Writing style' }),
      })),
    );
    for (const theme of ['light', 'dark'] as const)
      await withApp(
        async ({ page, app, show, told, troubles }) => {
          await show({ id: 'Compost' }, answers.neighbors);
          await app.locator('g.node.center', { hasText: 'Compost' }).waitFor();
          expect(await app.locator('g.node').count()).toBe(answers.neighbors.length + 1);
          expect(await app.locator('path.link').count()).toBeGreaterThanOrEqual(answers.neighbors.length);
          expect(await page.frames()[1]?.evaluate(`document.documentElement.dataset.theme`)).toBe(theme);
          expect(await seriousFindings(page)).toEqual([]);
          await screenshot(page, `app-neighbors-${theme}`);
          const sizes = await told<{ height: number }[]>('host.sizes');
          expect(sizes.at(-1)?.height).toBeGreaterThan(150);
          await show({ source: 'Compost', target: 'Costs' }, answers.path);
          await app.locator('g.node', { hasText: 'Watering rota' }).waitFor();
          expect(await app.locator('g.node').count()).toBe(answers.path.path.length);
          await show({}, answers.projects);
          await app.locator('g.node.open', { hasText: '1 of 8 done' }).waitFor();
          await show({ project: 'greenhouse-roof' }, answers.project);
          await app.locator('g.node.center', { hasText: 'greenhouse roof' }).waitFor();
          await show({ id: 'Writing style' }, answers.none);
          await app.locator('#bar', { hasText: 'It has no links.' }).waitFor();
          expect(troubles).toEqual([]);
        },
        { theme },
      );
  });

  it('a node that is chosen, by pointer or by key, can be asked about or gone on from, through the host alone', async () => {
    await withApp(async ({ page, app, show, told, troubles }) => {
      await told(`host.answers.get_neighbors = '[{"id":"c.md","title":"Sea","links":[],"direction":"in"}]'`);
      await show({ id: 'a' }, [{ id: 'b.md', title: 'Bee', links: [], direction: 'out' }]);
      await app.locator('g.node', { hasText: 'Bee' }).focus();
      await page.keyboard.press('Enter');
      await app.getByRole('button', { name: 'Ask about it' }).click();
      const messages = async (): Promise<unknown> => told('host.messages');
      await waitFor(async () => ((await messages()) as readonly unknown[]).length > 0, { what: 'the message to the host' });
      expect(await messages()).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'Read the note "b.md" with get_node and tell me about it.' }] },
      ]);
      await app.getByRole('button', { name: 'Its links' }).click();
      await app.locator('g.node', { hasText: 'Sea' }).waitFor();
      expect(await told('host.calls')).toEqual([{ name: 'get_neighbors', args: { id: 'b.md', include_content: false } }]);
      expect(await app.locator('g.node.center').textContent()).toContain('b');
      await page.evaluate(`host.context({ theme: 'dark' })`);
      await app.locator(':root[data-theme="dark"]').waitFor({ state: 'attached' });
      expect(troubles).toEqual([]);
    });
    // A host that takes neither: it is shown, and nothing is offered.
    await withApp(
      async ({ app, show, troubles }) => {
        await show({ id: 'a' }, [{ id: 'b.md', title: 'Bee', links: [], direction: 'out' }]);
        await app.locator('g.node', { hasText: 'Bee' }).click();
        await app.locator('#bar', { hasText: 'Bee' }).waitFor();
        expect(await app.locator('button').count()).toBe(0);
        expect(troubles).toEqual([]);
      },
      { capabilities: {} },
    );
  });

  it('of a project the tasks are asked for, where the host lets it', async () => {
    const { project, context } = await withVault('demo', (vault) =>
      withServer(vault, async ({ ask }) => {
        const opened = await ask('graph_open', { project: 'greenhouse-roof' });
        return { project: opened, context: await ask('graph_context', { node_id: opened.root.id }) };
      }),
    );
    await withApp(async ({ page, app, show, told, troubles }) => {
      await told(`host.answers.graph_context = ${JSON.stringify(JSON.stringify(context))}`);
      await show({ project: 'greenhouse-roof' }, project);
      await app.locator('g.node.done', { hasText: 'Measure the panes' }).waitFor();
      expect(await app.locator('g.node').count()).toBe(8);
      expect(await told('host.calls')).toEqual([{ name: 'graph_context', args: { node_id: project.root.id } }]);
      await screenshot(page, 'app-project');
      expect(troubles).toEqual([]);
    });
  });

  it('V-13 hostile titles and answers are text: nothing runs, nothing is asked for', async () => {
    for (const width of [700, 320])
      await withApp(
        async ({ page, app, show, troubles }) => {
          const hostile = ATTACKS.map((text, at) => ({
            id: `${text}.md`,
            title: text,
            links: [{ id: '__proto__', title: text }],
            direction: at % 2 === 0 ? 'in' : 'out',
          }));
          await show({ id: ATTACKS[0] }, hostile);
          await app.locator('g.node').nth(5).click({ force: true });
          expect(await app.locator('g.node').count()).toBe(Math.min(48, ATTACKS.length + 1));
          expect(await app.locator('img, iframe, script[src], a, style:not(head style)').count()).toBe(0);
          for (const odd of [
            null,
            1,
            'text',
            {},
            { path: [1, {}] },
            { projects: [null, 3] },
            { root: {} },
            { node: {}, children: { children: [{}] } },
            [{}, null, 'x'],
          ])
            await show({ id: 'a' }, odd);
          await show({ id: 'a' }, { error: { code: 'NODE_NOT_FOUND', message: '<img src=x onerror=alert(1)>' } }, true);
          await app.locator('#bar', { hasText: '<img src=x' }).waitFor();
          await page.evaluate(`document.querySelector('iframe').contentWindow.postMessage('nonsense', '*')`);
          expect(await page.frames()[1]?.evaluate(`typeof hacked`)).toBe('undefined');
          expect(troubles).toEqual([]);
        },
        { width },
      );
  });
});

async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['ROUX_SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}
