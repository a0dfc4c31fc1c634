import {
  type InviteMemberRequest,
  type MemberLink,
  type MemberSummary,
  type Role,
  routePath,
  ROUTES,
} from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../shared/http/request.js';

export const membersQuery = queryOptions({
  queryKey: [ROUTES.members],
  queryFn: ({ signal }) => request<{ items: MemberSummary[] }>(ROUTES.members, { signal }),
});

export function inviteMember(body: InviteMemberRequest): Promise<MemberLink> {
  return request(ROUTES.members, { method: 'POST', body });
}

export function makeLink(id: string): Promise<MemberLink> {
  return request(routePath(ROUTES.memberLink, { id }), { method: 'POST', body: {} });
}

export function changeRole(id: string, role: Role): Promise<MemberSummary> {
  return request(routePath(ROUTES.memberRole, { id }), { method: 'POST', body: { role } });
}

export function removeMember(id: string): Promise<void> {
  return request(routePath(ROUTES.member, { id }), { method: 'DELETE' });
}
