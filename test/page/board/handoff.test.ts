import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';

describe.skipIf(chromiumPath === null)('what a task on the board tells', () => {
  it('T-04, T-06 its handoff and its acceptance criteria, in words of people, as they are now', async () => {
    await withBrowser({}, async (test) => {
      const { page, open, server, vault, troubles } = test;
      const ada = await server.agent('ada');
      await ada.ask('graph_open', { project: 'shed' });
      const nodes = [{ ref: 'a', summary: 'The door works', criteria: ['It closes without a sound', 'It is <b>blue</b>'] }];
      const id = (await ada.ask('graph_plan', { nodes })).created[0].id;
      await ada.ask('graph_update', { updates: [{ node_id: id, criteria: { 'It closes without a sound': 'test: npm run door' } }] });
      await ada.ask('graph_handoff', {
        node_id: id,
        done: 'Primed twice',
        left: 'The handle side\nThe lock',
        decisions: 'Oil paint, since the wall is damp',
        pitfalls: 'The ladder wobbles',
        evidence: 'commit abc123',
      });
      await open(`/tasks?task=${id}`);
      await page.waitForSelector('.detail-handoff');
      const said = async (): Promise<string> => (await page.textContent('.detail')) ?? '';
      for (const text of [
        'Acceptance criteria (1 of 2 met)',
        'It is <b>blue</b>',
        'test: npm run door',
        'Nobody has taken it yet',
        'Still to do',
        'The lock',
      ])
        expect(await said()).toContain(text);
      const bob = await server.agent('bob');
      vault.write('projects/shed/the-door-works.md', vault.read('projects/shed/the-door-works.md').replace('- [ ]', '- [x]'));
      await bob.ask('graph_next', { claim: true });
      await page.getByText('2 of 2 met').waitFor();
      await page.locator('.detail-handoff', { hasText: 'taken by' }).waitFor();
      expect(await said()).not.toMatch(/_handoff|\{/);
      expect(await said()).toContain('ada handed over');
      expect(await seriousFindings(page)).toEqual([]);
      expect(troubles).toEqual([]);
    });
  });
});
