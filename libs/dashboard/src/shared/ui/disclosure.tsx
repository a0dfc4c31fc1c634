import { type ReactNode, useState } from 'react';

interface DisclosureProps {
  summary: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** What is rendered only once it is asked for: a large value costs nothing while it is folded. */
export function Disclosure({ summary, className, children }: DisclosureProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details
      className={className}
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
      }}
    >
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
