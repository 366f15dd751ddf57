import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on the page as it is now that is serious or critical by the rules of WCAG 2.2 AA, a line each. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // What fades in has less contrast for a moment.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(`for (const animation of document.getAnimations())
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish()`);
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(axeSource);
  const violations = (await page.evaluate(`axe
    .run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      // What passed is many times as much.
      resultTypes: ['violations'],
    })
    .then((results) => results.violations)`)) as readonly Violation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`),
    );
}
