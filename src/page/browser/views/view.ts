import type { FunctionComponent } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import type { Address } from '../router.ts';

/** The component of a view. It stays mounted while the address belongs to the view. */
export type ViewComponent = FunctionComponent<{ readonly address: Address }>;

/** A view of the page. Its state is in the address, so that reload, bookmarks and the back button restore it. */
export interface View {
  readonly name: string;
  readonly title: string;
  /** The letter after `g` that opens it; empty for a view that other views lead to. */
  readonly key: string;
  readonly icon: IconName;
  /** The address of the view. */
  readonly home: string;
  /** Whether the navigation lists the view. */
  readonly isListed: boolean;
  matches(path: string): boolean;
  /** Loads the component when the view is first opened. */
  load(): Promise<ViewComponent>;
}
