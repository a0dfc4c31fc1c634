interface RefreshButtonProps {
  onClick: () => void;
  disabled?: boolean;
}

/** Reloads the data of a page. */
export function RefreshButton({ onClick, disabled = false }: RefreshButtonProps) {
  return (
    <button type="button" disabled={disabled} onClick={onClick}>
      Refresh
    </button>
  );
}
