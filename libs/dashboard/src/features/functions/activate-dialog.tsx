import type { FunctionVersionSummary } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client } from '../../shared/http/client.js';
import { Dialog, DialogActions } from '../../shared/ui/dialog.js';
import { ErrorNotice } from '../../shared/ui/notice.js';

interface ActivateDialogProps {
  /** The version to activate. */
  version: FunctionVersionSummary;
  active: FunctionVersionSummary | undefined;
  onClose: () => void;
}

/** Says what an activation changes, and does it: unless somebody activated another version meanwhile. */
export function ActivateDialog({ version: { name, version }, active, onClose }: ActivateDialogProps) {
  const queries = useQueryClient();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus();
  }, []);
  const isRollback = active !== undefined && version < active.version;
  const verb = isRollback ? 'Roll back' : 'Activate';
  const mutation = useMutation({
    mutationFn: () =>
      client.functions.activate({ name, version, ...(active && { replaces: active.version }) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['functions'] }),
    onSuccess: onClose,
  });
  return (
    <Dialog
      title={isRollback ? `Roll back to version ${version}?` : `Activate version ${version}?`}
      isQuestion
      onClose={onClose}
    >
      <p>
        Calls of {name} run version {version}
        {active && ` instead of version ${active.version}`}, in running applications within 10 seconds. Calls
        that name a version keep it.
      </p>
      {mutation.isError && (
        <ErrorNotice title={`Could not activate version ${version}.`} error={mutation.error} />
      )}
      <DialogActions>
        <button
          type="button"
          className="primary"
          ref={button}
          disabled={mutation.isPending}
          onClick={() => {
            mutation.mutate();
          }}
        >
          {verb}
        </button>
      </DialogActions>
    </Dialog>
  );
}
