import type { Ports } from '../ports.ts';
import type { StoreListener } from './folder-store.ts';
import type { Recovery } from './transaction/recover.ts';
import { DOCTOR_SHOWS } from './transaction/set-aside.ts';

/** Reports shown at once: the number is otherwise up to whoever shipped the journal. */
const MAX_REPORTS = 20;

/** Passes on what happens in a store between calls: to the log, and to the listener once there is one. */
export class StoreReports {
  listener: Partial<StoreListener> = {};
  readonly #log: Ports['log'];

  constructor({ log }: Pick<Ports, 'log'>) {
    this.#log = log;
  }

  report(all: readonly string[]): void {
    const more = all.length - MAX_REPORTS;
    const messages = more > 0 ? [...all.slice(0, MAX_REPORTS), `… and ${more} more like these; ${DOCTOR_SHOWS} them.`] : all;
    for (const message of messages) {
      this.#log.warn(message);
      this.listener.onReport?.(message);
    }
  }

  reportRecovery({ notices, reports }: Recovery): void {
    for (const notice of notices) this.#log.warn(notice);
    this.report(reports);
  }
}
