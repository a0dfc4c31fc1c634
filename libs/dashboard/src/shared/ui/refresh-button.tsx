interface RefreshButtonProps {
  onClick: () => void;
  disabled?: boolean;
}

export function RefreshButton({ onClick, disabled = false }: RefreshButtonProps) {
  return (
    <button type="button" disabled={disabled} onClick={onClick}>
      Refresh
    </button>
  );
}
