import { useEffect, useState } from 'react';

interface CopyButtonProps {
  text: string;
  /** What is copied, for who cannot see where the button stands. */
  what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => {
      setOutcome(undefined);
    }, 2_000);
    return () => {
      clearTimeout(timer);
    };
  }, [outcome]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      setOutcome('refused');
    }
  };
  const label = outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Browser refused' : 'Copy';
  return (
    <button type="button" className="small" aria-label={`${label}: ${what}`} onClick={() => void copy()}>
      {label}
    </button>
  );
}
