/**
 * Actions in the audit log: every change, except records (ingest, scores, items and heartbeats of a run) and the deletion of
 * the account, which deletes the log.
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
