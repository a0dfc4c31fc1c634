/** What an update of `test_run_items` sets: the item keeps its number, its verdict, these flags and its durations. */
export function eraseItem(flags: readonly string[]): string {
  const kept = flags.map((flag) => `'${flag}', json(iif(${flag} = 1, 'true', 'null'))`);
  const erased = `json_patch('{}', json_object('item_no', item_no, 'repetition', nullif(repetition, 0), 'verdict', verdict,
    ${kept.join(', ')}, 'duration_ms', record -> '$.duration_ms',
    'original_duration_ms', record -> '$.original_duration_ms', 'timing', record -> '$.timing', 'divergence_count', summary -> '$.divergence_count',
    'erased', json('true')))`;
  return `record = ${erased}, summary = ${erased}, record_bytes = length(${erased}), source = NULL,
    new_trace_id = NULL, is_pending = 0, is_erased = 1`;
}

export const ERASE_ITEM = eraseItem(['fixed', 'failing_as_before', 'new_error', 'accepted']);
