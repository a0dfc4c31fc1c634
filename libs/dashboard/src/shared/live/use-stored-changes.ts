import { API } from '@dacapo/protocol/api';
import { useEffect, useState } from 'react';

/**
 * Calls `onChange` when the service announces a change, while the page is visible. Hidden pages disconnect, because browsers limit the
 * connections to a host.
 *
 * @param onChange stable between changes
 * @returns whether events arrive. Without them, for example behind a proxy that buffers, the caller polls
 */
export function useStoredChanges(isEnabled: boolean, onChange: () => void): boolean {
  const [isConnected, setIsConnected] = useState(false);
  useEffect(() => {
    if (!isEnabled) return;
    let source: EventSource | undefined;
    const close = () => {
      source?.close();
      source = undefined;
      setIsConnected(false);
    };
    const open = () => {
      source = new EventSource(API.traces.watch.path);
      source.onopen = () => {
        setIsConnected(true);
        // Something may have been stored before the stream opened.
        onChange();
      };
      source.onerror = () => {
        setIsConnected(false);
      };
      source.addEventListener('change', onChange);
    };
    const follow = () => {
      if (document.visibilityState === 'hidden') close();
      else if (source === undefined) open();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [isEnabled, onChange]);
  return isConnected;
}
