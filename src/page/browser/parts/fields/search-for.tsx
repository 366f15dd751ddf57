import { navigate, searchAddress } from '../../router.ts';

/** A field that searches the whole vault, for pages that have nothing else to show. `text`: what it holds at first. */
export function SearchFor({ text }: { readonly text: string }) {
  const search = (event: Event): void => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('q') as HTMLInputElement;
    navigate(searchAddress(field.value));
  };
  return (
    <form class="search-for" role="search" onSubmit={search}>
      <input name="q" type="search" aria-label="Search all notes" defaultValue={text} autocomplete="off" />
      <button type="submit">Search</button>
    </form>
  );
}
