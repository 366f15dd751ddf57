import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser/chromium.ts';
import { withBrowser } from '../support/browser/with-browser.ts';
import { makePdf } from '../support/pdf/make-pdf.ts';
import { waitFor } from '../support/wait-for.ts';

describe.skipIf(chromiumPath === null)('PDFs on the page', () => {
  it('R-09 a hit opens at its page in the viewer of the browser, or is saved under its name where there is none', () =>
    withBrowser(
      { 'a.md': 'A note.\n', 'papers/rocks.pdf': makePdf(['Sandstone is soft.', 'Chapter two', 'Granite is an igneous rock.']) },
      async ({ page, open, troubles }) => {
        const hit = page.locator('a.hit', { hasText: 'rocks.pdf' });
        await waitFor(
          async () => {
            await open('/search?q=igneous');
            return hit.waitFor({ timeout: 1_000 }).then(
              () => true,
              () => false,
            );
          },
          { what: 'the page of the PDF among the hits' },
        );
        expect(await hit.textContent()).toContain('page 3');
        const opened = async (): Promise<string> => {
          const [tab] = await Promise.all([page.context().waitForEvent('page'), hit.click()]);
          return waitFor(() => /^blob:.*(#page=3)$/.exec(tab.url())?.[1], { what: 'the viewer' });
        };
        const saved = async (): Promise<string> => {
          const [file] = await Promise.all([page.waitForEvent('download'), hit.click()]);
          return file.suggestedFilename();
        };
        const hasViewer = (await page.evaluate('navigator.pdfViewerEnabled')) === true;
        expect(hasViewer ? await opened() : await saved()).toBe(hasViewer ? '#page=3' : 'rocks.pdf');
        expect(troubles).toEqual([]);
      },
    ));
});
