import { useEffect, useState } from 'react';
import { setInitialFocus } from './initial-focus.js';

interface CopyButtonProps {
  /** A function makes the text when it is wanted, and may throw. */
  text: string | (() => string | Promise<string>);
  /** Names the copied thing for screen readers. */
  what: string;
  verb?: string;
  isPrimary?: boolean;
  /** Has the focus when its dialog opens. */
  isFocused?: boolean;
}

export function CopyButton(props: CopyButtonProps) {
  const { text, what, verb = 'Copy', isPrimary = false, isFocused = false } = props;
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
      await writeToClipboard(typeof text === 'string' ? text : await text());
      setOutcome('copied');
    } catch {
      setOutcome('refused');
    }
  };
  const label = outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Copy failed' : verb;
  return (
    <button
      type="button"
      ref={isFocused ? setInitialFocus : undefined}
      className={isPrimary ? 'primary' : 'small plain'}
      aria-label={`${label}: ${what}`}
      onClick={() => void copy()}
    >
      {label}
    </button>
  );
}

/** `execCommand` is deprecated in the types, but every browser has it. */
type OldDocument = Omit<Document, 'execCommand'> & { execCommand(command: 'copy'): boolean };

/** Over plain HTTP, `navigator.clipboard` is missing and only the `copy` command works. */
async function writeToClipboard(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const copy = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  };
  document.addEventListener('copy', copy);
  try {
    if (!(document as OldDocument).execCommand('copy')) throw new Error('The browser refused to copy.');
  } finally {
    document.removeEventListener('copy', copy);
  }
}
