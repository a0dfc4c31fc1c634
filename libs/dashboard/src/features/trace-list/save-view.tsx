import { type SyntheticEvent, useState } from 'react';
import { removeView, saveView, useSavedViews } from '../../shared/saved-views/saved-views.js';
import { Dialog } from '../../shared/ui/dialog.js';

interface SaveViewProps {
  /** The address of the list after its `?`. */
  search: string;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** Saves the shown list under a name in the rail, or removes it from there. */
export function SaveView({ search, isOpen, onOpen }: SaveViewProps) {
  const [name, setName] = useState('');
  const saved = useSavedViews().find((view) => view.search === search);
  if (search === '') return null;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    saveView({ name: name.trim(), search });
    onOpen(false);
  };
  if (saved !== undefined) {
    return (
      <button
        type="button"
        onClick={() => {
          removeView(saved);
        }}
      >
        Remove view
      </button>
    );
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          onOpen(true);
        }}
      >
        Save view
      </button>
      {isOpen && (
        <Dialog
          title="Save view"
          onClose={() => {
            onOpen(false);
          }}
        >
          <form className="fields" onSubmit={submit}>
            <label className="field">
              <span>Name</span>
              <input
                value={name}
                required
                pattern=".*\S.*"
                maxLength={60}
                autoFocus
                placeholder="Failed last night"
                onChange={({ target }) => {
                  setName(target.value);
                }}
              />
            </label>
            <button type="submit" className="primary">
              Save
            </button>
          </form>
          <p className="muted">Views are saved in this browser only. To share the list, send its address.</p>
        </Dialog>
      )}
    </>
  );
}
