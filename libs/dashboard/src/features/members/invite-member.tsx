import { type InviteMemberRequest, LIMITS, type Role, ROLES } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { client } from '../../shared/http/client.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { ShownOnce } from '../../shared/ui/shown-once.js';
import { membersQuery } from './api.js';
import styles from './members.module.css';

const ABOUT: Record<Role, string> = {
  viewer: 'views and searches all data',
  developer: 'also replays, edits datasets, adds scores and accepts outcomes',
  admin: 'does everything, including keys, members, indexes and deletion',
};

export function InviteMember() {
  const queryClient = useQueryClient();
  const invite = useMutation({
    mutationFn: (member: InviteMemberRequest) => client.members.invite(member),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: membersQuery.queryKey }),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const [name, chosen] = [data.get('name'), data.get('role')];
    const role = ROLES.find((one) => one === chosen) ?? 'viewer';
    if (typeof name !== 'string') return;
    invite.mutate(
      { name, role },
      {
        onSuccess: () => {
          form.reset();
        },
      },
    );
  };
  return (
    <section className={styles.invite}>
      <form className="fields" onSubmit={submit}>
        <label className="field">
          <span>Member name</span>
          <input name="name" required maxLength={LIMITS.memberNameLength} autoComplete="off" />
        </label>
        <fieldset className={styles.roles}>
          <legend>Role</legend>
          {ROLES.map((role) => (
            <label key={role}>
              <input type="radio" name="role" value={role} defaultChecked={role === 'viewer'} />
              <span>
                <strong>{role}</strong> <span className="muted">{ABOUT[role]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <button type="submit" className="primary" disabled={invite.isPending}>
          Invite
        </button>
      </form>
      {invite.isError && <ErrorNotice title="Could not invite the member." error={invite.error} />}
      {invite.isSuccess && (
        <ShownOnce name={`Link for ${invite.data.name}`} secret={invite.data.link} what="link" />
      )}
    </section>
  );
}
