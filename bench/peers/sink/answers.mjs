/** Responses of each SDK's service. Default: `{}`, which is also success in OTLP. */
const LANGSMITH_INFO = {
  version: '0.10.0',
  instance_flags: { gzip_body_enabled: true },
  batch_ingest_config: { use_multipart_endpoint: true, size_limit: 100, size_limit_bytes: 20_971_520 },
};

export function answerTo(path, text, url) {
  if (path === '/info') return LANGSMITH_INFO;
  if (path === '/api/apikey/login')
    return { org_info: [{ id: 'org', name: 'org', api_url: url, proxy_url: url }] };
  if (path === '/api/project/register') return { project: { id: 'project', name: 'bench' } };
  if (path === '/logs3') return { ids: [] };
  if (path === '/api/v1/ingest') return { accepted: text().split('\n').length - 1, rejected: [] };
  return {};
}
