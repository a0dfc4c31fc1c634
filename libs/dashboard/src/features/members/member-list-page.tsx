import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../shared/navigation/paths.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { membersQuery } from './api.js';
import { InviteMember } from './invite-member.js';
import { MemberTable } from './member-table.js';

export function MemberListPage() {
  const query = useQuery(membersQuery);
  const members = query.data?.items ?? [];
  return (
    <Page
      title="Members"
      above={<Link href={paths.apiKeys()}>API keys</Link>}
      about="People who sign in to these pages. What they do is noted under their names."
    >
      <InviteMember />
      {query.isError && (
        <ErrorNotice
          title="The members could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <Loading what="members" />}
      {query.isSuccess && members.length === 0 && (
        <EmptyState title="No members. Invite each person who shall see these pages." />
      )}
      {members.length > 0 && <MemberTable members={members} />}
    </Page>
  );
}
