import type { IndexDetail } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '../../shared/format/format-count.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { Snippet } from '../../shared/ui/snippet.js';
import { Time } from '../../shared/ui/time.js';
import { indexesQuery } from './api.js';
import { ContextSearch } from './context-search.js';

export function IndexListPage() {
  const query = useQuery(indexesQuery);
  const indexes = query.data?.items ?? [];
  return (
    <Page title="Indexes" about="Documentation that your functions can search.">
      {query.isError && (
        <ErrorNotice
          title="Could not load the indexes."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <LoadingRows what="indexes" />}
      {query.isSuccess && indexes.length === 0 && <NoIndexes />}
      {indexes.length > 0 && (
        <>
          <IndexTable indexes={indexes} />
          <ContextSearch indexes={indexes} />
        </>
      )}
    </Page>
  );
}

function IndexTable({ indexes }: { indexes: IndexDetail[] }) {
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Indexes table">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Index id</th>
            <th>Type</th>
            <th className="number">Documents</th>
            <th>Created</th>
          </tr>
        </thead>
        <tbody>
          {indexes.map((index) => (
            <tr key={index.index_id}>
              <td>
                <strong className="two-lines">{index.name}</strong>
              </td>
              <td>
                <code>{index.index_id}</code>
              </td>
              <td>{index.type}</td>
              <td className="number">{formatCount(index.document_count)}</td>
              <td>
                <Time at={index.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoIndexes() {
  return (
    <EmptyState title="No indexes yet.">
      <p>
        Index a folder of Markdown, HTML or text. You can then search its documents here and from your code.
      </p>
      <Snippet title="In a terminal" code={`npx dacapo indexes add ./docs --name "My SDK" --type SDK`} />
    </EmptyState>
  );
}
