import { DURATION_FIELDS, durationMs } from '../dates.ts';
import type { Duration } from '../values.ts';
import { defineMembers, wholeNumber } from './method.ts';

/** More decimals than a number has. */
const MAX_DIGITS = 20;

export const numberMembers = defineMembers<number>({
  methods: {
    abs: (_run, self) => Math.abs(self),
    ceil: (_run, self) => Math.ceil(self),
    floor: (_run, self) => Math.floor(self),
    isEmpty: (_run, self) => Number.isNaN(self),
    round(_run, self, [digits = null]) {
      const count = Math.max(0, Math.min(MAX_DIGITS, wholeNumber(digits) ?? 0));
      if (count === 0) return Math.round(self);
      // Shifts the decimal text, since 1.005 * 100 is slightly less than 100.5.
      const rounded = Number(`${Math.round(Number(`${self}e${count}`))}e-${count}`);
      return Number.isNaN(rounded) ? self : rounded;
    },
    toFixed: (_run, self, [digits = null]) => self.toFixed(Math.max(0, Math.min(MAX_DIGITS, wholeNumber(digits) ?? 0))),
  },
});

/** The members of durations: the total in each unit. */
export const durationMembers = defineMembers<Duration>({
  fields: Object.fromEntries(
    [...DURATION_FIELDS].map(([name, ms]) => [
      name,
      (_run: unknown, self: Duration) => (name === 'months' && self.ms === 0 ? self.months : durationMs(self) / ms),
    ]),
  ),
  methods: {
    isEmpty: (_run, self) => durationMs(self) === 0,
    abs: (_run, self) => Math.abs(durationMs(self)),
    round: (_run, self) => Math.round(durationMs(self)),
    floor: (_run, self) => Math.floor(durationMs(self)),
    ceil: (_run, self) => Math.ceil(durationMs(self)),
  },
});
