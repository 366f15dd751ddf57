import moment from 'moment';
import { startOfDay, timeText } from '../dates.ts';
import { toText } from '../texts.ts';
import type { DateValue } from '../values.ts';
import { defineMembers } from './method.ts';

/** Longer than useful formats. The output can be ten times as long. */
const MAX_FORMAT_CHARACTERS = 200;

/** The members of dates. Formats are Moment's, as in Obsidian. */
export const dateMembers = defineMembers<DateValue>({
  fields: {
    year: (_run, { ms }) => new Date(ms).getFullYear(),
    month: (_run, { ms }) => new Date(ms).getMonth() + 1,
    day: (_run, { ms }) => new Date(ms).getDate(),
    hour: (_run, { ms }) => new Date(ms).getHours(),
    minute: (_run, { ms }) => new Date(ms).getMinutes(),
    second: (_run, { ms }) => new Date(ms).getSeconds(),
    millisecond: (_run, { ms }) => new Date(ms).getMilliseconds(),
  },
  methods: {
    date: (_run, { ms }) => startOfDay(ms),
    format(run, { ms }, [format = null]) {
      const text = toText(run, format);
      run.charge(1 + text.length);
      return moment(ms).locale('en').format(text.slice(0, MAX_FORMAT_CHARACTERS));
    },
    time: (_run, { ms }) => timeText(ms),
    relative: (run, { ms }) => moment(ms).locale('en').from(run.source.now),
    isEmpty: () => false,
  },
});
