import type { ShareLinkSummary } from '@dacapo/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../../shared/http/client.js';
import { paths } from '../../shared/navigation/paths.js';
import { shareLinksQuery } from '../../shared/sharing/api.js';
import { ConfirmedButton } from '../../shared/ui/confirmed-button.js';
import { Menu } from '../../shared/ui/menu.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { Time } from '../../shared/ui/time.js';

/** The share links that have not expired. */
export function ShareLinkListPage() {
  const query = useQuery(shareLinksQuery);
  const links = query.data?.items ?? [];
  return (
    <Page title="Share links" about="Each shows one trace or one run to anyone who has it, until it expires.">
      {query.isError && (
        <ErrorNotice
          title="Could not load the share links."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <LoadingRows what="share links" />}
      {query.isSuccess && links.length === 0 && (
        <EmptyState title="No share links.">
          <p>Open a trace or a run and press “Share”.</p>
        </EmptyState>
      )}
      {links.length > 0 && <ShareLinkTable links={links} />}
    </Page>
  );
}

function ShareLinkTable({ links }: { links: ShareLinkSummary[] }) {
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Share links">
      <table className="lines-on-phones">
        <thead>
          <tr>
            <th>Shows</th>
            <th>Inputs and outputs</th>
            <th>Created</th>
            <th>Expires</th>
            <th>Last opened</th>
            <th className="number">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {links.map((link) => (
            <ShareLinkRow key={link.id} link={link} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ShareLinkRow({ link }: { link: ShareLinkSummary }) {
  const { id, trace_id: traceId, test_run_id: runId = '', created_by: author } = link;
  const queryClient = useQueryClient();
  const name = traceId === undefined ? `run ${runId.slice(0, 8)}` : `trace ${traceId.slice(0, 8)}`;
  const revoke = async (): Promise<void> => {
    await client.shareLinks.revoke({ id });
    await queryClient.invalidateQueries({ queryKey: shareLinksQuery.queryKey });
  };
  return (
    <tr>
      <td>
        <Link className="nowrap" href={traceId === undefined ? paths.testRun(runId) : paths.trace(traceId)}>
          {name}
        </Link>
      </td>
      <td data-label="Inputs and outputs">{link.payloads ? 'yes' : <span className="muted">no</span>}</td>
      <td data-label="Created">
        <Time at={link.created_at} />
        {author !== undefined && <span className="muted"> by {author}</span>}
      </td>
      <td data-label="Expires">
        <Time at={link.expires_at} />
      </td>
      <td data-label="Last opened">
        {link.last_opened_at === undefined ? (
          <span className="muted">never</span>
        ) : (
          <Time at={link.last_opened_at} />
        )}
      </td>
      <td className="number">
        <Menu label={`Actions for ${name}`}>
          <ConfirmedButton
            verb="Revoke"
            name={name}
            action="Revoke link"
            failure="Could not revoke the link."
            onConfirm={revoke}
          >
            The link shows nothing from then on. This cannot be undone.
          </ConfirmedButton>
        </Menu>
      </td>
    </tr>
  );
}
