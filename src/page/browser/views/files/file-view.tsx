import type { Address } from '../../router.ts';
import { BasesPage } from './bases-page.tsx';
import { CanvasPage } from './canvas-page.tsx';

/** Shows a file of the vault that is no note: a base or a canvas. */
export function FileView({ address }: { readonly address: Address }) {
  const path = address.path.replace(/^\/note\//, '');
  return /\.canvas$/i.test(path) ? <CanvasPage key={path} path={path} /> : <BasesPage key={path} path={path} />;
}
