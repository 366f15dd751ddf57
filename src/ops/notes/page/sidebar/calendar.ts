import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import { isRecord } from '../../../../is-record.ts';
import type { GraphView } from '../../../../graph/view.ts';
import { dayOf } from '../../../../note/freshness.ts';
import { findPeriodicNote } from '../../../../vault/obsidian/periodic-notes.ts';
import type { PeriodicContext } from '../../../../vault/obsidian/periodic-notes.ts';
import type { ObsidianFile, ObsidianSettings } from '../../../../vault/obsidian/settings-file.ts';
import { defineOperation } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';

/** The note of a day: where it is, or where the vault's settings would put it. */
export interface DayNote {
  /** `2026-11-29` */
  readonly day: string;
  readonly path: string;
  readonly is_there: boolean;
}

/** Returns the daily notes of a month. */
export const calendarMonth = defineOperation({
  name: 'calendar_month',
  toolset: null,
  title: 'A month of daily notes',
  summary: 'For each day of a month the path of its daily note, by the settings of the vault, and whether there is one.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input: z.strictObject({ month: z.iso.date().optional().describe('A day of the month; default: today') }),
  async run(context, { month }) {
    const { vault } = context;
    await vault.refresh('changed');
    const periodic = periodicContext(context);
    const today = dayOf(periodic.now);
    const first = `${(month ?? today).slice(0, 7)}-01`;
    try {
      const days: DayNote[] = [];
      for (const day of daysFrom(first)) days.push(await findDay(vault.graph, periodic, day));
      const hasNotes = days.some(({ is_there: isThere }) => isThere);
      return { month: first.slice(0, 7), today, days, has_daily_notes: hasNotes || hasDailySettings(context), problem: null };
    } catch (error) {
      if (!(error instanceof RouxError)) throw error;
      return { month: first.slice(0, 7), today, days: [], has_daily_notes: true, problem: error.message };
    }
  },
});

/** Returns today's note if the vault has daily notes, or if there is one; null otherwise. */
export async function findToday(context: OperationContext): Promise<DayNote | null> {
  const periodic = periodicContext(context);
  try {
    const note = await findDay(context.vault.graph, periodic, dayOf(periodic.now));
    return note.is_there || hasDailySettings(context) ? note : null;
  } catch (error) {
    // Settings that make no path of a date. The calendar tells.
    if (error instanceof RouxError) return null;
    throw error;
  }
}

async function findDay(graph: GraphView, periodic: PeriodicContext, day: string): Promise<DayNote> {
  const path = (await findPeriodicNote(periodic, `@${day}`))?.path ?? '';
  return { day, path, is_there: graph.get(path) !== null };
}

/** Reads each settings file once, not once for each day. */
function periodicContext({ vault, config }: OperationContext): PeriodicContext {
  const read = new Map<ObsidianFile, ObsidianSettings>();
  const obsidian = (file: ObsidianFile): ObsidianSettings => {
    const settings = read.get(file) ?? vault.settings.obsidian(file);
    read.set(file, settings);
    return settings;
  };
  return { config, now: vault.ports.clock.now(), obsidian };
}

/** Returns whether somebody has set up daily notes, in Obsidian or in roux. */
function hasDailySettings({ vault, config }: OperationContext): boolean {
  const plugin = vault.settings.obsidian('plugins/periodic-notes/data.json')['daily'];
  return (
    Object.keys(config.periodic.daily).length > 0 ||
    (isRecord(plugin) && plugin['enabled'] === true) ||
    Object.keys(vault.settings.obsidian('daily-notes.json')).length > 0
  );
}

function daysFrom(first: string): readonly string[] {
  const [year = 0, month = 0] = first.split('-').map(Number);
  const count = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Array.from({ length: count }, (_, at) => `${first.slice(0, 8)}${String(at + 1).padStart(2, '0')}`);
}
