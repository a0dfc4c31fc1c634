import { useState } from 'react';
import { usePageKeys } from '../keys/page-keys.js';
import { readChoice, storeChoice } from '../navigation/stored-choice.js';

/** Whether lists follow what is stored, which the browser remembers for all of them. */
export function useLiveChoice(): readonly [isLive: boolean, toggle: () => void] {
  const [isLive, setIsLive] = useState(readChoice('live') !== 'off');
  return [
    isLive,
    () => {
      setIsLive(!isLive);
      storeChoice('live', isLive ? 'off' : 'on');
    },
  ];
}

export function LiveButton({ isLive, onToggle }: { isLive: boolean; onToggle: () => void }) {
  usePageKeys([{ key: 'l', action: 'live rows on or off', run: onToggle }]);
  return (
    <button type="button" aria-pressed={isLive} title="Key: l" onClick={onToggle}>
      Live
    </button>
  );
}
