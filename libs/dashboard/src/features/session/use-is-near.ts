import { useEffect, useState } from 'react';

/** As much as two pages of a usual window above and below it. */
const MARGIN = '1200px';

/** Whether an element is in the window or near it. */
export function useIsNear() {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        setIsNear(entries.at(-1)?.isIntersecting ?? false);
      },
      { rootMargin: `${MARGIN} 0px` },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [element]);
  return { setElement, isNear };
}
