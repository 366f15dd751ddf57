import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser/chromium.ts';
import { withBrowser } from '../support/browser/with-browser.ts';
import { waitFor } from '../support/wait-for.ts';

/** Texts that would do something if any of them became markup, an address or a style. */
const TEXTS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "'-alert(1)-'",
  'javascript:alert(1)',
  '</textarea><iframe srcdoc="<script>alert(1)</script>">',
  '{{constructor.constructor("alert(1)")()}}',
  '\u202Eevil\u202C \u2028',
  '<style>*{display:none}</style><a href=javascript:alert(1)>x</a>',
  '__proto__',
  'constructor',
] as const;
const ALL = TEXTS.join(' ');

/** What no text may have become. */
const MADE = `[...document.querySelectorAll('main img, main iframe, main object, main script, main style, main form[action], dialog img, dialog iframe, dialog script, dialog style, svg[onload], [onerror], [onclick], a[href^="javascript" i], a[href^="data" i]')].map((found) => found.outerHTML)`;

describe.skipIf(chromiumPath === null)('what hostile agents write', () => {
  it('V-13 names, titles, reasons, evidence, observations, facts and changed lines are shown as they are, and do nothing', async () => {
    await withBrowser(
      {
        '.rouxrc.json': '{"knowledge":{"single":["<b>REL</b>"]}}',
        'notes/plain.md': `before ${ALL}\n`,
        'notes/"><img src=x onerror=alert(1)>.md': 'x\n',
      },
      async ({ page, open, until, server, vault, troubles, forgive }) => {
        const evil = await server.agent(TEXTS[1]);
        await evil.ask('graph_open', { project: 'Prøject', goal: ALL });
        const { created } = await evil.ask('graph_plan', {
          nodes: TEXTS.map((text, at) => ({
            ref: `n${at}`,
            summary: `${text} ${at}`,
            ...(at === 0 ? {} : { depends_on: ['n0'] }),
            properties: { [`key ${text.replaceAll('\u2028', '')}`]: ALL },
          })),
        });
        const [first, second] = created.map(({ id }: { id: string }) => id);
        await evil.ask('graph_update', {
          updates: [
            {
              node_id: second,
              blocked_reason: ALL,
              state: { toString: ALL },
              // No entity is called so: what names a note links to it.
              add_context_links: ['javascript:alert(2)', '[[plain]]', 'https://evil.example/<script>'],
              add_evidence: ['javascript:alert(2)', 'data:text/html,<script>alert(2)</script>', ...TEXTS].map((text) => ({
                type: text,
                ref: text,
              })),
            },
          ],
        });
        await evil.ask('graph_next', { claim: true });
        await evil.ask('create_entities', {
          entities: TEXTS.map((text) => ({
            name: text,
            entityType: text,
            observations: [ALL],
          })),
        });
        await evil.ask('create_relations', {
          relations: [{ from: TEXTS[0], to: TEXTS[1], relationType: '<b onclick=alert(1)>rel</b>' }],
        });
        const extraction = {
          nodes: [
            { tmp_ref: 'a', name: TEXTS[0] },
            { tmp_ref: 'b', name: TEXTS[1] },
          ],
          edges: [{ name: 'REL', fact: ALL, source_ref: 'a', target_ref: 'b' }],
        };
        const item = {
          source: 'text',
          name: TEXTS[2],
          body: ALL,
          reference_time: '2026-01-01T00:00:00.000Z',
          source_description: TEXTS[1],
          extraction,
        };
        await evil.ask('kg_add_episodes', { input: { group_id: 'evil', items: [item] } });
        await evil.ask('update_node', { id: 'notes/plain.md', content: `after ${ALL.split(' ').toReversed().join(' ')}\n` });
        vault.write('notes/"><img src=x onerror=alert(1)>.md', `${ALL}\n`);
        await waitFor(async () => (await server.page('fact_timeline')).timeline?.total === 1);

        const isHarmless = async (what: string): Promise<void> => {
          expect(await page.evaluate(MADE), what).toEqual([]);
          expect(await page.evaluate(`Object.keys(Object.prototype)`)).toEqual([]);
          expect(troubles, what).toEqual([]);
        };
        for (const view of ['', '&view=tree', '&view=dependencies']) {
          for (const task of [first, second]) {
            await open(`/tasks?task=${task}${view}`);
            await page.waitForSelector('.detail h2');
            await isHarmless(`task ${view}`);
          }
        }
        expect(await page.textContent('.detail-evidence')).toContain('<script>alert(1)</script>');
        await open(`/tasks?task=${first}`);
        await page.getByRole('button', { name: 'Resolve…' }).click();
        await page.waitForSelector('dialog[open]');
        // What resolving does is asked for when the dialog opens.
        await page.locator('dialog').getByText('"><svg onload=alert(1)> 2').first().waitFor();
        await isHarmless('resolve');
        await page.keyboard.press('Escape');
        for (const hostile of [
          `/tasks?task=${encodeURIComponent(ALL)}`,
          `/tasks/${encodeURIComponent(TEXTS[0])}`,
          `/memory?type=${encodeURIComponent(TEXTS[1])}&q=`,
        ]) {
          await page.goto(server.url + hostile);
          await until(`document.querySelector('main .failure, main .empty, main .entities') !== null`);
          expect(await page.evaluate(MADE), hostile).toEqual([]);
        }
        // What is not there is told by the server, which the console tells too.
        forgive(/40[04]/);
        await open('/memory');
        await page.waitForSelector('.entities a');
        expect(await page.locator('.entities a').count()).toBe(TEXTS.length);
        await page.locator('.entities a', { hasText: '<script>' }).first().click();
        await page.waitForSelector('.detail .observations');
        await isHarmless('memory');
        await open('/knowledge');
        await page.locator('.fact a').click();
        await page.waitForSelector('.episode blockquote');
        expect(await page.textContent('.episode blockquote')).toContain('<script>alert(1)</script>');
        await isHarmless('knowledge');
        await open('/activity');
        await page.waitForSelector('.entry');
        const closed = page.getByRole('button', { name: 'Show changes' });
        while ((await closed.count()) > 0) {
          await closed.first().click();
          await until(`document.querySelector('.changes .loading') === null`);
        }
        await page.waitForSelector('.diff');
        await isHarmless('activity');
        await page.locator('.entry', { hasText: 'edited' }).getByRole('button', { name: 'Undo…' }).first().click();
        await page.waitForSelector('dialog[open] .diff');
        await isHarmless('undo');
      },
    );
  });
});
