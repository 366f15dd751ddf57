/** URLs of files in memory, by the elements that show them. */
const urls = new Map<Element, string>();

/** Shows a file in an element. Its URL is valid as long as the element is on the page: players and the viewer ask for it again. */
export function showBlob(element: HTMLImageElement | HTMLMediaElement, blob: Blob): void {
  const before = urls.get(element);
  if (before !== undefined) URL.revokeObjectURL(before);
  const url = URL.createObjectURL(blob);
  urls.set(element, url);
  element.src = url;
}

/** Shows a file of the vault. Drawings without a ground of their own are made for white paper, so they are marked for the dark theme. */
export function showFileBlob(element: HTMLImageElement | HTMLMediaElement, blob: Blob): void {
  element.toggleAttribute('data-drawing', blob.type === 'image/svg+xml');
  showBlob(element, blob);
}

/** Frees the files of elements that are no longer on the page. */
export function releaseBlobs(): void {
  for (const [element, url] of urls) {
    if (element.isConnected) continue;
    URL.revokeObjectURL(url);
    urls.delete(element);
  }
}
