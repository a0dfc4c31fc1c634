import type { DatasetVersion } from '@dacapo/protocol';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { Link } from 'wouter';
import { formatQuantity } from '../../shared/format/format-count.js';
import { client } from '../../shared/http/client.js';
import { paths } from '../../shared/navigation/paths.js';
import { type ReplayableCall, replayDatasetCommand } from '../../shared/replay/replay-command.js';
import { ReplayCommand } from '../../shared/replay/replay-dialog.js';
import { Dialog } from '../../shared/ui/dialog.js';
import { setInitialFocus } from '../../shared/ui/initial-focus.js';
import { ErrorNotice } from '../../shared/ui/notice.js';

interface AddToDatasetProps {
  calls: readonly ReplayableCall[];
  onClose: () => void;
}

/** Copies calls into the next version of a dataset, which it creates if there is none of that name. */
export function AddToDataset({ calls, onClose }: AddToDatasetProps) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const known = useQuery({
    queryKey: ['datasets of dialog'],
    queryFn: ({ signal }) => client.datasets.list({ limit: 100 }, { signal }),
  });
  const names = known.data?.items.map((dataset) => dataset.name) ?? [];
  const add = useMutation({
    mutationFn: () => addCalls(name, calls, names),
    onSettled: () =>
      queries.invalidateQueries({ predicate: ({ queryKey }) => /^dataset/.test(String(queryKey[0])) }),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    add.mutate();
  };
  if (add.data !== undefined) {
    const { added, version } = add.data;
    const [key, ...others] = new Set(calls.map((call) => call.key));
    return (
      <Dialog title="Add to dataset" onClose={onClose}>
        <p role="status">
          Added {formatQuantity(added, 'call')} to <Link href={paths.dataset(name)}>{name}</Link>.
          {added < calls.length && ' The others are in it already, or cannot be replayed.'}
        </p>
        {key !== undefined && others.length === 0 && (
          <ReplayCommand code={replayDatasetCommand({ key, name, version })} what={`version ${version}`} />
        )}
      </Dialog>
    );
  }
  return (
    <Dialog title="Add to dataset" onClose={onClose}>
      <form className="fields" onSubmit={submit}>
        <label className="field">
          <span>Dataset</span>
          <input
            value={name}
            required
            ref={setInitialFocus}
            list="dataset-names"
            autoComplete="off"
            placeholder="refunds"
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,127}"
            title="A letter or a digit, then letters, digits, dots, dashes and underscores"
            onChange={({ target }) => {
              setName(target.value);
            }}
          />
        </label>
        <datalist id="dataset-names">
          {names.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <button type="submit" className="primary" disabled={add.isPending || known.isPending}>
          {names.includes(name) || name === '' ? 'Add' : 'Create and add'}
        </button>
      </form>
      <p className="muted">
        {formatQuantity(calls.length, 'call')} with input and output. A dataset keeps them when the traces are
        deleted by retention.
      </p>
      {add.isError && <ErrorNotice title="Could not add the calls." error={add.error} />}
    </Dialog>
  );
}

/** @returns how many were added, and the version that has them */
async function addCalls(
  name: string,
  calls: readonly ReplayableCall[],
  known: readonly string[],
): Promise<Pick<DatasetVersion, 'added' | 'version'>> {
  if (!known.includes(name)) await client.datasets.create({ name });
  const made = { added: 0, version: 0 };
  for (const key of new Set(calls.map((call) => call.key))) {
    const trace_ids = calls.flatMap((call) => (call.key === key ? [call.traceId] : []));
    const { added, version } = await client.datasets.addVersion({
      name,
      from_calls: { trace_function_key: key, selection: { trace_ids } },
    });
    made.added += added;
    made.version = version;
  }
  return made;
}
