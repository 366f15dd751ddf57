import type { BrowserTest } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A project in which `Dig` blocks `Pour` and `Fence`, and `Lamp` is part of `Inside`. Returns the ids by summary. */
export async function planShed({ server }: Pick<BrowserTest, 'server'>): Promise<(summary: string) => string> {
  const ada = await server.agent('ada');
  await ada.ask('graph_open', { project: 'shed' });
  const nodes = [
    { ref: 'Dig', summary: 'Dig', properties: { priority: 2 } },
    { ref: 'Pour', summary: 'Pour', depends_on: ['Dig'] },
    { ref: 'Fence', summary: 'Fence', depends_on: ['Dig'] },
    { ref: 'Inside', summary: 'Inside' },
    { ref: 'Lamp', summary: 'Lamp', parent_ref: 'Inside' },
    { ref: 'Paint', summary: 'Paint' },
  ];
  const { created } = await ada.ask('graph_plan', { nodes });
  return (summary) => (created as { ref: string; id: string }[]).find(({ ref }) => ref === summary)?.id ?? '';
}

/** Opens the board of a shed (`planShed`), where the agent `ada` is connected. */
export async function openShed(test: Pick<BrowserTest, 'server' | 'page' | 'open'>) {
  const id = await planShed(test);
  const ada = await test.server.agent('ada');
  await test.open('/tasks');
  await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
  return { id, ada };
}

/** The summaries of the cards in a column, from top to bottom. */
async function cardsIn({ page }: Pick<BrowserTest, 'page'>, column: string): Promise<readonly string[]> {
  return page.locator(`.column-${column} .card-title`).allTextContents();
}

/** Waits until the page says this about what was done last. */
export async function untilSaid({ page }: Pick<BrowserTest, 'page'>, text: string | RegExp): Promise<void> {
  await page.locator('.toast', { hasText: text }).waitFor();
}

/** Waits until a column has these cards. */
export async function untilColumn(test: Pick<BrowserTest, 'page'>, column: string, cards: readonly string[]): Promise<void> {
  await waitFor(async () => JSON.stringify(await cardsIn(test, column)) === JSON.stringify(cards), {
    what: `${column}: ${cards.join(', ')}`,
  });
}
