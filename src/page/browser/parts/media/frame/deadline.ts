import { TOO_LONG } from './messages.ts';

/**
 * A limit of time that holds where nobody else could enforce it: many browsers run the frame in the thread of the page, which then waits for a
 * diagram of one line with a million bits, days or columns. What the loops of mermaid call throws once the time is over.
 */

let deadline = Number.POSITIVE_INFINITY;

/** Sets the time for what is drawn from now on, in milliseconds. */
export function startTime(ms: number): void {
  deadline = performance.now() + ms;
}

export function endTime(): void {
  deadline = Number.POSITIVE_INFINITY;
}

function check(): void {
  if (performance.now() > deadline) throw new Error(TOO_LONG);
}

/** Wraps methods that are called often while a diagram is read, laid out and drawn. */
export function watchBuiltins(): void {
  watch(Map.prototype, ['get', 'has', 'set']);
  watch(Set.prototype, ['has', 'add']);
  watch(Array.prototype, ['push', 'concat', 'map', 'forEach', 'filter', 'slice']);
  watch(RegExp.prototype, ['exec']);
  watch(Element.prototype, ['setAttribute']);
  watch(Node.prototype, ['appendChild', 'insertBefore']);
  watch(Document.prototype, ['createElement', 'createElementNS']);
  globalThis.Date = new Proxy(Date, {
    construct(target, args: unknown[], newTarget) {
      check();
      return Reflect.construct(target, args, newTarget) as Date;
    },
  });
}

function watch<T extends object>(owner: T, names: readonly (keyof T & string)[]): void {
  for (const name of names) {
    const method = owner[name] as (this: unknown, ...args: unknown[]) => unknown;
    Object.defineProperty(owner, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...args: unknown[]): unknown {
        check();
        return method.apply(this, args);
      },
    });
  }
}
