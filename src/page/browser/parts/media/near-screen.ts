/** Calls a function once, when an element has come near the visible part of the page. Returns what stops that. */
export function whenNear(element: Element, onNear: () => void, rootMargin = '0px'): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      // Of one element there are several where the browser was busy, the oldest first.
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      onNear();
    },
    { rootMargin },
  );
  observer.observe(element);
  return () => observer.disconnect();
}
