import { callOperation } from '../../../api.ts';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { inTurn, quote, reportDone, reportRefused } from '../acts/outcome.ts';
import type { Checkbox } from './shapes.ts';

/** What became of the texts that were ticked in: the etag of each by that of the text before. */
const nextEtags = new Map<string, string>();

/** Ticks a checkbox, or takes the tick away. Returns whether it was done. */
export function tick({ path, line, mark, etag: shown, text, repeats }: Checkbox, isDone: boolean): Promise<boolean> {
  return inTurn(async () => {
    let etag = shown;
    for (let next = nextEtags.get(etag); next !== undefined && next !== shown; next = nextEtags.get(etag)) etag = next;
    try {
      const ticked = await callOperation('tick_checkbox', { path, line, mark, is_done: isDone, if_match: etag });
      if (ticked.was === etag && ticked.etag !== etag) nextEtags.set(etag, ticked.etag);
      const summary = quote(text);
      const next =
        isDone && repeats !== undefined ? ` It repeats (${repeats}), but the next one was not created: tick it in Obsidian for that.` : '';
      reportDone(`${summary} is ${isDone ? 'done' : 'open again'}.${next}`, {
        summary,
        batches: ticked.batch === null ? [] : [ticked.batch],
      });
      return true;
    } catch (error) {
      reportRefused(describeFailedChange(error, true));
      return false;
    }
  });
}
