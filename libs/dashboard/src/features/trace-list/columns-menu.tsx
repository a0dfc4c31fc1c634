import { Menu } from '../../shared/ui/menu.js';
import { type Column, type ColumnId, COLUMNS } from './columns.js';
import styles from './trace-list.module.css';

interface ColumnsMenuProps {
  shown: readonly Column[];
  onToggle: (id: ColumnId) => void;
}

export function ColumnsMenu({ shown, onToggle }: ColumnsMenuProps) {
  return (
    <Menu face="Columns" className={styles.columns}>
      <fieldset className={styles.choices}>
        <legend className="visually-hidden">Columns</legend>
        {COLUMNS.map((column) => (
          <label key={column.id}>
            <input
              type="checkbox"
              checked={shown.includes(column)}
              onChange={() => {
                onToggle(column.id);
              }}
            />
            {column.label}
          </label>
        ))}
      </fieldset>
    </Menu>
  );
}
