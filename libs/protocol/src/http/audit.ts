/**
 * What can be done that is noted in the audit log: all that changes something, except what records do (`ingest`, scores, items and
 * heartbeats of a run) and the deletion of the account, which takes the log along.
 */
export const AUDITED_ACTIONS = [
  'api_key.create',
  'api_key.rotate',
  'api_key.revoke',
  'browser.sign_in',
  'browser.sign_out',
  'browser.sign_out_everywhere',
  'dataset.create',
  'dataset.delete',
  'dataset_version.create',
  'deletion.create',
  'function.push',
  'function.activate',
  'index.create',
  'index.delete',
  'index_documents.add',
  'index_documents.delete',
  'index_remote.set',
  'member.change_role',
  'member.invite',
  'member.join',
  'member.new_link',
  'member.remove',
  'retention.set',
  'test_run.create',
  'test_run.finish',
  'test_run.resume',
  'test_run_item.accept',
  'test_run_item.take_back',
] as const;
export type AuditedAction = (typeof AUDITED_ACTIONS)[number];

/** Who did what to which object, and when. It holds no payloads and no secrets. */
export interface AuditEntry {
  at: string;
  action: AuditedAction;
  /** What it was done to: its id or its name, with that of what it is part of before it, such as `<test run>/<item>`. */
  object?: string;
  /** The key that it was done with, directly or by the browser that it signed in. */
  api_key?: { id: string; name: string; hint: string };
  /** The member who did it, named as he was then. */
  member?: { id: string; name: string };
  /** The id of the browser session, when a browser did it. */
  browser_session_id?: string;
}
