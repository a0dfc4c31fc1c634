/**
 * Actions in the audit log: every change, except records (ingest, scores, items and heartbeats of a run) and the deletion of
 * the account, which deletes the log. Also each use of a tool by a coding agent.
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
  'share_link.create',
  'share_link.open',
  'share_link.revoke',
  'test_run.create',
  'test_run.decide',
  'test_run.finish',
  'test_run.resume',
  'test_run_item.accept',
  'test_run_item.take_back',
  'tool.use',
] as const;
export type AuditedAction = (typeof AUDITED_ACTIONS)[number];

/** Tools of `dacapo mcp`, which coding agents use. */
export const AGENT_TOOLS = [
  'find_calls',
  'get_trace_tree',
  'get_span',
  'explain_error',
  'replay_calls',
  'diff_item',
  'compare_runs',
  'save_cassette',
  'status',
] as const;
export type AgentTool = (typeof AGENT_TOOLS)[number];
