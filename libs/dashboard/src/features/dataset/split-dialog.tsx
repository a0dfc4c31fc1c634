import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { Link } from 'wouter';
import { formatQuantity } from '../../shared/format/format-count.js';
import { paths } from '../../shared/navigation/paths.js';
import { setInitialFocus } from '../../shared/ui/initial-focus.js';
import { Dialog } from '../../shared/ui/dialog.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { splitDataset } from './api.js';

interface SplitDialogProps {
  name: string;
  version: number;
  /** Ids of the items that go into the second dataset; without any, a share decides. */
  selected: readonly string[];
  onClose: () => void;
}

const NAME = '[A-Za-z0-9][A-Za-z0-9._\\-]{0,127}';

/** Copies a version into two datasets. A share is decided by a hash, so a call stays on its side when the dataset grows. */
export function SplitDialog({ name, version, selected, onClose }: SplitDialogProps) {
  const queries = useQueryClient();
  const [first, setFirst] = useState(`${name}-train`);
  const [second, setSecond] = useState(`${name}-test`);
  const [percent, setPercent] = useState(80);
  const isBySelection = selected.length > 0;
  const split = useMutation({
    mutationFn: () => {
      if (first === second || first === name || second === name) throw new Error('Choose two other names.');
      return splitDataset({ name, version, by: isBySelection ? selected : percent, into: [first, second] });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['datasets'] }),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    split.mutate();
  };
  if (split.data !== undefined) {
    return (
      <Dialog title="Split" onClose={onClose}>
        <ul role="status">
          {[first, second].map((target, at) => (
            <li key={target}>
              <Link href={paths.dataset(target)}>{target}</Link>:{' '}
              {formatQuantity(split.data[at] ?? 0, 'item')} added
            </li>
          ))}
        </ul>
      </Dialog>
    );
  }
  return (
    <Dialog title="Split" onClose={onClose}>
      <form className="fields" onSubmit={submit}>
        <label className="field">
          <span>{isBySelection ? 'All other items' : 'First dataset'}</span>
          <input
            value={first}
            required
            ref={setInitialFocus}
            pattern={NAME}
            onChange={({ target }) => {
              setFirst(target.value);
            }}
          />
        </label>
        <label className="field">
          <span>{isBySelection ? formatQuantity(selected.length, 'selected item') : 'Second dataset'}</span>
          <input
            value={second}
            required
            pattern={NAME}
            onChange={({ target }) => {
              setSecond(target.value);
            }}
          />
        </label>
        {!isBySelection && (
          <label className="field">
            <span>Percent in the first</span>
            <input
              type="number"
              min={1}
              max={99}
              required
              value={percent}
              onChange={({ target }) => {
                setPercent(target.valueAsNumber);
              }}
            />
          </label>
        )}
        <button type="submit" className="primary" disabled={split.isPending}>
          Split
        </button>
      </form>
      <p className="muted">
        Copies each item of version {version} into one of two datasets.{' '}
        {isBySelection
          ? 'Select other items to change the sides.'
          : 'A hash decides, so a call keeps its side when you split a later version.'}
      </p>
      {split.isError && <ErrorNotice title="Could not split the dataset." error={split.error} />}
    </Dialog>
  );
}
