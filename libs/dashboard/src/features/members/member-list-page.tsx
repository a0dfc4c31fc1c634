import { useQuery } from '@tanstack/react-query';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { FormDialog } from '../../shared/ui/form-dialog.js';
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
      actions={
        !query.isError && (
          <FormDialog title="Invite a member">
            <InviteMember />
          </FormDialog>
        )
      }
      about="People who can sign in. The audit log lists their changes by name."
    >
      {query.isError && (
        <ErrorNotice
          title="Could not load the members."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <LoadingRows what="members" />}
      {query.isSuccess && members.length === 0 && (
        <EmptyState title="No members yet.">
          <p>Invite everyone who needs access. Each person signs in with a code of their own.</p>
        </EmptyState>
      )}
      {members.length > 0 && <MemberTable members={members} />}
    </Page>
  );
}
