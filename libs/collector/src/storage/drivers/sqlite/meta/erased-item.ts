const FLAGS = ['fixed', 'failing_as_before', 'new_error', 'accepted'];

const FLAG_FIELDS = FLAGS.map((flag) => `'${flag}', json(iif(${flag} = 1, 'true', 'null'))`).join(', ');

const ERASED = `json_patch('{}', json_object('item_no', item_no, 'repetition', nullif(repetition, 0), 'verdict', verdict,
    ${FLAG_FIELDS}, 'duration_ms', record -> '$.duration_ms',
    'original_duration_ms', record -> '$.original_duration_ms', 'timing', record -> '$.timing',
    'divergence_count', summary -> '$.divergence_count', 'erased', json('true')))`;

/** What an update of `test_run_items` sets: the item keeps its number, its verdict, its flags and its durations. */
export const ERASE_ITEM = `record = ${ERASED}, summary = ${ERASED}, record_bytes = length(${ERASED}), source = NULL,
    new_trace_id = NULL, is_pending = 0, is_erased = 1`;
