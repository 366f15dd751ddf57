import type { Page } from 'playwright-core';

/** Types at the end of the text of the open editor. */
export async function typeAtEnd(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}
