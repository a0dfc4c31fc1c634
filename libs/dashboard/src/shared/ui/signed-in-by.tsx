import type { AuditEntry } from '@dacapo/protocol';

/** The member, API key or sign-in link behind an audit entry or session. */
export function SignedInBy({ api_key: apiKey, member }: Pick<AuditEntry, 'api_key' | 'member'>) {
  if (member !== undefined) return <span className="two-lines">{member.name}</span>;
  if (apiKey === undefined) return 'a sign-in link';
  return (
    <span className="two-lines">
      {apiKey.name} <code className="nowrap">{apiKey.hint}</code>
    </span>
  );
}
