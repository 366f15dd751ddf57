import type { Address } from '../../router.ts';
import { BasesPage } from './bases-page.tsx';

/** Shows a file of the vault that is no note: a base. */
export function FileView({ address }: { readonly address: Address }) {
  const path = address.path.replace(/^\/note\//, '');
  return <BasesPage key={path} path={path} />;
}
