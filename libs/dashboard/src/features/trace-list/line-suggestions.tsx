import { useQuery } from '@tanstack/react-query';
import { suggestionsQuery } from '../../shared/trace-filter/suggestions.js';
import { completeLine, findSuggested } from './complete-line.js';

/** Values of an empty prefix are suggested, too. */
const NONE = { suggests: 'name', prefix: '' } as const;

/** The ways to complete the last word of a line. */
export function LineSuggestions({ id, line }: { id: string; line: string }) {
  const wanted = findSuggested(line);
  const { suggests, prefix } = wanted ?? NONE;
  const { data } = useQuery({ ...suggestionsQuery(suggests, prefix, ''), enabled: wanted !== undefined });
  return (
    <datalist id={id}>
      {completeLine(line, wanted ? data?.items : undefined).map((completed) => (
        <option key={completed} value={completed} />
      ))}
    </datalist>
  );
}
