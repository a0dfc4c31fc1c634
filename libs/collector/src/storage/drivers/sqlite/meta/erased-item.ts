const flag = (column: string): string => `'${column}', json(iif(${column} = 1, 'true', 'null'))`;

/** What is left of an item of a run: which one it is, and how it went. */
const ERASED = `json_patch('{}', json_object('item_no', item_no, 'repetition', nullif(repetition, 0), 'verdict', verdict,
  ${flag('fixed')}, ${flag('failing_as_before')}, ${flag('accepted')}, 'duration_ms', record -> '$.duration_ms',
  'original_duration_ms', record -> '$.original_duration_ms', 'timing', record -> '$.timing', 'divergence_count', summary -> '$.divergence_count',
  'erased', json('true')))`;

/** What an update of `test_run_items` sets. */
export const ERASE_ITEM = `record = ${ERASED}, summary = ${ERASED}, record_bytes = length(${ERASED}), source = NULL,
  new_trace_id = NULL, is_pending = 0, is_erased = 1`;
