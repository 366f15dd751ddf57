import type { FunctionComponent } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import type { Address } from '../router.ts';

/** What shows an address. Lives as long as the address stays with the view. */
export type ViewComponent = FunctionComponent<{ readonly address: Address }>;

/** One view of the page. Its state is in its address, so that a reload, a bookmark and the way back show the same. */
export interface View {
  readonly name: string;
  readonly title: string;
  /** The letter after `g` that opens it. */
  readonly key: string;
  readonly icon: IconName;
  /** Its address, and the beginning of all below it. */
  readonly home: string;
  /** Whether it is in the navigation. */
  readonly isListed: boolean;
  matches(path: string): boolean;
  /** Loads it when it is first opened. */
  load(): Promise<ViewComponent>;
}
