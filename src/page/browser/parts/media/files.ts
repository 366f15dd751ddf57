import { ApiError, fetchFile, openPdf } from '../../api.ts';
import { formatBytes } from '../files/count.ts';
import { describeError } from '../words/error-text.ts';
import { releaseBlobs, showFileBlob } from './blob-urls.ts';

type FileElement = HTMLImageElement | HTMLMediaElement;

/** Larger files are loaded only on request, and those above the second limit not at all: they are held in memory. */
const MAX_AUTOMATIC_BYTES = 30_000_000;
const MAX_BYTES = 500_000_000;
const NEAR_SCREEN = '1500px';
/** As many pictures are loaded at once, so that a note of usual length prints whole. */
const MAX_EAGER_PICTURES = 30;

/** Loads the pictures, sounds and films of an element when they come near the screen. Returns a function that stops this. */
export function showFiles(root: HTMLElement): () => void {
  const control = new AbortController();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        void load(target as FileElement, control.signal, MAX_AUTOMATIC_BYTES);
      }
    },
    { rootMargin: NEAR_SCREEN },
  );
  const elements = [
    ...root.querySelectorAll<FileElement>('img[data-file]:not([src]), audio[data-file]:not([src]), video[data-file]:not([src])'),
  ];
  let eager = 0;
  for (const element of elements) {
    if (element instanceof HTMLImageElement && eager < MAX_EAGER_PICTURES) {
      eager += 1;
      void load(element, control.signal, MAX_AUTOMATIC_BYTES);
    } else observer.observe(element);
  }
  return () => {
    control.abort();
    observer.disconnect();
    // The elements are removed after this, where the view is left.
    queueMicrotask(releaseBlobs);
  };
}

async function load(element: FileElement, signal: AbortSignal, maxBytes: number): Promise<void> {
  const path = element.dataset['file'] ?? '';
  try {
    showFileBlob(element, await fetchFile(path, signal, maxBytes));
    const start = Number(element.dataset['start'] ?? 0);
    if (start > 0 && element instanceof HTMLMediaElement)
      element.addEventListener('loadedmetadata', () => (element.currentTime = start), { once: true });
  } catch (error) {
    if (signal.aborted) return;
    element.dataset['state'] = 'missing';
    if (error instanceof ApiError && error.code === 'TOO_LARGE') offerLargeFile(element, Number(error.details));
    else if (element instanceof HTMLMediaElement) addNotice(element, describeError(error));
  }
}

/** Says how large a file is, and offers to load it if it fits in memory. */
function offerLargeFile(element: FileElement, bytes: number): void {
  const size = formatBytes(bytes);
  const name = (element.dataset['file'] ?? '').replace(/^.*\//, '');
  if (bytes > MAX_BYTES) return addNotice(element, `${name} has ${size}, which is too large to be shown here.`);
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = `Load ${name} (${size})`;
  button.addEventListener('click', () => {
    button.remove();
    delete element.dataset['state'];
    void load(element, new AbortController().signal, MAX_BYTES);
  });
  element.after(button);
}

function addNotice(element: Element, message: string): void {
  const notice = document.createElement('span');
  notice.className = 'notice';
  notice.textContent = message;
  element.after(notice);
}

/** Opens a linked file: a PDF at its page in the browser's viewer, others as a download. */
export async function openFile({ file = '', page = '1' }: DOMStringMap): Promise<void> {
  if (/\.pdf$/i.test(file)) return openPdf(file, Number(page));
  return download(file);
}

/** Downloads a file of the vault. It is never opened in the page's origin. */
export async function download(path: string): Promise<void> {
  const url = URL.createObjectURL(await fetchFile(path));
  const link = document.createElement('a');
  link.href = url;
  link.download = path.replace(/^.*\//, '');
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
