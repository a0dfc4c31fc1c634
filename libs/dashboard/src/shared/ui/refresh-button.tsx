interface RefreshButtonProps {
  onClick: () => void;
  disabled?: boolean;
}

/** Asks the service again for what a page shows. */
export function RefreshButton({ onClick, disabled = false }: RefreshButtonProps) {
  return (
    <button type="button" disabled={disabled} onClick={onClick}>
      Refresh
    </button>
  );
}
