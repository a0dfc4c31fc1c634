import {
  type AuditEntry,
  DEFAULT_LINK_LIFE_S,
  type MemberLink,
  type MemberSummary,
  type Role,
  ROLES,
} from '@dacapo/protocol';
import { Argument, type Command, Option } from 'commander';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { table } from '../output/table.js';
import { seconds } from '../output/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';

interface LinkOptions extends ConnectionOptions {
  readonly expiresIn: number;
}

interface InviteOptions extends LinkOptions {
  readonly name: string;
  readonly role: Role;
}

const AS_LISTED = 'its id, from `dacapo members list`';

/** `dacapo members …`: people who sign in to the dashboard of the key's account. */
export function addMembersCommands(program: Command, io: CliIo): void {
  const members = program.command('members').description('people who sign in to the dashboard');
  const connect = (options: ConnectionOptions) =>
    new ServiceClient(resolveConnection(options, io.env)).api.members;
  const withLink = (command: Command): Command =>
    withConnection(command).addOption(
      new Option('--expires-in <time>', 'how long the link works, such as 24h; up to 30d')
        .argParser(seconds)
        .default(DEFAULT_LINK_LIFE_S, `${DEFAULT_LINK_LIFE_S / 86_400}d`),
    );
  const printLink = (options: LinkOptions, made: MemberLink): void => {
    // Only the link goes to stdout, so that scripts can read it.
    print(io, options, made, made.link);
    if (options.json) return;
    io.stderr.write(
      `Send it to ${made.name}. It is shown only once and works once, until ${made.link_expires_at}.\n`,
    );
  };

  withConnection(members.command('list'))
    .description('list members, including invited ones')
    .action(async (options: ConnectionOptions) => {
      const answer = await connect(options).list();
      print(io, options, answer, describe(answer.items));
    });

  withLink(members.command('invite'))
    .description('invite a member and print a link that works once')
    .requiredOption('--name <name>', 'the name that scores and the audit log show')
    .addOption(new Option('--role <role>', 'the role of the member').choices(ROLES).default('viewer'))
    .action(async (options: InviteOptions) => {
      const { name, role, expiresIn: expires_in_s } = options;
      printLink(options, await connect(options).invite({ name, role, expires_in_s }));
    });

  withLink(members.command('link').argument('<id>', AS_LISTED))
    .description('create a new sign-in link for a member')
    .action(async (id: string, options: LinkOptions) => {
      printLink(options, await connect(options).createLink({ id, expires_in_s: options.expiresIn }));
    });

  withConnection(members.command('role').argument('<id>', AS_LISTED))
    .addArgument(new Argument('<role>', 'the new role').choices(ROLES))
    .description('change the role of a member, effective immediately')
    .action(async (id: string, role: Role, options: ConnectionOptions) => {
      const member = await connect(options).changeRole({ id, role });
      print(io, options, member, `${member.name} now has the role ${member.role}.`);
    });

  withConnection(members.command('remove').argument('<id>', AS_LISTED))
    .description('remove a member or an invitation, and sign the member out immediately')
    .action(async (id: string, options: ConnectionOptions) => {
      await connect(options).remove({ id });
      print(io, options, { removed: id }, `Removed ${id}.`);
    });
}

/** The member or API key that did something or is signed in. */
export function describeActor({ api_key, member }: Pick<AuditEntry, 'api_key' | 'member'>): string {
  if (member !== undefined) return member.name;
  return api_key === undefined ? 'a sign-in link' : `${api_key.name} (${api_key.hint})`;
}

function describe(items: readonly MemberSummary[]): string {
  if (items.length === 0) return 'No members yet. Invite one: `dacapo members invite --name <name>`.';
  const rows = items.map(({ id, name, role, created_at, joined_at, link_expires_at }) => [
    id,
    name,
    role,
    created_at.slice(0, 10),
    joined_at?.slice(0, 10) ?? 'not yet',
    link_expires_at === undefined ? '' : `until ${link_expires_at.slice(0, 16)}`,
  ]);
  return table([['ID', 'NAME', 'ROLE', 'INVITED', 'JOINED', 'UNUSED LINK'], ...rows]);
}
