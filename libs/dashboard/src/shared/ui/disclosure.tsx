import { type ReactNode, useState } from 'react';

interface DisclosureProps {
  summary: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A `details` element that renders its children only while open, so large values cost nothing when folded. */
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
