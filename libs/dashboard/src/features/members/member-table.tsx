import { type MemberSummary, ROLES } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { Badge } from '../../shared/ui/badge.js';
import { ConfirmedButton } from '../../shared/ui/confirmed-button.js';
import { Menu } from '../../shared/ui/menu.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { ShownOnce } from '../../shared/ui/shown-once.js';
import { Time } from '../../shared/ui/time.js';
import { membersQuery } from './api.js';
import styles from './members.module.css';

export function MemberTable({ members }: { members: MemberSummary[] }) {
  return (
    <div className="table-frame">
      <table className="lines-on-phones">
        <thead>
          <tr>
            <th>Name</th>
            <th>Role</th>
            <th>Joined</th>
            <th className="number">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <MemberRow key={member.id} member={member} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MemberRow({ member }: { member: MemberSummary }) {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: membersQuery.queryKey });
  const change = useMutation({
    mutationFn: (chosen: string) =>
      client.members.changeRole({
        id: member.id,
        role: ROLES.find((role) => role === chosen) ?? member.role,
      }),
    onSuccess: refresh,
  });
  const link = useMutation({
    mutationFn: () => client.members.createLink({ id: member.id }),
    onSuccess: refresh,
  });
  const remove = async (): Promise<void> => {
    await client.members.remove({ id: member.id });
    await refresh();
  };
  return (
    <tr>
      <td>
        <strong className="two-lines">{member.name}</strong>
        {link.isSuccess && <ShownOnce name={`Link for ${member.name}`} secret={link.data.link} what="link" />}
        {link.isError && <ErrorNotice title="Could not create a link." error={link.error} />}
        {change.isError && <ErrorNotice title="Could not change the role." error={change.error} />}
      </td>
      <td>
        <select
          aria-label={`Role of ${member.name}`}
          value={member.role}
          disabled={change.isPending}
          onChange={(event) => {
            change.mutate(event.currentTarget.value);
          }}
        >
          {ROLES.map((role) => (
            <option key={role}>{role}</option>
          ))}
        </select>
      </td>
      <td>
        <Joined member={member} />
      </td>
      <td className="number">
        <span className={styles.actions}>
          <button
            type="button"
            className="small"
            disabled={link.isPending}
            onClick={() => {
              link.mutate();
            }}
          >
            Create link<span className="visually-hidden"> for {member.name}</span>
          </button>
          <Menu label={`Actions for ${member.name}`}>
            <ConfirmedButton
              verb="Remove"
              name={member.name}
              action="Remove member"
              failure="Could not remove the member."
              onConfirm={remove}
            >
              The collector signs this person out everywhere, and an unused link stops working. API keys that
              they created stay valid: revoke them on the API keys page.
            </ConfirmedButton>
          </Menu>
        </span>
      </td>
    </tr>
  );
}

function Joined({
  member: { joined_at: joinedAt, link_expires_at: linkExpiresAt },
}: {
  member: MemberSummary;
}) {
  return (
    <>
      {joinedAt === undefined ? <Badge tone="neutral">invited</Badge> : <Time at={joinedAt} />}
      {linkExpiresAt !== undefined && (
        <span className="muted nowrap">
          {' '}
          {isOver(linkExpiresAt) ? 'link expired' : 'link expires'} <Time at={linkExpiresAt} />
        </span>
      )}
    </>
  );
}

function isOver(time: string): boolean {
  return Date.parse(time) <= Date.now();
}
