import type { ReactNode } from 'react';
import { Link as PageLink } from 'wouter';
import { useSharedLink } from './shared-link-context.js';

interface LinkProps {
  href: string;
  className?: string;
  children: ReactNode;
}

/** A link to another page of the account. The holder of a share link sees its text alone. */
export function Link({ href, className, children }: LinkProps) {
  const isShared = useSharedLink() !== undefined;
  if (isShared) return <span className={className}>{children}</span>;
  return (
    <PageLink href={href} className={className}>
      {children}
    </PageLink>
  );
}
